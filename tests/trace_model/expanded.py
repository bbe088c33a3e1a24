"""Writes a program out: the operators it runs, one after the other, with what each of them reads."""

import re

from gpulint.tracing import statements

_WORD = re.compile(r"[A-Za-z_]\w*")


class Expansion:
    """`operators` holds (operator, arguments, number of the tensor it reads) in the order they run."""

    def __init__(self, model):
        self.model, self.operators = model, []
        self.names, self.current, self.made = [("image", 0)], 0, 0
        self.run(model.program, {})

    def run(self, body, values):
        for statement in body:
            self.execute(statement, values)

    def execute(self, statement, values):
        op = statements.head(statement)
        if "from" in statement:
            self.current = self.tensor(statement["from"])
        if op in self.model.definitions:
            self.call(self.model.definitions[op], statement[op], values)
        elif op == "repeat":
            for _ in range(int(self.evaluate(statement[op], values))):
                self.run(statement["body"], values)
        elif op == "block":
            self.operators.append(("block", statement[op], self.current))
            self.run(statement["body"], values)
            self.operators.append(("end of block", statement[op], self.current))
        elif op is not None:
            self.operate(op, statement[op], values)
        if "as" in statement:
            self.names.append((statement["as"], self.current))

    def call(self, definition, value, values):
        given = {} if value == "~" else value
        inner = dict(values)
        for name, default in definition.parameters.items():
            inner[name] = self.evaluate(given[name], values) if name in given else default
        mark = len(self.names)
        self.run(definition.body, inner)
        del self.names[mark:]

    def operate(self, op, value, values):
        said = {**statements.DEFAULTS.get(op, {}), **statements.given(op, value)}
        tensors = statements.TENSORS.get(op, ())
        said = {k: self.tensors(v) if k in tensors else self.evaluate(v, values) for k, v in said.items()}
        self.operators.append((op, tuple(sorted((k, str(v)) for k, v in said.items())), self.current))
        self.made += 1
        self.current = self.made

    def tensors(self, value):
        return [self.tensor(name) for name in value] if isinstance(value, list) else self.tensor(value)

    def tensor(self, name):
        return next(number for known, number in reversed(self.names) if known == name)

    def evaluate(self, value, values):
        if isinstance(value, list):
            return [self.evaluate(item, values) for item in value]
        return _WORD.sub(lambda word: str(values.get(word[0], word[0])), value)


def operators(model):
    return Expansion(model).operators
