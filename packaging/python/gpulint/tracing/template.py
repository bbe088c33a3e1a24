"""A run of statements without its numbers and the names of its own tensors, and a copy of it with others."""

import json
import string

from .statements import DEFAULTS, FIRST, OPAQUE, TENSORS, WINDOWED, bodies, head

# y and n are truth values to some readers of YAML.
NAMES = [c for c in string.ascii_lowercase if c not in "ny"] + [f"t{i}" for i in range(1, 400)]


def is_whole(op, key, value):
    """A list that stands for one argument: a size per spatial dimension."""
    return isinstance(value, list) and op in WINDOWED and key != "dimensions"


class Unfoldable(Exception):
    """A run cannot leave the place it stands at."""


class Template:
    """A run of statements without its numbers and without the names of its own tensors."""

    def __init__(self, folder, owner):
        self.folder, self.symbols = folder, folder.symbols_of(owner)
        self.bound, self.count, self.leaves, self.outer = {}, 0, [], set()

    def shape(self, statement, first=False):
        """The structure of a statement, all but its name for the result; `first`: where it reads is the caller's."""
        op = head(statement)
        if "index" in statement or "keeps" in statement or (op not in self.folder.model.definitions and op in OPAQUE):
            raise Unfoldable
        parts = [op, statement.get("when")]
        if "from" in statement and not first:
            parts.append(self.name(statement["from"]))
        if op in self.folder.model.definitions:
            read = [self.name(name) for name in sorted(self.folder.names.reads_of(op))]
            if any(kind == "own" for kind, _ in read):
                raise Unfoldable  # the definition reads it under the name it has here
        if op is not None:
            parts.append(tuple(self.value(op, k, v) for k, v in self.folder.arguments(op, statement[op])))
        for body in bodies(statement):
            parts.append(self.inside(body, op == "repeat"))
        return tuple(parts)

    def bind(self, statement):
        if "as" not in statement:
            return ()
        self.bound[statement["as"]] = self.count
        self.count += 1
        return ("as",)

    def name(self, name):
        if name in self.bound:
            if self.bound[name] is None:
                raise Unfoldable
            return ("own", self.bound[name])
        self.outer.add(name)
        return ("outer", name)

    def inside(self, body, repeated):
        before = dict(self.bound)
        result = tuple(self.shape(statement) + self.bind(statement) for statement in body)
        if repeated:
            written = {name for name, own in self.bound.items() if before.get(name) != own}
            if written & self.folder.names.free(body):
                raise Unfoldable  # handed from one turn to the next
            self.bound = {**before, **dict.fromkeys(written)}  # the last turn's must not be read
        return result

    def value(self, op, key, value):
        if key in TENSORS.get(op, ()):
            return (key, tuple(map(self.name, value)) if isinstance(value, list) else self.name(value))
        if isinstance(value, list) and not is_whole(op, key, value):
            return (key, tuple(self.value(op, key, item)[1] for item in value))
        if self.folder.is_number(value, self.symbols):
            self.leaves.append((key, value))
            return (key, "#")
        return (key, json.dumps(value))


class Copy:
    """The statements of a definition made of a run: `meaning` in place of its numbers, names of its own."""

    def __init__(self, folder, run, owner, meaning):
        self.folder, self.run, self.meaning = folder, run, list(meaning)
        self.template = Template(folder, owner)
        for at, statement in enumerate(run):
            self.template.shape(statement, at == 0)
            self.template.bind(statement)
        outer = set(self.template.outer)
        self.free = [name for name in NAMES if name not in outer]
        self.spelled = {}

    def statements(self):
        made = []
        for at, statement in enumerate(self.run):
            made.append(self.copy(statement, at == 0))
            if at < len(self.run) - 1:  # the last one's name is the caller's
                self.bind(statement, made[-1])
        return made

    def name(self, text):
        return self.spelled.get(text, text)

    def bind(self, statement, made):
        if "as" in statement:
            self.spelled[statement["as"]] = made["as"] = self.free.pop(0)

    def copy(self, statement, first=False):
        op, made = head(statement), {}
        source = self.name(statement["from"]) if "from" in statement and not first else None
        if op is not None:
            made[op] = self.arguments(op, statement[op])
        for inner in bodies(statement):
            before = dict(self.spelled)
            made["body"] = []
            for one in inner:
                made["body"].append(self.copy(one))
                self.bind(one, made["body"][-1])
            if op == "repeat":
                self.spelled = before
        if source:
            made["from"] = source
        if "when" in statement:
            made["when"] = statement["when"]
        return made

    def arguments(self, op, value):
        definition = self.folder.model.definitions.get(op)
        defaults = definition.parameters if definition else DEFAULTS.get(op, {})
        said = {k: self.value(op, k, v) for k, v in self.folder.arguments(op, value)}
        said = {k: v for k, v in said.items() if v != defaults.get(k)}
        if definition is None and list(said) == [FIRST.get(op, "")]:
            return next(iter(said.values()))
        return said or "~"

    def value(self, op, key, value):
        if key in TENSORS.get(op, ()):
            return [self.name(v) for v in value] if isinstance(value, list) else self.name(value)
        if isinstance(value, list) and not is_whole(op, key, value):
            return [self.value(op, key, item) for item in value]
        return self.meaning.pop(0) if self.folder.is_number(value, self.template.symbols) else value
