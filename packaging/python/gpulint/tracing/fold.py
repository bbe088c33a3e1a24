"""Folds recorded steps into a program: modules that occur again become `define`s, runs become `repeat`s.

Two calls of modules share a `define` when they do the same up to numbers. Numbers that differ between the
calls are its parameters. A statement reads the tensor of the statement before it; other tensors get names,
which are given out again once they are no longer read, so that equal layers read equal.
"""

import json
import string
from dataclasses import dataclass, field

from .steps import Expr, Ref, Step

NAMES = [c for c in string.ascii_lowercase if c not in "ny"] + [f"t{i}" for i in range(1, 400)]
# Operators with weights of their own.
WEIGHTED = {"parameter", "linear", "conv", "batch_norm", "inplace_batch_norm", "layer_norm", "group_norm", "instance_norm",
            "rms_norm", "embedding", "recurrent", "packed_linear", "experts"}  # fmt: skip
LEAST_OF_A_BLOCK = 4  # statements; fewer are a layer with its norm, which nobody recomputes
RANKS = {name: rank for rank, name in enumerate(NAMES)}


@dataclass
class Node:
    call: int
    items: list
    first: int  # positions of its steps
    last: int


@dataclass
class Use:
    """A call of a define inside a body."""

    definition: object
    leaves: list
    inputs: list
    output: int
    block: int = -1  # as of a Step
    frozen: bool = False

    def uses(self):
        return self.inputs


@dataclass
class Definition:
    kind: str
    in_list: bool
    body: list  # statements with Leaf markers
    instances: list = field(default_factory=list)
    name: str = ""
    parameters: list = field(default_factory=list)  # (name, leaf index)
    meaning: dict = field(default_factory=dict)  # leaf index -> value or parameter name
    block: bool = False


class Leaf(int):
    """Position of a number in a body."""


def living(steps, output):
    """Without the steps nothing reads."""
    needed, kept = {output}, []
    for step in reversed(steps):
        if step.output in needed:
            kept.append(step)
            needed.update(int(u) for u in step.uses())
    return kept[::-1]


def tree(steps, calls, depth=0, start=0):
    items, at = [], 0
    while at < len(steps):
        path = steps[at].path
        if len(path) <= depth:
            items.append(steps[at])
            at += 1
            continue
        end = at
        while end < len(steps) and len(steps[end].path) > depth and steps[end].path[depth] == path[depth]:
            end += 1
        inner = tree(steps[at:end], calls, depth + 1, start + at)
        if calls[path[depth]].container:
            items += inner
        else:
            items.append(Node(path[depth], inner, start + at, start + end - 1))
        at = end
    return items


def named(items, entry, entry_name):
    """Names for the tensors of a body that some statement cannot read as its predecessor's result."""
    wanted, last, now = set(), {}, entry
    for position, item in enumerate(items):
        uses = [int(u) for u in item.uses()]
        primary = item.inputs[0] if item.inputs else None
        for i, use in enumerate(uses):
            last[use] = position
            if not (i == 0 and primary is not None and int(primary) == now):
                wanted.add(use)
        now = item.output
    return wanted, last


def statements(items, entry, final, entry_name=None, inputs=None):
    """Statement dictionaries of a body; numbers stay in place. `inputs`: names of tensors that are there before it."""
    wanted, last = named(items, entry, entry_name)
    names, body, now, read = dict(inputs or {}), [], entry, []
    free = [name for name in NAMES if name not in names.values()]
    if now is not None and now != final and not items:
        wanted.add(final)
    if items and items[-1].output != final:
        wanted.add(final)
        last[final] = len(items)
    if entry in wanted:
        if entry_name:
            names[entry] = entry_name
        else:
            names[entry] = free.pop(0)
            body.append({"as": names[entry]})
    for position, item in enumerate(items):
        statement = said(item, names)
        read.append([(use, names[use]) for use in map(int, item.uses()) if use in names])
        if item.inputs and int(item.inputs[0]) != now:
            statement["from"] = names[int(item.inputs[0])]
        for use in {int(u) for u in item.uses()}:
            if last.get(use) == position and names.get(use) in NAMES:
                free.append(names.pop(use))
                free.sort(key=RANKS.get)
        now = item.output
        if now in wanted and last.get(now, -1) > position:
            names[now] = free.pop(0)
            statement["as"] = names[now]
        body.append(statement)
    start = len(body) - len(items)
    body = body[:start] + in_blocks(list(zip(items, body[start:], read)))
    if now != final:
        body.append({"from": names[final]})
    return body


def in_blocks(rows):
    """Statements of (item, statement, names it reads), with what is recomputed as one in a `block`."""
    result, at = [], 0
    while at < len(rows):
        block, end = rows[at][0].block, at
        while end < len(rows) and rows[end][0].block == block:
            end += 1
        run = rows[at:end]
        at = end
        if block < 0:
            result += in_sections(run)
            continue
        own = {item.output for item, _, _ in run}
        outer = [name for _, _, read in run for use, name in read if use not in own]
        first = dict(run[0][1])
        head = {"block": "checkpointed", **({"from": first.pop("from")} if "from" in first else {})}
        kept = [name for name in dict.fromkeys(outer) if name != head.get("from")]
        run[0] = (run[0][0], first, run[0][2])
        result.append({**head, **({"keeps": kept} if kept else {}), "body": in_sections(run)})
    return result


def in_sections(rows):
    """The statements, with those whose weights nobody trains in a section of its own."""
    result, at = [], 0
    while at < len(rows):
        if not rows[at][0].frozen:
            result.append(rows[at][1])
            at += 1
            continue
        end = last = at
        while end < len(rows) and (rows[end][0].frozen or weightless(rows[end][0])):
            last = end if rows[end][0].frozen else last
            end += 1
        result.append({"section": "frozen", "body": [statement for _, statement, _ in rows[at : last + 1]]})
        at = last + 1
    return result


def weightless(item):
    return isinstance(item, Step) and item.op not in WEIGHTED


def said(item, names):
    if isinstance(item, Use):
        return {"@": item}
    args = {}
    for key, value in item.args.items():
        if isinstance(value, Ref):
            value = names[int(value)]
        elif isinstance(value, list) and value and isinstance(value[0], Ref):
            value = [names[int(v)] for v in value]
        args[key] = value
    return {item.op: args}


def abstract(value, leaves):
    """The structure of a statement with its numbers taken out into `leaves`."""
    if isinstance(value, Use):
        start = len(leaves)
        leaves.extend(value.leaves)
        return (value.definition, start)
    if isinstance(value, dict):
        return {key: abstract(v, leaves) for key, v in value.items()}
    if isinstance(value, list):
        return [abstract(v, leaves) for v in value]
    if isinstance(value, Expr) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        leaves.append(value)
        return Leaf(len(leaves) - 1)
    return value


def skeleton(value):
    if isinstance(value, tuple):
        return ["@", id(value[0]), value[1]]
    if isinstance(value, dict):
        return {key: skeleton(v) for key, v in value.items()}
    if isinstance(value, list):
        return [skeleton(v) for v in value]
    return ["#", int(value)] if isinstance(value, Leaf) else value


class Folder:
    def __init__(self, steps, calls, output, inputs=None):
        self.steps, self.calls, self.output, self.inputs = steps, calls, output, inputs
        self.made_at = {step.output: i for i, step in enumerate(steps)}
        self.read_at = {}
        for i, step in enumerate(steps):
            for use in step.uses():
                self.read_at.setdefault(int(use), []).append(i)
        self.definitions = {}
        self.counts = None
        self.checkpointed = any(call.checkpointed for call in calls)

    def border(self, node):
        """Tensors a module reads from outside, and those of its own that are read outside."""
        inside = range(node.first, node.last + 1)
        entering, leaving = [], []
        for i in inside:
            for use in self.steps[i].uses():
                if self.made_at.get(int(use), -1) not in inside and int(use) not in entering:
                    entering.append(int(use))
            output = self.steps[i].output
            outside = any(r not in inside for r in self.read_at.get(output, []))
            if outside or output == self.output:
                leaving.append(output)
        return entering, leaving

    def items(self, nodes):
        result = []
        for node in nodes:
            if isinstance(node, Step):
                result.append(node)
                continue
            inner = self.items(node.items)
            entering, leaving = self.border(node)
            call = self.calls[node.call]
            if len(inner) < 2 or len(entering) > 1 or len(leaving) != 1:
                result += self.marked(call, node, inner, leaving)
                continue
            entry = entering[0] if entering else None
            leaves = []
            body = abstract(statements(inner, entry, leaving[0]), leaves)
            key = call.kind + json.dumps(skeleton(body))
            if self.counts is not None and self.counts.get(key, 0) < 2:
                result += self.marked(call, node, inner, leaving) if call.checkpointed else inner
                continue
            known = self.definitions.setdefault(key, Definition(call.kind, call.in_list, body))
            known.block = known.block or call.checkpointed
            known.instances.append(leaves)
            result.append(Use(known, leaves, entering, leaving[0]))
        return result

    def marked(self, call, node, inner, leaving):
        """The items of a call that is no define, as one block where they are recomputed together."""
        layer = call.in_list and not self.checkpointed and len(inner) >= LEAST_OF_A_BLOCK and len(leaving) == 1
        if call.checkpointed or layer and not all(map(weightless, inner)):
            for item in inner:
                item.block = node.call
        return inner

    def fold(self, entry, entry_name):
        nodes = tree(self.steps, self.calls)
        self.items(nodes)
        self.counts = {key: len(d.instances) for key, d in self.definitions.items()}
        once = {key for key, count in self.counts.items() if count < 2}
        # Definitions are told apart by identity: keep the objects so that the second pass finds equal keys.
        kept = {key: d for key, d in self.definitions.items() if key not in once}
        for definition in kept.values():
            definition.instances = []
        self.definitions = kept
        for step in self.steps:
            step.block = -1
        items = self.items(nodes)
        body = statements(items, entry, self.output, entry_name, self.inputs)
        used = [d for d in self.definitions.values() if d.instances]
        return body, used
