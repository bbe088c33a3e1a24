"""Writes a folded program as a model file."""

import json
import re

from . import fold, sequences, statements
from .repeats import folded
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


def called(statements):
    """Definitions that statements call, those inside of their bodies too."""
    for statement in statements:
        target = statement.get("@")
        if target is not None:
            yield target[0] if isinstance(target, tuple) else target.definition
        yield from called(statement.get("body", ()))


def called_below(definition, found):
    """Adds every definition that one calls, directly or not; by identity."""
    for child in called(definition.body):
        if id(child) not in found:
            found[id(child)] = child
            called_below(child, found)
    return found


def blocks_in(statements):
    """Statements that are a block already."""
    for statement in statements:
        if "block" in statement:
            yield statement
        else:
            yield from blocks_in(statement.get("body", ()))


def mark_blocks(body, definitions):
    """Layers among layers that hold weights are what activation checkpointing recomputes as one. Blocks lie in no other."""
    marked, taken = [], {}
    for block in [block for part in (body, *(d.body for d in definitions)) for block in blocks_in(part)]:
        for child in called(block["body"]):
            taken[id(child)] = child
            called_below(child, taken)

    def holds_block(definition):
        return any(True for each in (definition, *called_below(definition, {}).values()) for _ in blocks_in(each.body))

    def visit(statements):
        for definition in called(statements):
            if (
                definition.in_list
                and len(definition.body) >= 4
                and id(definition) not in taken
                and not holds_block(definition)
            ):
                marked.append(definition)
            elif id(definition) not in taken:
                visit(definition.body)

    visit(body)
    inner = {}
    for definition in marked:
        called_below(definition, inner)
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
    text = str(value)
    return json.dumps(text) if re.search(r"[\[\]{},:#\"']|^[&*!|>%@`]|^$", text) else text


def plain(value):
    """The same with every scalar as text."""
    if isinstance(value, dict) and value:
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return flow(value)


def block_lines(statement, indent):
    pad = " " * indent
    short = pad + "- " + flow(shortened(statement))
    if "body" not in statement or (len(short) <= WIDTH and len(statement["body"]) <= 2):
        return [short]
    keys = [f"{k}: {flow(v)}" for k, v in statement.items() if k != "body"]
    lines = [f"{pad}- {keys[0]}", *(f"{pad}  {key}" for key in keys[1:]), f"{pad}  body:"]
    for inner in statement["body"]:
        lines += block_lines(inner, indent + 4)
    return lines


def definition_lines(name, definition):
    value = {"parameters": definition.parameters} if definition.parameters else {}
    short = f"  {name}: " + flow({**value, "body": [shortened(statement) for statement in definition.body]})
    if len(short) <= WIDTH:
        return [short]
    lines = [f"  {name}:"]
    if definition.parameters:
        lines.append("    parameters: " + flow(definition.parameters))
    lines.append("    body:")
    for statement in definition.body:
        lines += block_lines(statement, 6)
    return lines


def shortened(statement):
    result = {}
    for key, value in statement.items():
        if isinstance(value, dict) and list(value) == [statements.FIRST.get(key)]:
            value = next(iter(value.values()))
        result[key] = [shortened(inner) for inner in value] if key == "body" else value
    return result


def callees_first(model):
    """Names of the definitions, each behind those it calls."""
    done = []

    def visit(name):
        if name not in done:
            calls(model.definitions[name].body)
            done.append(name)

    def calls(body):
        for statement in body:
            if statements.head(statement) in model.definitions:
                visit(statements.head(statement))
            for inner in statements.bodies(statement):
                calls(inner)

    for name in model.definitions:
        visit(name)
    return done


def folded_lines(model):
    """The lines of `define:` and `program:`, with what occurs again folded."""
    model = sequences.Folder(model).fold()
    lines = ["define:"] if model.definitions else []
    for name in callees_first(model):
        lines += definition_lines(name, model.definitions[name])
    lines.append("program:")
    for statement in model.program:
        lines += block_lines(statement, 2)
    return lines


def model_file(body, definitions, dimensions, inputs, loss, extra, comment, operators, blocks="layers"):
    """The text of a model file. `extra`: (sizes of an unused parameter, whether it is frozen); `operators`: words a define
    may not use; `blocks`: "layers" where the layers among layers are what may be recomputed, "stated" where the step said so.
    """
    name_definitions(definitions, operators)
    taken = set(dimensions) | {"batch", "attention_written_out"}
    for definition in definitions:  # children stand before parents
        find_parameters(definition, taken)
    if blocks == "layers":
        mark_blocks(body, definitions)
    lines = [f"# {line}" for line in comment]
    lines.append("dimensions: " + (flow(dimensions) if dimensions else "{}"))
    lines.append("input: " + flow(inputs))
    model = statements.Model(set(dimensions))
    for definition in definitions:
        inner = plain(folded(rendered(definition.body, definition.meaning)))
        if definition.block:
            inner = [{"block": snake(definition.kind), "body": inner}]
        parameters = {name: None for name, _ in definition.parameters}
        model.definitions[definition.name] = statements.Definition(parameters, inner)
    program = folded(rendered(body, {}))
    if extra:
        program.append({"as": "result"})
        program += folded([{"parameter": {"sizes": sizes}} for sizes, frozen in extra if not frozen])
        idle = folded([{"parameter": {"sizes": sizes}} for sizes, frozen in extra if frozen])
        program += [{"section": "frozen", "body": idle}] if idle else []
        program.append({"from": "result"})
    model.program = plain(program + loss)
    return "\n".join(lines + folded_lines(model)) + "\n"
