"""Runs a module's forward pass on meta tensors and records what it calls.

A TorchFunctionMode sees every call of PyTorch's Python interface, which is where autocast decides
dtypes too; modes below it see only the kernels that are left. Functions written in Python are
entered, so that only built-in ones need a translation (operators.py). What has none is kept as a
`custom` operator with the tensors autograd kept for it: nothing is dropped silently.
"""

import contextlib
import types

import torch
from torch.overrides import TorchFunctionMode

from . import operators, script
from .fold import living
from .steps import Call, Ref, Step, Trace
from .storage import storage_of, untyped

# Functions that ask whether somebody overrides them; inside a recorded call the answer is no.
_QUESTIONS = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")
CONTAINERS = (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.Identity)


class Unsupported(Exception):
    """The module does something the model language cannot say."""


def is_weight(tensor):
    """A parameter, whether it is trained or frozen."""
    return tensor.is_leaf and (tensor.requires_grad or isinstance(tensor, torch.nn.Parameter))


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)


class Saved:
    """Storages autograd keeps, each counted once."""

    def __init__(self, known):
        self.known = {storage_of(t) for t in known}
        self.packs, self.owners = [], []

    def pack(self, tensor):
        self.packs.append(tensor)
        return tensor

    def attribute(self, number):
        """What was kept since the last operator belongs to `number`."""
        self.owners += [number] * (len(self.packs) - len(self.owners))

    def total(self, alive):
        """Bytes kept by operators in `alive`; numbers kept on the host are no device memory."""
        found = {}
        for tensor, owner in zip(self.packs, self.owners):
            storage = untyped(tensor)
            if owner in alive and storage._cdata not in self.known and tensor.dim() + storage.nbytes() > 8:
                found[storage._cdata] = storage.nbytes()
        return sum(found.values())


class Recorder(TorchFunctionMode):
    def __init__(self, model, shared=()):
        super().__init__()
        self.model = model
        self.steps, self.calls, self.path = [], [], []
        self.ids, self.keep = {}, []
        self.buffers = {storage_of(b) for b in model.buffers()}
        self.read = set()  # parameters that some operator has read
        self.shared = set(shared)  # parameters that several layers read
        self.again = set()  # such parameters, found while recording
        self.entered = {}  # module globals with the questions answered
        self.saved = None
        self.dtype_of = None  # the tensor whose dtype was asked for last
        self.last = None
        self.silent = False  # inside what is recorded as one operator
        self.constants = {}  # memory, sizes and number format -> id of a constant
        self.own_frozen = False  # the operator at hand has weights nobody trains
        self.seen = set()
        self.keeps_output = False  # the training loop holds what the loss reads until the step ends

    # -- tensors --
    def fresh(self, tensor):
        """A new id for what `tensor` holds from now on."""
        self.keep.append(tensor)
        self.ids[id(tensor)] = len(self.keep)
        return len(self.keep)

    def tracked(self, tensor):
        return id(tensor) in self.ids or tensor.requires_grad or is_weight(tensor)

    def ref(self, tensor):
        """The id of an operand; weights and constants are introduced at their first use."""
        if id(tensor) in self.ids:
            return Ref(self.ids[id(tensor)])
        if is_weight(tensor):
            if id(tensor) in self.read:
                self.again.add(id(tensor))
            self.read.add(id(tensor))
            self.own_frozen = self.own_frozen or not tensor.requires_grad
            return self.emit("parameter", [], tensor, sizes=list(tensor.shape))
        if tensor.requires_grad:
            raise Unsupported(f"a tensor of unknown origin is read ({tensor.grad_fn.name()})")
        kind = {torch.bool: "boolean", torch.int64: "int64"}.get(tensor.dtype, "weights")
        place = (storage_of(tensor), tuple(tensor.shape), tensor.dtype)
        if place in self.constants:  # the same memory under another name: a mask that every layer slices
            self.keep.append(tensor)
            self.ids[id(tensor)] = self.constants[place]
            return Ref(self.ids[id(tensor)])
        flags = {"buffer": True} if place[0] in self.buffers else {}
        if kind != "weights":
            flags["kind"] = kind
        introduced = self.emit("constant", [], tensor, sizes=list(tensor.shape), **flags)
        self.constants[place] = int(introduced)
        return introduced

    def own_weight(self, tensor):
        """True for a parameter that this operator alone owns."""
        if tensor is None or not is_weight(tensor) or id(tensor) in self.shared:
            return False
        if id(tensor) in self.read:
            self.again.add(id(tensor))
            return False
        self.read.add(id(tensor))
        self.own_frozen = self.own_frozen or not tensor.requires_grad
        return True

    def emit(self, op, inputs, output, /, **args):
        """Appends a step; `inputs` are tensors, or ids already."""
        frozen, self.own_frozen = self.own_frozen, False
        ids = [t if isinstance(t, int) else self.ref(t) for t in inputs]
        number = self.fresh(output)
        if self.saved:
            self.saved.attribute(number)
        self.steps.append(Step(op, ids, number, args, tuple(self.path), frozen))
        return Ref(number)

    def apart(self, result, x):
        """`result`, or a view of it where a conversion at this precision gives back the tensor itself."""
        self.last = result.view(result.shape) if result is x else result
        return self.last

    def alias(self, tensor, same_as):
        self.keep.append(tensor)
        self.ids[id(tensor)] = int(self.ref(same_as))

    # -- calls --
    def enter(self, function):
        """`function` with its own overrides switched off, so that what it calls is seen."""
        space = self.entered.get(id(function.__globals__))
        if space is None:
            space = dict(function.__globals__)
            space.update({name: lambda *a: False for name in _QUESTIONS if name in space})
            self.entered[id(function.__globals__)] = space
        inner = types.FunctionType(
            function.__code__, space, function.__name__, function.__defaults__, function.__closure__
        )
        inner.__kwdefaults__ = function.__kwdefaults__
        return inner

    def __torch_function__(self, func, types_, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.silent or not torch.is_grad_enabled():  # what is made without gradients is a constant of the step
            return func(*args, **kwargs)
        name = operators.name_of(func)
        handler = operators.HANDLERS.get(name)
        inputs = [t for t in tensors_in((args, kwargs)) if self.tracked(t)]
        if handler is None and isinstance(func, types.FunctionType) and inputs:
            if any(question in func.__code__.co_names for question in _QUESTIONS):
                with self:
                    return self.enter(func)(*args, **kwargs)
        if handler is not None and inputs:
            return handler(self, func, args, kwargs)
        return self.unknown(func, name, args, kwargs, inputs)

    def unknown(self, func, name, args, kwargs, inputs):
        first = len(self.saved.packs) if self.saved else 0
        result = func(*args, **kwargs)
        outputs = [t for t in tensors_in(result)]
        if not inputs or not outputs or name in operators.NOT_FOLLOWED:
            return result
        if name.startswith("__set") or not any(t.is_floating_point() for t in outputs):
            return result
        packs = self.saved.packs[first:] if self.saved else []
        operators.record_custom(self, name, inputs, outputs, packs)
        return result

    @contextlib.contextmanager
    def recomputed(self):
        """What is called inside is one block of activation checkpointing."""
        self.calls.append(Call("Checkpointed", False, False, True))
        self.path.append(len(self.calls) - 1)
        try:
            yield
        finally:
            self.path.pop()

    # -- modules --
    def hook(self, module, parent_is_list):
        def before(_, __):
            kind = type(module).__name__
            self.calls.append(Call(kind, isinstance(module, CONTAINERS), parent_is_list))
            self.path.append(len(self.calls) - 1)

        def after(*_):
            self.path.pop()

        return module.register_forward_pre_hook(before), module.register_forward_hook(after)

    @contextlib.contextmanager
    def hooked(self):
        handles, seen = [], set()
        for parent in self.model.modules():
            for child in parent.children():
                if id(child) not in seen:
                    seen.add(id(child))
                    handles += self.hook(child, isinstance(parent, CONTAINERS))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


def first_tensor(result):
    """What the loss reads: the output, its first entry, or its logits."""
    for name in ("logits", "out", "last_hidden_state"):
        if hasattr(result, name) and isinstance(getattr(result, name), torch.Tensor):
            return getattr(result, name)
        if isinstance(result, dict) and name in result:
            return result[name]
    found = next(tensors_in(list(result.values()) if isinstance(result, dict) else result), None)
    if found is None:
        raise Unsupported("the module returns no tensor")
    return found


def sizes_of(parameters):
    return [list(p.shape) for p in parameters]


def trace(model, inputs, shared=(), call=None, keeps_output=True):
    """The steps of one forward pass. `inputs`: name -> tensor, in the order `forward` takes them; `call`: runs the
    step on them and returns what its backward pass starts from, else the module is called."""
    recorder = Recorder(model, shared)
    recorder.keeps_output = keeps_output
    named = {n: (recorder.fresh(t), list(t.shape), not t.is_floating_point()) for n, t in inputs.items()}
    fixed = [*model.parameters(), *model.buffers(), *inputs.values()]
    recorder.saved = Saved(fixed)
    hooks = torch.autograd.graph.saved_tensors_hooks(recorder.saved.pack, lambda t: t)
    with recorder.hooked(), operators.replacements(recorder), script.seen_through(recorder), hooks, recorder:
        result = call() if call else model(*inputs.values())
    output = first_tensor(result)
    if id(output) not in recorder.ids:
        raise Unsupported("the output does not follow from the input")
    if recorder.again - recorder.shared:  # introduced once, then read by name
        return trace(model, inputs, recorder.again | recorder.shared, call, keeps_output)
    alive = {step.output for step in living(recorder.steps, recorder.ids[id(output)])}
    idle = [p for p in model.parameters() if id(p) not in recorder.read]
    return Trace(
        recorder.steps,
        recorder.calls,
        recorder.ids[id(output)],
        named,
        sizes_of(p for p in idle if p.requires_grad),
        sum(p.numel() for p in model.parameters()),
        recorder.saved.total(alive),
        {i + 1: list(t.shape) for i, t in enumerate(recorder.keep)},
        sizes_of(p for p in idle if not p.requires_grad),
        recorder.seen,
    )
