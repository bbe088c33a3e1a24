"""One recorded operator, in the words of the model language."""

from dataclasses import dataclass, field


class Ref(int):
    """The id of a tensor, where an argument names one."""


class Expr(str):
    """An expression over the file's dimensions."""


@dataclass
class Step:
    """`inputs[0]` is the tensor the operator reads from the statement before it, where it reads one."""

    op: str
    inputs: list
    output: int
    args: dict = field(default_factory=dict)
    path: tuple = ()  # indices into Trace.calls, the outermost module first
    frozen: bool = False  # its own weights are not trained
    block: int = -1  # index of the call that is recomputed as one, where it is not a define of its own

    def uses(self):
        """Ids of every tensor the operator reads."""
        found = list(self.inputs)
        for value in self.args.values():
            items = value if isinstance(value, list) else [value]
            found += [item for item in items if isinstance(item, Ref)]
        return found


@dataclass
class Call:
    """One call of a module."""

    kind: str  # class name
    container: bool  # only hands on to its children
    in_list: bool  # a child of a ModuleList or Sequential: a layer among layers
    checkpointed: bool = False  # the step recomputes it in the backward pass


@dataclass
class Trace:
    steps: list
    calls: list
    output: int
    inputs: dict  # name -> (tensor id, sizes, holds integers)
    unused: list  # sizes of parameters the forward pass never reads
    parameters: int
    saved_bytes: int
    sizes: dict = field(default_factory=dict)  # tensor id -> sizes
    frozen: list = field(default_factory=list)  # sizes of parameters that neither the step reads nor anybody trains
    seen: set = field(default_factory=set)  # what the step used: "attention", "checkpoint", "autocast:bf16"
