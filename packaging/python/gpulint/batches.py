"""Batches of other sizes: which axes of a batch are its samples, the side of an image or the length of a sequence.

An axis is a number, or the name of a dimension with what divides it: the latents of an image of 512 pixels have the axis
`image_size/8`. Tensors are fake: they have sizes and no memory.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import torch

BATCH = "batch"
IMAGE = "image_size"
WIDTH = "image_width"
LENGTH = "sequence_length"
_FLOATS = (torch.float16, torch.bfloat16, torch.float64)
_LARGEST_CHANNELS = 16  # of an image: spectral ones have more, and say so with --batch


class Misstated(ValueError):
    """A batch that cannot be read."""


@dataclass(frozen=True)
class Axis:
    name: str
    divisor: int = 1

    def size(self, sizes):
        return sizes[self.name] // self.divisor

    def __str__(self):
        return self.name if self.divisor == 1 else f"{self.name}/{self.divisor}"


@dataclass
class Leaf:
    """One tensor of a batch."""

    name: str
    dtype: torch.dtype
    axes: list  # numbers and Axis

    def make(self, sizes, device):
        shape = [axis.size(sizes) if isinstance(axis, Axis) else axis for axis in self.axes]
        dtype = torch.float32 if self.dtype in _FLOATS else self.dtype  # the number format is a fact of the run
        return torch.empty(shape, dtype=dtype, device=device)

    def __str__(self):
        return f"{self.name}={','.join(map(str, self.axes))}" + (
            "" if self.dtype == torch.float32 else f":{word(self.dtype)}"
        )


def word(dtype):
    return str(dtype).replace("torch.", "")


def is_named_tuple(value):
    return isinstance(value, tuple) and hasattr(value, "_fields")


def mapped(value, change, name=""):
    """`value` with every tensor in it changed by `change(name, tensor)`."""
    if isinstance(value, (torch.Tensor, Leaf)):
        return change(name or "input", value)
    if isinstance(value, Mapping):
        return {key: mapped(inner, change, str(key)) for key, inner in value.items()}
    if is_named_tuple(value):
        return type(value)(*(mapped(v, change, field) for field, v in zip(value._fields, value)))
    if isinstance(value, (list, tuple)):
        return type(value)(
            mapped(v, change, f"{name or 'input'}_{i}" if len(value) > 1 else name) for i, v in enumerate(value)
        )
    return value


class Batch:
    """A batch whose sizes may change. `sizes`: what was recorded at; "batch" is always among them."""

    def __init__(self, structure, sizes):
        self.structure, self.sizes = structure, dict(sizes)

    def make(self, sizes, device):
        """(the batch, its tensors by name)."""
        named = {}

        def fill(_, leaf):
            named[leaf.name] = leaf.make(sizes, device)
            return named[leaf.name]

        return mapped(self.structure, fill), named

    def leaves(self):
        found = []
        mapped(self.structure, lambda _, leaf: found.append(leaf))
        return found

    def other_sizes(self):
        """Names of the sizes beside the batch, the first tensor's first."""
        return [name for name in self.sizes if name != BATCH]


# -- from tensors --


def spatial_axes(shape):
    """Positions of the axes of an image or volume: those behind the channels that are as long as the last."""
    if len(shape) not in (4, 5):
        return []
    return (
        [i for i in range(2, len(shape)) if shape[i] == shape[-1]]
        if shape[-2] == shape[-1]
        else [len(shape) - 2, len(shape) - 1]
    )


def sizes_of(tensors):
    """The sizes that tensors say they have, and the axes that were taken for them: (sizes, {name: {position: Axis}})."""
    if not tensors:
        raise Misstated("the batch holds no tensor")
    sizes, axes = {}, {name: {} for name in tensors}
    count = next((t.shape[0] for t in tensors.values() if t.dim() > 0), 1)
    sizes[BATCH] = count
    for name, tensor in tensors.items():
        if tensor.dim() > 0 and tensor.shape[0] == count:
            axes[name][0] = Axis(BATCH)
        shape = tuple(tensor.shape)
        if tensor.is_floating_point() and len(shape) in (4, 5) and shape[1] <= _LARGEST_CHANNELS and IMAGE not in sizes:
            positions = spatial_axes(shape)
            sizes[IMAGE] = shape[positions[0]]
            if shape[positions[-1]] != sizes[IMAGE]:
                sizes[WIDTH] = shape[positions[-1]]
            for position in positions:
                axes[name][position] = Axis(IMAGE if shape[position] == sizes[IMAGE] else WIDTH)
        elif (
            not tensor.is_floating_point()
            and len(shape) == 2
            and shape[1] > 1
            and LENGTH not in sizes
            and IMAGE not in sizes
        ):
            sizes[LENGTH] = shape[1]
            axes[name][1] = Axis(LENGTH)
    if IMAGE not in sizes and LENGTH not in sizes:
        for name, tensor in tensors.items():  # features of frames, or a waveform
            if tensor.is_floating_point() and tensor.dim() in (2, 3) and 0 in axes[name]:
                position = tensor.dim() - 1 if tensor.dim() == 2 or tensor.shape[1] <= _LARGEST_CHANNELS else 1
                if tensor.shape[position] >= 64 and tensor.dim() == 3:
                    sizes[LENGTH] = tensor.shape[position]
                    axes[name][position] = Axis(LENGTH)
                    break
    return sizes, axes


def follow(tensors, sizes, axes):
    """Axes of the other tensors that are as long as a size: masks, labels of every pixel or token."""
    for name, tensor in tensors.items():
        images = tensor.dim() >= 3 and IMAGE in sizes
        for position in range(1, tensor.dim()):
            if position in axes[name]:
                continue
            if images and tensor.shape[position] == sizes[IMAGE] and position >= tensor.dim() - 3:
                axes[name][position] = Axis(IMAGE)
            elif images and tensor.shape[position] == sizes.get(WIDTH) and position == tensor.dim() - 1:
                axes[name][position] = Axis(WIDTH)
            elif tensor.shape[position] == sizes.get(LENGTH) and (position == 1 or not tensor.is_floating_point()):
                axes[name][position] = Axis(LENGTH)


def of_tensors(batch):
    """The Batch that a real batch is one size of."""
    tensors = {}

    def collect(name, tensor):
        base, count = name, 1
        while name in tensors:
            count += 1
            name = f"{base}_{count}"
        tensors[name] = tensor
        return Leaf(name, tensor.dtype, list(tensor.shape))

    structure = mapped(batch, collect)
    sizes, axes = sizes_of(tensors)
    follow(tensors, sizes, axes)

    def name_axes(_, leaf):
        leaf.axes = [axes[leaf.name].get(i, n) for i, n in enumerate(leaf.axes)]
        return leaf

    return Batch(mapped(structure, name_axes), sizes)


# -- from words --

_AXIS = re.compile(r"^(?:([A-Za-z_]\w*)(?:/(\d+))?=)?(\d+)$")


def axis_of(text, sizes):
    """ "224" or "image_size=224" or "image_size/8=64"."""
    found = _AXIS.match(text.strip())
    if not found:
        raise Misstated(f'"{text}" is not an axis; write a number, or image_size=224, or image_size/8=64')
    name, divisor, size = found[1], int(found[2] or 1), int(found[3])
    if not name:
        return size
    whole = size * divisor
    if sizes.setdefault(name, whole) != whole:
        raise Misstated(f"{name} is {sizes[name]} and {whole}")
    return Axis(name, divisor)


def of_words(texts):
    """A Batch written as NAME=AXIS,AXIS,…[:DTYPE], the first axis being the samples."""
    sizes, leaves = {}, []
    for text in texts:
        name, equals, rest = text.partition("=")
        if not equals or not name.isidentifier():
            raise Misstated(f'--batch "{text}": write NAME=SIZES, as in image=8,3,224,224 or labels=8:int64')
        numbers, _, dtype = rest.partition(":")
        kind = getattr(torch, dtype, None) if dtype else torch.float32
        if not isinstance(kind, torch.dtype):
            raise Misstated(f'--batch "{text}": "{dtype}" is not a dtype of PyTorch, as float32 or int64')
        parts = numbers.split(",")
        axes = [axis_of(part, sizes) for part in parts]
        if not dtype and name in (
            "tokens",
            "input_ids",
            "labels",
            "attention_mask",
            "token_type_ids",
            "decoder_input_ids",
        ):
            kind = torch.int64
        leaves.append(Leaf(name, kind, axes))
    if any(isinstance(axis, Axis) for leaf in leaves for axis in leaf.axes[1:]):
        sizes[BATCH] = next((leaf.axes[0] for leaf in leaves if isinstance(leaf.axes[0], int)), sizes.get(BATCH, 1))
        for leaf in leaves:
            if leaf.axes and leaf.axes[0] == sizes[BATCH]:
                leaf.axes[0] = Axis(BATCH)
        return Batch({leaf.name: leaf for leaf in leaves}, sizes)
    tensors = {leaf.name: torch.empty(leaf.axes, dtype=leaf.dtype, device="meta") for leaf in leaves}
    return of_tensors(tensors)
