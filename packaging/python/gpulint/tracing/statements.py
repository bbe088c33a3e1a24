"""What the passes over statements know of the model language: which of a statement's words name tensors, which
arguments have defaults, what it reads and what it names.

A statement is a dictionary as a model file writes it; every scalar is text.
"""

from dataclasses import dataclass, field

MODIFIERS = {"from", "as", "when", "index", "body", "keeps"}

# Arguments that name tensors.
TENSORS = {
    "linear": {"weight", "offset"}, "conv": {"weight", "offset"}, "batch_norm": {"weight"}, "add": {"with"},
    "multiply": {"with"}, "divide": {"with"}, "matmul": {"with"}, "concatenate": {"of"},
    "gather_rows": {"index"}, "multiply_add": {"with", "plus"}, "mask_fill": {"mask"}, "cast": {"like"},
    "custom": {"of"}, "mean_squared_error": {"target"}, "binary_cross_entropy": {"target"},
    "resize_like": {"with"}, "experts": {"router"}, "attention": {"key", "value", "mask"},
}  # fmt: skip

# Numbers an operator assumes when they are left out.
DEFAULTS = {
    "conv": {"kernel": "1", "stride": "1", "padding": "0", "dilation": "1", "groups": "1"},
}

# Operators whose first argument may stand alone.
FIRST = {"conv": "out", "activation": "kind", "add": "with", "multiply": "with", "divide": "with", "reshape": "sizes",
         "permute": "order", "parameter": "sizes", "linear": "out", "expand": "sizes", "matmul": "with",
         "concatenate": "of", "copy": "sizes", "constant": "sizes", "upsample": "factor", "pad": "amount",
         "adaptive_average_pool": "output", "unsqueeze": "dimension", "squeeze": "dimension", "cast": "kind",
         "select": "dimension", "mean": "dimensions", "flatten": "from", "slice": "size"}  # fmt: skip
# Operators whose lists are one size per spatial dimension, in place of one number for all.
WINDOWED = {"conv", "max_pool", "average_pool", "upsample", "adaptive_average_pool"}
ORDER = {key: i for i, key in enumerate("out size sizes kind with kernel stride padding dilation groups bias".split())}
OPAQUE = {"residual", "branches", "group", "section"}
# What a parameter is called that stands for one number of an argument.
SINGULAR = {"sizes": "size", "amount": "pad", "order": "axis", "dimensions": "axis", "keeps": "kept", "": "count"}


@dataclass
class Definition:
    parameters: dict  # name -> default or None
    body: list


@dataclass
class Model:
    """What a model file holds between its inputs and its sources; scalars are text as written."""

    dimensions: set
    definitions: dict = field(default_factory=dict)
    program: list = field(default_factory=list)


def head(statement):
    return next((key for key in statement if key not in MODIFIERS), None)


def bodies(statement):
    return [statement["body"]] if "body" in statement else []


def lines(statement):
    """Lines a statement takes in a file."""
    return 1 + sum(1 + sum(map(lines, body)) for body in bodies(statement))


def given(op, value):
    """The arguments of an operator by name."""
    return value if isinstance(value, dict) else {FIRST.get(op, ""): value} if value not in ("~", None) else {}


def tensor_names(op, value):
    """Names of tensors among the arguments of an operator."""
    wanted = TENSORS.get(op, ())
    found = []
    for key, inner in given(op, value).items():
        if key in wanted:
            found += inner if isinstance(inner, list) else [inner]
    return [name for name in found if isinstance(name, str)]


class Names:
    """Which tensors statements read from outside and name for those behind them."""

    def __init__(self, model):
        self.model = model
        self.of_definition = {}

    def reads_of(self, name):
        if name not in self.of_definition:
            self.of_definition[name] = set()  # a definition does not call itself
            self.of_definition[name] = self.free(self.model.definitions[name].body)
        return self.of_definition[name]

    def reads(self, statement):
        op = head(statement)
        found = {statement["from"]} if "from" in statement else set()
        found |= set(statement.get("keeps", ()))
        if op in self.model.definitions:
            found |= self.reads_of(op)
        elif op is not None:
            found |= set(tensor_names(op, statement[op]))
        for body in bodies(statement):
            found |= self.free(body)
        return found

    def writes(self, statement):
        found = {statement["as"]} if "as" in statement else set()
        for body in bodies(statement):
            for inner in body:
                found |= self.writes(inner)
        return found

    def free(self, body):
        """Names read before the body itself gives them."""
        given, found = set(), set()
        for statement in body:
            found |= self.reads(statement) - given
            if "when" not in statement:
                given |= {statement["as"]} if "as" in statement else set()
                if head(statement) != "repeat":
                    given |= self.writes(statement)
        return found
