"""A model without memory: the same modules with fake weights.

Fake tensors (torch._subclasses) have sizes, a number format and a device, and no memory. Floating-point weights become
fp32: the number format of a step is what its config states, not a part of a recording.
"""

import contextlib
import copy
from dataclasses import dataclass

import torch

from .problems import Untraceable
from .tracing.recorder import tensors_in

HALVES = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Ground:
    """What the tensors of a recording lie on: the mode they live in and their device."""

    mode: object
    device: torch.device

    def inside(self):
        return self.mode


def ground():
    """Fake tensors of a GPU where there is one: a network then takes the way it takes there. Else of the CPU, since a
    script that looks for a GPU and finds none puts its tensors there."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    place = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
    return Ground(FakeTensorMode(allow_non_fake_inputs=True), place)


def number_format(tensor):
    return torch.float32 if tensor.dtype in HALVES or tensor.dtype == torch.float64 else tensor.dtype


def fake(tensor, device):
    """The same tensor without its memory; call it inside of the mode."""
    made = torch.empty_strided(tensor.size(), tensor.stride(), dtype=number_format(tensor), device=device)
    if isinstance(tensor, torch.nn.Parameter) or (tensor.is_leaf and tensor.requires_grad):
        return torch.nn.Parameter(made, requires_grad=tensor.requires_grad)
    return made


def unwrapped(model):
    """The module inside of DistributedDataParallel, DataParallel or torch.compile."""
    while True:
        inner = getattr(model, "_orig_mod", None)
        if inner is None and type(model).__name__ in ("DistributedDataParallel", "DataParallel"):
            inner = model.module
        if not isinstance(inner, torch.nn.Module):
            return model
        model = inner


def held(module):
    """Tensors a module holds as plain attributes, in lists and dictionaries too."""
    for name, value in vars(module).items():
        if name not in ("_parameters", "_buffers", "_modules"):
            yield from tensors_in(value)


def shadow(model, on):
    """A copy of `model` with fake weights on a Ground; `model` itself is not touched."""
    memo = {}
    with on.inside(), torch.no_grad():
        for module in model.modules():
            for tensor in (*module._parameters.values(), *module._buffers.values(), *held(module)):
                if isinstance(tensor, torch.Tensor) and id(tensor) not in memo:
                    memo[id(tensor)] = fake(tensor, on.device)
            trainer = vars(module).get("_trainer")
            if trainer is not None:  # Lightning's, which holds the whole run
                memo[id(trainer)] = None
        memo[0] = list(memo.values())  # alive as long as the copy is made
        try:
            return copy.deepcopy(model, memo).train(model.training)
        except Exception as error:
            raise Untraceable(f"{type(model).__name__} cannot be copied: {type(error).__name__}: {error}") from error


@contextlib.contextmanager
def building():
    """Modules built inside have weights without memory, where PyTorch and the module can."""
    with torch.device("meta"):
        yield
