"""Folds statements that occur again, in whatever module: runs of them become `define`s with parameters.

`fold.py` tells modules apart; what is equal beside them (stages written out, modules that differ in a stride
or a group count, halves of one module) is found here, on the statements of a whole file. A run may be folded
when it is equal to another one up to numbers and the names of its own tensors, and when nothing behind it
reads a tensor it named. Arguments that one of them leaves to their default become parameters with that default.
"""

import json
import re

from .repeats import folded
from .statements import DEFAULTS, OPAQUE, ORDER, SINGULAR, TENSORS, Definition, Names, bodies, given, head, lines
from .template import NAMES, Copy, Template, Unfoldable
from .words import RESERVED

LONGEST = 40  # statements of one definition
MOST_PARAMETERS = 9
MOST_PASSES = 200

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9.]*")


class Folder:
    def __init__(self, model):
        self.model = model

    def fold(self):
        for _ in range(MOST_PASSES):
            self.names = Names(self.model)
            self.repeat_all()
            if self.inline():
                continue
            best = self.best()
            if best is None:
                break
            self.extract(*best)
        while self.inline_called_once():
            self.names = Names(self.model)
        return self.model

    # -- what a scalar is --

    def symbols_of(self, owner):
        own = set(self.model.definitions[owner].parameters) if owner else set()
        return own, own | self.model.dimensions | {"batch"}

    def is_number(self, value, symbols):
        if isinstance(value, list):
            return all(self.is_number(item, symbols) for item in value)
        if not isinstance(value, str) or "size(" in value or "rank(" in value:
            return False
        if _NUMBER.fullmatch(value):
            return True
        words = _WORD.findall(value)
        return bool(words) and all(word in symbols[1] for word in words)

    def arguments(self, op, value):
        """(name, value) of an operator or a call, in one order, numbers that are left out filled in."""
        definition = self.model.definitions.get(op)
        if definition is not None:
            said = value if isinstance(value, dict) else {}
            if not isinstance(value, dict) and value not in ("~", None):
                said = {next(iter(definition.parameters)): value}
            return [(k, said.get(k, default)) for k, default in definition.parameters.items()]
        return sorted({**DEFAULTS.get(op, {}), **given(op, value)}.items(), key=lambda item: (ORDER.get(item[0], 0), item[0]))

    # -- where statements stand --

    def sites(self):
        """(owner, list, names read behind each of its statements) of every list of statements."""
        found = [*self.below(None, self.model.program, set())]
        for name, definition in self.model.definitions.items():
            found += self.below(name, definition.body, set())
        return found

    def below(self, owner, body, out):
        behind, live = [None] * len(body), set(out)
        for at in range(len(body) - 1, -1, -1):
            behind[at] = live
            statement = body[at]
            given = set()
            if "when" not in statement:
                given = self.names.writes(statement) if head(statement) != "repeat" else set()
                given |= {statement["as"]} if "as" in statement else set()
            live = self.names.reads(statement) | (live - given)
        yield owner, body, behind
        for at, statement in enumerate(body):
            for inner in bodies(statement):
                again = self.names.free(inner) if head(statement) == "repeat" else set()
                yield from self.below(owner, inner, behind[at] | again)

    # -- runs that occur again --

    def best(self):
        found = {}
        for place, (owner, body, behind) in enumerate(self.sites()):
            for start in range(len(body)):
                self.grow(found, place, owner, body, behind, start)
        best, gain = None, 0
        for (_, length), places in found.items():
            if len(places) < 2:
                continue
            apart, last = [], {}
            for place, start, owner, body in places:
                if last.get(place, -1) <= start:
                    apart.append((owner, body, start, length))
                    last[place] = start + length
            owner, body, start, _ = apart[0]
            size = sum(map(lines, body[start : start + length]))
            saved = len(apart) * (size - 1) - size - 3
            # A definition that becomes one call is written into its callers afterwards.
            saved += sum(self.is_whole(owner, body, start, length) for owner, body, start, length in apart)
            if len(apart) > 1 and saved > gain and self.columns(apart) is not None:
                best, gain = apart, saved
        return (best,) if best else None

    def is_whole(self, owner, body, start, length):
        definition = self.model.definitions.get(owner)
        if definition is None or definition.body is not body or length < len(body):
            return 0
        return 3 if set(body[0]) & {"from"} == set() and "as" not in body[-1] else 0

    def grow(self, found, place, owner, body, behind, start):
        template, key, written = Template(self, owner), 0, set()
        for at in range(start, min(len(body), start + LONGEST)):
            statement = body[at]
            try:
                shape = template.shape(statement, at == start)
            except Unfoldable:
                return
            inner = set().union(*(self.names.writes(s) for b in bodies(statement) for s in b), set())
            written |= inner
            worth = at > start or bodies(statement)
            if worth and not written & (behind[at] - ({statement["as"]} if "as" in statement else set())):
                found.setdefault((hash((key, shape)), at + 1 - start), []).append((place, start, owner, body))
            key = hash((key, shape, template.bind(statement)))
            if "as" in statement:
                written.add(statement["as"])

    def columns(self, places):
        """The numbers of equal runs, by position; None where they would take too many parameters."""
        rows = []
        for owner, body, start, length in places:
            template = Template(self, owner)
            for at in range(start, start + length):
                template.shape(body[at], at == start)
                template.bind(body[at])
            rows.append(template.leaves)
        own = [self.symbols_of(owner)[0] for owner, *_ in places]
        columns = list(zip(*rows))
        varied = {key_of(column) for column in columns if self.varies(column, own)}
        return (columns, own) if len(varied) <= MOST_PARAMETERS else None

    @staticmethod
    def varies(column, own):
        if len({json.dumps(value) for _, value in column}) > 1:
            return True
        return any(word in symbols for (_, value), symbols in zip(column, own) for word in _WORD.findall(json.dumps(value)))

    def extract(self, places):
        """Makes the runs calls of a new definition."""
        columns, own = self.columns(places)
        named, parameters, meaning = self.parameters(columns, own)
        owner, body, start, length = places[0]
        run = body[start : start + length]
        definition = Definition(parameters, Copy(self, run, owner, meaning).statements())
        name = self.name_for(run)
        for index in range(len(places) - 1, -1, -1):  # from the end: places in one list stay where they are
            _, body, start, length = places[index]
            values = {}
            for column in columns:
                if key_of(column) in named:
                    values[named[key_of(column)]] = column[index][1]
            call = {name: {k: v for k, v in values.items() if v != parameters[k]} or "~"}
            if "from" in body[start]:
                call["from"] = body[start]["from"]
            if "as" in body[start + length - 1]:
                call["as"] = body[start + length - 1]["as"]
            body[start : start + length] = [call]
        self.model.definitions[name] = definition

    def parameters(self, columns, own):
        """Numbers that differ between the runs: (names by column, parameters and their defaults, what stands for each)."""
        named, parameters, meaning = {}, {}, []
        taken = self.model.dimensions | {"batch"}
        for column in columns:
            if not self.varies(column, own):
                meaning.append(column[0][1])
                continue
            argument = column[0][0]
            if key_of(column) not in named:
                base = name = re.sub(r"_\d+$", "", SINGULAR.get(argument, argument))
                count = 1
                while name in taken or name in parameters:
                    count += 1
                    name = f"{base}_{count}"
                named[key_of(column)] = name
                parameters[name] = None
            name = named[key_of(column)]
            meaning.append(name)
            if parameters[name] is None:
                parameters[name] = DEFAULTS["conv"].get(argument)
        return named, parameters, meaning

    def name_for(self, run):
        words = []
        for statement in run:
            op = head(statement)
            if op == "activation":
                value = statement[op]
                op = value if isinstance(value, str) else value["kind"]
            if op is not None and op not in ("block", "repeat"):
                words.append(re.sub(r"_\d+$", "", op))
            else:
                inner = [head(s) for s in statement.get("body", []) if head(s)]
                words += [re.sub(r"_\d+$", "", inner[0])] if op == "repeat" and inner else [str(statement[op])] if op else []
        words = [w for i, w in enumerate(words) if i == 0 or w != words[i - 1]]
        base = "_".join(words) if 0 < len(words) <= 3 and sum(map(len, words)) <= 28 else "unit"
        if base == "unit" and len(set(words)) == 1:
            base = words[0] + "_stage"
        if base in RESERVED or base in self.model.dimensions:
            base += "_unit"
        name, count = base, 1
        while name in self.model.definitions:
            count += 1
            name = f"{base}_{count}"
        return name

    # -- tidying --

    def repeat_all(self):
        def visit(body):
            for statement in body:
                for inner in bodies(statement):
                    visit(inner)
            body[:] = folded(body)

        visit(self.model.program)
        for definition in self.model.definitions.values():
            visit(definition.body)

    def calls(self):
        """The statements that call each definition, with the list they stand in."""
        found = {}

        def visit(body):
            for statement in body:
                if head(statement) in self.model.definitions:
                    found.setdefault(head(statement), []).append((body, statement))
                for inner in bodies(statement):
                    visit(inner)

        visit(self.model.program)
        for definition in self.model.definitions.values():
            visit(definition.body)
        return found

    def inline(self):
        """Definitions of one statement, and those nobody calls, are more text than they save."""
        calls = self.calls()
        for name, definition in list(self.model.definitions.items()):
            if name not in calls:
                del self.model.definitions[name]
                return True
            only = definition.body[0]
            if len(definition.body) != 1 or bodies(only) or set(only) & {"from", "as", "when"}:
                continue
            if any(self.compound(v) for v in scalars(only[head(only)])):
                continue
            for _, statement in calls[name]:
                values = dict(self.arguments(name, statement[name]))
                rest = {k: v for k, v in statement.items() if k != name}
                statement.clear()
                statement.update({head(only): substituted(only[head(only)], values), **rest})
            del self.model.definitions[name]
            return True
        return False

    def inline_called_once(self):
        """A definition with one caller is written there when that takes fewer lines."""
        for name, places in self.calls().items():
            definition = self.model.definitions[name]
            body, statement = places[0]
            if len(places) > 1 or "when" in statement or sum(map(lines, definition.body)) < 4:
                continue
            values = dict(self.arguments(name, statement[name]))
            written = set().union(*(self.names.writes(inner) for inner in definition.body))
            if self.blocks_inlining(definition.body, values) or written & self.read_by_callees(definition.body):
                continue
            if written & self.names.free(definition.body):
                continue
            used = self.names.free(definition.body) | written
            for other in self.enclosing(body):
                used |= self.names.reads(other) | self.names.writes(other)
            fresh = dict(zip(sorted(written, key=NAMES.index), (n for n in NAMES if n not in used)))
            made = [renamed(inner, fresh, values) for inner in definition.body]
            if "from" in statement:
                made[0].setdefault("from", statement["from"])
            if "as" in statement:
                made += [{"as": statement["as"]}] if "as" in made[-1] else []
                made[-1]["as"] = statement["as"]
            at = next(i for i, one in enumerate(body) if one is statement)
            body[at : at + 1] = made
            del self.model.definitions[name]
            return True
        return False

    def read_by_callees(self, body):
        """Names that definitions called in `body` read under the name they have there."""
        found = set()
        for statement in body:
            if head(statement) in self.model.definitions:
                found |= self.names.reads_of(head(statement))
            for inner in bodies(statement):
                found |= self.read_by_callees(inner)
        return found

    def enclosing(self, body):
        """The statements of the definition or program that holds `body` in some depth."""

        def holds(outer):
            return outer is body or any(holds(inner) for statement in outer for inner in bodies(statement))

        wholes = [self.model.program, *(definition.body for definition in self.model.definitions.values())]
        return next(whole for whole in wholes if holds(whole))

    def blocks_inlining(self, body, values):
        """Whether an argument is no single number or word and stands inside of an expression."""
        simple = {k for k, v in values.items() if isinstance(v, str) and (_WORD.fullmatch(v) or _NUMBER.fullmatch(v))}
        for statement in body:
            op = head(statement)
            if "when" in statement or op in OPAQUE:
                return True
            for value in scalars(statement[op]) if op is not None else ():
                if self.compound(value) and (set(_WORD.findall(value)) & set(values)) - simple:
                    return True
            if any(self.blocks_inlining(inner, values) for inner in bodies(statement)):
                return True
        return False

    @staticmethod
    def compound(value):
        """An expression a parameter cannot simply be written into."""
        return isinstance(value, str) and bool(_WORD.findall(value)) and not _WORD.fullmatch(value)


def scalars(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [scalar for inner in value for scalar in scalars(inner)]
    return [value]


def substituted(value, values):
    if isinstance(value, dict):
        return {k: substituted(v, values) for k, v in value.items()}
    if isinstance(value, list):
        return [substituted(v, values) for v in value]
    if not isinstance(value, str) or value in values:
        return values.get(value, value)
    return _WORD.sub(lambda word: str(values.get(word[0], word[0])), value)


def renamed(statement, names, values):
    """A copy with `names` for the tensors it names and reads, and `values` for parameters."""
    made = {}
    for key, value in statement.items():
        if key in ("from", "as"):
            made[key] = names.get(value, value)
        elif key == "body":
            made[key] = [renamed(inner, names, values) for inner in value]
        elif key == "block":
            made[key] = value
        else:
            made[key] = tensors_renamed(key, substituted(value, values), names)
    return made


def tensors_renamed(op, value, names):
    result = {}
    for key, inner in given(op, value).items():
        if key in TENSORS.get(op, ()):
            inner = [names.get(n, n) for n in inner] if isinstance(inner, list) else names.get(inner, inner)
        result[key] = inner
    return value if not result else result if isinstance(value, dict) else next(iter(result.values()))


def key_of(column):
    """Equal for columns of equal numbers."""
    return json.dumps([value for _, value in column])
