"""Writes a folded program as a model file."""

import json
import re

from . import fold
from .steps import Expr

WIDTH = 110


def snake(kind):
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind)
    return re.sub(r"\W+", "_", text).strip("_").lower()


def name_definitions(definitions, taken):
    used = set(taken)
    for definition in definitions:
        base = name = snake(definition.kind)
        if name in used:
            base = name = base + "_unit" if base in taken else base
        count = 1
        while name in used:
            count += 1
            name = f"{base}_{count}"
        used.add(name)
        definition.name = name


def find_parameters(definition, taken):
    """Columns of numbers that differ between the calls; equal columns are one parameter."""
    needed = []
    leaf_names(definition.body, "", needed)
    columns, used = {}, set(taken)
    for index, base in needed:
        column = tuple(instance[index] for instance in definition.instances)
        if len(set(map(str, column))) == 1:
            definition.meaning[index] = column[0]
            continue
        key = tuple(map(str, column))
        if key not in columns:
            name, count = base, 1
            while name in used:
                count += 1
                name = f"{base}_{count}"
            used.add(name)
            columns[key] = name
            definition.parameters.append((name, index))
        definition.meaning[index] = Expr(columns[key])


def leaf_names(value, key, found):
    if isinstance(value, tuple):
        child, start = value
        found += [(start + index, name) for name, index in child.parameters]
    elif isinstance(value, dict):
        for name, inner in value.items():
            leaf_names(inner, name, found)
    elif isinstance(value, list):
        for inner in value:
            leaf_names(inner, key, found)
    elif isinstance(value, fold.Leaf):
        singular = {"sizes": "size", "amount": "pad", "order": "axis", "dimensions": "axis", "keeps": "kept"}
        found.append((int(value), singular.get(key, key)))


def rendered(value, meaning):
    """Statements with numbers and parameter names filled in."""
    if isinstance(value, dict) and "@" in value:
        target = value["@"]
        child, start = target if isinstance(target, tuple) else (target.definition, None)
        leaves = meaning if start is not None else dict(enumerate(target.leaves))
        start = start or 0
        args = {name: leaves[start + index] for name, index in child.parameters}
        rest = {k: v for k, v in value.items() if k != "@"}
        return {child.name: args, **rest}
    if isinstance(value, dict):
        return {k: rendered(v, meaning) for k, v in value.items()}
    if isinstance(value, list):
        return [rendered(v, meaning) for v in value]
    return meaning[int(value)] if isinstance(value, fold.Leaf) else value


def folded(body, limit=96):
    """Runs of equal statements as `repeat`; the run that saves most text first."""
    keys = [json.dumps(s) for s in body]
    result, at = [], 0
    while at < len(body):
        best, period, times = 0, 1, 1
        for length in range(1, min(limit, (len(body) - at) // 2) + 1):
            if keys[at] != keys[at + length]:
                continue
            count = 1
            while keys[at : at + length] == keys[at + count * length : at + (count + 1) * length]:
                count += 1
            gain = (count - 1) * sum(len(k) for k in keys[at : at + length]) - 30
            if count > 1 and gain > best:
                best, period, times = gain, length, count
        if times > 1:
            result.append({"repeat": times, "body": folded(body[at : at + period], limit)})
            at += period * times
        else:
            result.append(body[at])
            at += 1
    return result


def mark_blocks(body, definitions):
    """Layers among layers that hold weights are what activation checkpointing recomputes as one."""
    marked = []

    def calls(statements):
        for statement in statements:
            target = statement.get("@")
            if target is not None:
                yield target[0] if isinstance(target, tuple) else target.definition

    def visit(statements):
        for definition in calls(statements):
            if definition.in_list and len(definition.body) >= 4:
                marked.append(definition)
            else:
                visit(definition.body)

    def below(definition, found):
        for child in calls(definition.body):
            if id(child) not in found:
                found.add(id(child))
                below(child, found)
        return found

    visit(body)
    inner = set()
    for definition in marked:
        below(definition, inner)
    for definition in marked:
        definition.block = id(definition) not in inner


def flow(value):
    if value is None or value == {}:
        return "~"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    if isinstance(value, float):
        return f"{value:.6g}" if value != int(value) else f"{value:.1f}"
    return str(value)


def block_lines(statement, indent):
    pad = " " * indent
    if "body" in statement:
        head = ", ".join(f"{k}: {flow(v)}" for k, v in statement.items() if k != "body")
        lines = [f"{pad}- {head}", f"{pad}  body:"]
        for inner in statement["body"]:
            lines += block_lines(inner, indent + 4)
        return lines
    return [pad + "- " + flow(shortened(statement))]


# Operators whose first argument may stand alone.
_BARE = {"activation": "kind", "add": "with", "multiply": "with", "divide": "with", "reshape": "sizes",
         "permute": "order", "parameter": "sizes", "linear": "out", "expand": "sizes", "matmul": "with",
         "concatenate": "of", "copy": "sizes", "constant": "sizes", "upsample": "factor", "pad": "amount",
         "adaptive_average_pool": "output", "unsqueeze": "dimension", "squeeze": "dimension", "cast": "kind",
         "select": "dimension", "mean": "dimensions", "flatten": "from", "slice": "size"}  # fmt: skip


def shortened(statement):
    result = {}
    for key, value in statement.items():
        if isinstance(value, dict) and list(value) == [_BARE.get(key)]:
            value = next(iter(value.values()))
        result[key] = value
    return result


def model_file(body, definitions, dimensions, inputs, loss, extra, comment, operators):
    """The text of a model file. `extra`: unused parameters' sizes; `operators`: words a define may not use."""
    name_definitions(definitions, operators)
    taken = set(dimensions) | {"batch", "attention_written_out"}
    for definition in definitions:  # children stand before parents
        find_parameters(definition, taken)
    mark_blocks(body, definitions)
    lines = [f"# {line}" for line in comment]
    lines.append("dimensions: " + (flow(dimensions) if dimensions else "{}"))
    lines.append("input: " + flow(inputs))
    if definitions:
        lines.append("define:")
    for definition in definitions:
        lines.append(f"  {definition.name}:")
        if definition.parameters:
            lines.append("    parameters: " + flow({name: None for name, _ in definition.parameters}))
        inner = folded(rendered(definition.body, definition.meaning))
        if definition.block:
            inner = [{"block": snake(definition.kind), "body": inner}]
        lines.append("    body:")
        for statement in inner:
            lines += block_lines(statement, 6)
    lines.append("program:")
    program = folded(rendered(body, {}))
    if extra:
        program.append({"as": "result"})
        program += folded([{"parameter": {"sizes": sizes}} for sizes in extra])
        program.append({"from": "result"})
    program += loss
    for statement in program:
        lines += block_lines(statement, 2)
    return "\n".join(lines) + "\n"
