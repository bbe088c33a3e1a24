"""What has no translation, and what no function mode sees."""

import contextlib
import sys

import torch

from .layers import Mean
from .registry import HANDLERS, given, is_kernel
from .storage import storage_of


def record_custom(recorder, name, inputs, outputs, packs, fp32=False):
    """An operator without a translation: which of its tensors autograd kept, and the sizes of new ones."""
    output = next(t for t in outputs if t.is_floating_point())
    storages = {storage_of(t): t for t in inputs}
    unique = list({id(t): t for t in inputs}.values())
    said = {"of": [recorder.ref(t) for t in unique[1:]]}
    kept, fresh, result = [], [], False
    for pack in packs:
        storage = storage_of(pack)
        if storage in storages:
            kept.append(next(i for i, t in enumerate(unique) if storage_of(t) == storage))
        elif any(storage_of(t) == storage for t in outputs):
            result = True
        elif pack.dim() > 0:
            fresh.append(pack)
    if kept:
        said["keeps"] = sorted(set(kept))
    if result:
        said["keeps_result"] = True
    for i, pack in enumerate({storage_of(t): t for t in fresh}.values()):
        if i == 0:
            said["keeps_new"] = list(pack.shape)
    if any(storage_of(t) == storage_of(output) for t in inputs):
        said["view"] = True
    if fp32:
        said["fp32"] = True
    said = {k: v for k, v in said.items() if v != []}
    recorder.emit("custom", [unique[0]], output, name=name.strip("_").lower(), sizes=list(output.shape), **said)
    for other in outputs:
        if other is not output and other.is_floating_point():
            recorder.alias(other, output)


@contextlib.contextmanager
def replacements(recorder):
    """What no function mode sees: autograd functions written in Python, and recurrent layers."""
    own = torch.autograd.Function.__dict__.get("apply")  # inherited from C++ before 2.0
    lstm, gru = torch.nn.LSTM.forward, torch.nn.GRU.forward

    def apply(cls, *args, **kwargs):
        inherited = own.__get__(None, cls) if own else super(torch.autograd.Function, cls).apply
        if cls is Mean or recorder.silent:
            return inherited(*args, **kwargs)
        first = len(recorder.saved.packs)
        recorder.silent = True  # what it calls runs without autograd
        result = inherited(*args, **kwargs)
        inputs = [t for t in args if isinstance(t, torch.Tensor) and recorder.tracked(t)]
        outputs = [t for t in (result if isinstance(result, tuple) else (result,)) if isinstance(t, torch.Tensor)]
        if inputs and outputs:
            record_custom(recorder, cls.__name__, inputs, outputs, recorder.saved.packs[first:])
        recorder.silent = False
        return result

    def recurrent(cell):
        def forward(module, x, state=None):
            directions = 2 if module.bidirectional else 1
            steps = x if module.batch_first else x.transpose(0, 1)
            for parameter in module.parameters():
                recorder.read.add(id(parameter))
            recorder.silent = True
            y = torch.empty([*steps.shape[:2], directions * module.hidden_size], device=x.device, requires_grad=True)
            y = y.clone()
            said = given(layers=(module.num_layers, 1), bidirectional=(module.bidirectional, False))
            recorder.emit("recurrent", [steps], y, cell=cell, hidden=module.hidden_size, **said)
            recorder.silent = False
            y = y if module.batch_first else y.transpose(0, 1)
            return y, (y, y) if cell == "lstm" else y

        return forward

    def inplace_norm(module):
        def forward(x):
            recorder.silent = True
            y = x.view(x.shape)
            recorder.read.update((id(module.weight), id(module.bias)))
            recorder.emit("inplace_batch_norm", [x], y)
            recorder.silent = False
            return y

        return forward

    fused = [m for m in recorder.model.modules() if type(m).__name__.lower() == "inplaceabn"]
    for module in fused:
        module.forward = inplace_norm(module)

    def getitem(x, index):
        """Not every version hands subscripts to function modes."""
        if is_kernel(sys._getframe(1)) or recorder.silent or not recorder.tracked(x):
            return subscript(x, index)
        recorder.silent = True
        try:
            return HANDLERS["getitem"](recorder, subscript, (x, index), {})
        finally:
            recorder.silent = False

    subscript = torch.Tensor.__getitem__
    torch.Tensor.__getitem__ = getitem
    torch.autograd.Function.apply = classmethod(apply)
    torch.nn.LSTM.forward, torch.nn.GRU.forward = recurrent("lstm"), recurrent("gru")
    try:
        yield
    finally:
        for module in fused:
            del module.forward
        del torch.Tensor.__getitem__
        if torch.Tensor.__getitem__ is not subscript:
            torch.Tensor.__getitem__ = subscript
        del torch.autograd.Function.apply
        if own:
            torch.autograd.Function.apply = own
        torch.nn.LSTM.forward, torch.nn.GRU.forward = lstm, gru
