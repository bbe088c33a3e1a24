"""One trace holds for one batch and one input size; several of them say which numbers follow from what.

The same module is recorded at two batches and at three sizes. Numbers that stay are constants; the
others become expressions over `batch` and the size's dimension. A module that runs at one size only
keeps that size.
"""

from fractions import Fraction

from .steps import Expr, Step

# Arguments whose numbers may differ between sizes without a formula: the amounts of "same" padding follow
# from remainders. The first trace's are kept; they are exact at the size it was taken at.
_ROUNDED = {("pad", "amount")}


class Varies(Exception):
    """The traces differ in more than numbers of batch and size."""


def product(text, factor):
    if factor.denominator == 1:
        return text if factor == 1 else f"{text} * {factor.numerator}"
    whole = f"{text} // {factor.denominator}"
    return whole if factor.numerator == 1 else f"{text} * {factor.numerator} // {factor.denominator}"


def polynomial(values, sizes, name):
    """An expression for integers `values` at `sizes`: constant, linear or quadratic with rational factors."""
    if len(set(values)) == 1:
        return values[0]
    if len(sizes) < 3:
        raise Varies(name)
    ratios = {Fraction(v, s) for v, s in zip(values, sizes)}
    if len(ratios) == 1:
        return Expr(product(name, ratios.pop()))
    squares = {Fraction(v, s * s) for v, s in zip(values, sizes)}
    if len(squares) == 1:
        return Expr(product(f"{name} * {name}", squares.pop()))
    (s0, s1, s2), (v0, v1, v2) = sizes[:3], values[:3]
    slope = Fraction(v1 - v0, s1 - s0)
    if v0 + slope * (s2 - s0) == v2 and (v0 - slope * s0).denominator == 1:
        rest = v0 - slope * s0
        return Expr(f"{product(name, slope)} {'+' if rest > 0 else '-'} {abs(rest)}")
    a = (Fraction(v2 - v0, s2 - s0) - slope) / (s2 - s1)
    b = slope - a * (s0 + s1)
    c = v0 - a * s0 * s0 - b * s0
    if c.denominator != 1:
        raise Varies(name)
    text = product(f"{name} * {name}", a)
    for sign, part in ((b, product(name, abs(b)) if b else ""), (c, str(abs(c)))):
        if sign:
            text += f" {'+' if sign > 0 else '-'} {part}"
    return Expr(text)


def number(values, settings, name):
    """`values[i]` was recorded at `settings[i]` = (batch, size); the first two differ in batch only."""
    first = values[0]
    if all(v == first for v in values):
        return first
    if len(values) > 1 and values[1] != first and settings[1][1] == settings[0][1]:
        (b0, _), (b1, _) = settings[:2]
        if first * b1 != values[1] * b0:
            raise Varies("batch")
        per = [Fraction(v, b) for v, (b, _) in zip(values, settings)]
        if any(p.denominator != 1 for p in per):
            raise Varies("batch")
        rest = number([int(p) for p in per], settings, name)
        if rest == 1:
            return Expr("batch")
        return Expr(f"batch * ({rest})" if isinstance(rest, Expr) else f"batch * {rest}")
    sized = [(v, s) for i, (v, (_, s)) in enumerate(zip(values, settings)) if i != 1]
    return polynomial([v for v, _ in sized], [s for _, s in sized], name)


def value(values, settings, name, lenient):
    first = values[0]
    if isinstance(first, list):
        if any(not isinstance(v, list) or len(v) != len(first) for v in values):
            if lenient:
                return first
            raise Varies("the number of sizes")
        return [value(list(items), settings, name, lenient) for items in zip(*values)]
    if isinstance(first, bool) or not isinstance(first, int):
        if any(v != first for v in values):
            raise Varies("a choice")
        return first
    if type(first).__name__ == "Ref":
        return first
    try:
        return number(values, settings, name)
    except Varies:
        if lenient:
            return first
        raise


def generalise(traces, settings, name):
    """Steps of the first trace with expressions in place of numbers that follow from batch or size."""
    steps_of = [trace.steps for trace in traces]
    if len({len(steps) for steps in steps_of}) > 1:
        raise Varies("the number of operators")
    result = []
    for index, first in enumerate(steps_of[0]):
        same = [steps[index] for steps in steps_of]
        if any(s.op != first.op or s.inputs != first.inputs or set(s.args) != set(first.args) for s in same):
            raise Varies("the operators")
        args = {
            key: value([s.args[key] for s in same], settings, name, (first.op, key) in _ROUNDED)
            for key in first.args
        }
        result.append(Step(first.op, first.inputs, first.output, args, first.path))
    return result
