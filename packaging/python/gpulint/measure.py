"""What one training step really keeps, measured on fake tensors: saved bytes and the peaks of forward and backward.

Saved tensors are counted by storage, as autograd packs them; weights, buffers and the batch are there before the step and
do not count. Peaks are live storages after every operator, so what a kernel allocates and frees inside itself is not seen.
"""

import contextlib
from dataclasses import dataclass

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from .tracing.recorder import tensors_in
from .tracing.storage import storage_of, untyped


@dataclass
class Measured:
    """Bytes above what is there before the step."""

    saved: int
    forward_peak: int
    backward_peak: int


class _Live(TorchDispatchMode):
    """Storages that operators made and that are still there."""

    def __init__(self, known, device):
        super().__init__()
        self.known, self.device = known, device.type
        self.alive, self.now, self.peak = {}, 0, 0

    def purge(self):
        for key, (storage, size) in list(self.alive.items()):
            if storage.expired():
                del self.alive[key]
                self.now -= size

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in tensors_in(result):
            storage = untyped(tensor)
            key = storage._cdata
            if key in self.alive and self.alive[key][0].expired():  # another storage at the same place
                self.now -= self.alive.pop(key)[1]
            if key in self.known or key in self.alive or tensor.device.type != self.device:
                continue
            self.alive[key] = (StorageWeakRef(storage), storage.nbytes())
            self.now += storage.nbytes()
        if self.now > self.peak:
            self.purge()
            self.peak = max(self.peak, self.now)
        return result


@contextlib.contextmanager
def dropout_of_gpus():
    """The fused kernel of GPUs keeps a mask of one byte per element, where the CPU keeps its noise as numbers."""
    before = torch.dropout

    def fused(x, p, train):
        return torch.native_dropout(x, p, True)[0] if train and p > 0 else x

    torch.dropout = fused
    functional = torch.nn.functional._VF
    own = functional.__dict__.get("dropout")
    functional.dropout = fused
    try:
        yield
    finally:
        torch.dropout = before
        if own is None:
            vars(functional).pop("dropout", None)
        else:
            functional.dropout = own


class _Fused(torch.autograd.Function):
    """What the fused kernels of GPUs keep of attention: its operands, its result and a number per row."""

    @staticmethod
    def forward(ctx, query, key, value, mask):
        *batch, heads, rows, _ = query.shape
        result = query.new_empty([*batch, rows, heads, value.shape[-1]]).transpose(-3, -2)
        sums = query.new_empty([*batch, heads, rows], dtype=torch.float32)
        ctx.save_for_backward(query, key, value, result, sums, *([] if mask is None else [mask]))
        return result

    @staticmethod
    def backward(ctx, gradient):
        query, key, value = ctx.saved_tensors[:3]
        return torch.empty_like(query), torch.empty_like(key), torch.empty_like(value), None


@contextlib.contextmanager
def attention_of_gpus():
    functional = torch.nn.functional
    own = functional.scaled_dot_product_attention

    def fused(query, key, value, attn_mask=None, *args, **kwargs):
        if query.dim() < 3:
            return own(query, key, value, attn_mask, *args, **kwargs)
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_mask = torch.empty(attn_mask.shape, dtype=query.dtype, device=query.device)
        if query.dim() == 3:
            operands = [t.unsqueeze(1) for t in (query, key, value)]
            return _Fused.apply(*operands, attn_mask).squeeze(1)
        return _Fused.apply(query, key, value, attn_mask)

    functional.scaled_dot_product_attention = fused
    try:
        yield
    finally:
        functional.scaled_dot_product_attention = own


def step_memory(model, inputs, call, device):
    """Runs `call()` and its backward pass; `inputs`: the tensors of the batch. Call it inside of the fake mode."""
    known = {storage_of(t): t for t in (*model.parameters(), *model.buffers(), *inputs)}
    for parameter in model.parameters():
        parameter.grad = None
    packs = []
    live = _Live(set(known), device)

    def pack(tensor):
        packs.append(tensor)
        return tensor

    with live, dropout_of_gpus(), attention_of_gpus():
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            result = call()
        found = {}
        for tensor in packs:
            if (
                storage_of(tensor) not in known
                and tensor.device.type == device.type
                and tensor.dim() + untyped(tensor).nbytes() > 8
            ):
                found[storage_of(tensor)] = untyped(tensor).nbytes()
        packs.clear()
        live.purge()
        forward, live.peak = live.peak, live.now
        loss = result if result.dim() == 0 else result.sum()
        loss.backward()
    measured = Measured(sum(found.values()), forward, live.peak)
    for parameter in model.parameters():
        parameter.grad = None
    return measured
