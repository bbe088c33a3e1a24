"""One trace holds for one batch and one input size; several of them say which numbers follow from what.

The same step is recorded at two batches, and at two further values of every other size (the side of an image, the length
of a sequence). Numbers that stay are constants; the others become expressions over `batch` and the sizes. A module that
runs at one size only keeps that size.

`settings[i]` are the sizes of trace i by name. The first two differ in `batch` alone; every other name has traces that
differ from the first in it alone; a last trace may differ in several.
"""

from fractions import Fraction

from .steps import Expr, Step

# Arguments whose numbers may differ between sizes without a formula: the amounts of "same" padding follow
# from remainders. The first trace's are kept; they are exact at the size it was taken at.
_ROUNDED = {("pad", "amount")}


class Varies(Exception):
    """The traces differ in more than numbers of batch and sizes."""


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


def alone(settings, name):
    """Indices of the first trace and of those that differ from it in `name` alone."""
    first = settings[0]
    return [i for i, each in enumerate(settings) if all(each[k] == first[k] for k in first if k != name)]


def holds(text, values, settings):
    """Whether an expression gives every trace's number."""
    return all(
        eval(str(text), {"__builtins__": {}}, dict(each)) == v for v, each in zip(values, settings)
    )  # noqa: S307


def sized(values, settings, names):
    """An expression over `names` for what no longer depends on the batch."""
    first, parts = values[0], []
    for name in names:
        at = [i for i in alone(settings, name)]
        part = polynomial([values[i] for i in at], [settings[i][name] for i in at], name)
        if isinstance(part, Expr):
            parts.append(part)
    if not parts:
        candidates = [first]
    elif len(parts) == 1:
        candidates = parts
    else:  # of several sizes: a product, or a sum
        times = " * ".join(f"({part})" for part in parts)
        over = first ** (len(parts) - 1)
        plus = " + ".join(f"({part})" for part in parts)
        candidates = [Expr(f"{times} // {over}" if over != 1 else times), Expr(f"{plus} - {first * (len(parts) - 1)}")]
    for text in candidates:
        if holds(text, values, settings):
            return text
    raise Varies(" and ".join(names))


def number(values, settings, names):
    """A number, or an expression that gives `values[i]` at `settings[i]`."""
    first = values[0]
    if all(v == first for v in values):
        return first
    if len(values) > 1 and values[1] != first:
        b0, b1 = settings[0]["batch"], settings[1]["batch"]
        if first * b1 != values[1] * b0:
            raise Varies("batch")
        per = [Fraction(v, each["batch"]) for v, each in zip(values, settings)]
        if any(p.denominator != 1 for p in per):
            raise Varies("batch")
        rest = sized([int(p) for p in per], settings, names)
        if rest == 1:
            return Expr("batch")
        return Expr(f"batch * ({rest})" if isinstance(rest, Expr) else f"batch * {rest}")
    return sized(values, settings, names)


def value(values, settings, names, lenient):
    first = values[0]
    if isinstance(first, list):
        if any(not isinstance(v, list) or len(v) != len(first) for v in values):
            if lenient:
                return first
            raise Varies("the number of sizes")
        return [value(list(items), settings, names, lenient) for items in zip(*values)]
    if isinstance(first, bool) or not isinstance(first, int):
        if any(v != first for v in values):
            raise Varies("a choice")
        return first
    if type(first).__name__ == "Ref":
        return first
    try:
        return number(values, settings, names)
    except Varies:
        if lenient:
            return first
        raise


def generalise(traces, settings, names):
    """Steps of the first trace with expressions in place of numbers that follow from the batch or from `names`."""
    steps_of = [trace.steps for trace in traces]
    if len({len(steps) for steps in steps_of}) > 1:
        raise Varies("the number of operators")
    result = []
    for index, first in enumerate(steps_of[0]):
        same = [steps[index] for steps in steps_of]
        if any(s.op != first.op or s.inputs != first.inputs or set(s.args) != set(first.args) for s in same):
            raise Varies(f"the operators ({first.op})")
        args = {
            key: value([s.args[key] for s in same], settings, names, (first.op, key) in _ROUNDED) for key in first.args
        }
        result.append(Step(first.op, first.inputs, first.output, args, first.path, first.frozen))
    return result
