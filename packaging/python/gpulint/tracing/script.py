"""What a training script puts around its operators: recomputed blocks and autocast.

Both are seen through while recording. The blocks that are recomputed stand in the file, and whether they are is a fact of
the run; the number format is one too, so that one recording serves all of them.
"""

import contextlib
import sys
import warnings

import torch
import torch.utils.checkpoint as checkpointing

from .registry import is_kernel

_FORMATS = {torch.float16: "fp16", torch.bfloat16: "bf16"}


@contextlib.contextmanager
def without_recomputation(note):
    """Checkpointed functions run as they are, each inside of `note()`."""

    class Plain:
        """In place of CheckpointFunction, which recomputes with an autograd function of its own."""

        @staticmethod
        def apply(function, preserve, *args):
            with note():
                return function(*args)

    def generator(function, *_, **__):
        with note():
            yield

    names = {"CheckpointFunction": Plain, "_checkpoint_without_reentrant_generator": generator,
             "_checkpoint_without_reentrant_generator_impl": generator}  # fmt: skip
    before = {name: getattr(checkpointing, name) for name in names if hasattr(checkpointing, name)}
    for name in before:
        setattr(checkpointing, name, names[name])
    try:
        yield
    finally:
        for name, own in before.items():
            setattr(checkpointing, name, own)


@contextlib.contextmanager
def without_autocast(note):
    """Autocast changes nothing inside; `note(format)` hears of each that a script enters."""
    kind = torch.amp.autocast_mode.autocast
    before = {name: getattr(kind, name) for name in ("__init__", "__enter__", "__exit__")}

    def made(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # no GPU here, so it says it does nothing
            before["__init__"](self, device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)
        self.asked_for = (dtype or torch.get_autocast_gpu_dtype()) if enabled else None

    def entered(self):
        note(_FORMATS.get(self.asked_for))
        return self

    kind.__init__, kind.__enter__, kind.__exit__ = made, entered, lambda self, *_: False
    try:
        yield
    finally:
        for name, own in before.items():
            setattr(kind, name, own)


@contextlib.contextmanager
def seen_through(recorder):
    def block():
        recorder.seen.add("checkpoint")
        return recorder.recomputed()

    def number_format(name):
        if name:
            recorder.seen.add("autocast:" + name)

    with without_recomputation(block), without_autocast(number_format):
        yield


_FEW = 64


@contextlib.contextmanager
def known_ranges():
    """Short ranges keep their numbers: losses count axes with them (`torch.arange(2, x.dim()).tolist()`)."""
    from torch._subclasses.fake_tensor import unset_fake_temporarily

    own = torch.arange

    def arange(*numbers, **options):
        plain = all(isinstance(n, int) for n in numbers) and not set(options) - {"dtype", "device"}
        place = torch.device(options["device"]).type if options.get("device") is not None else "cpu"
        if plain and not is_kernel(sys._getframe(1)) and numbers and place == "cpu" and len(range(*numbers)) <= _FEW:
            with unset_fake_temporarily():
                return torch.tensor(list(range(*numbers)), dtype=options.get("dtype") or torch.int64)
        return own(*numbers, **options)

    torch.arange = arange
    try:
        yield
    finally:
        torch.arange = own


@contextlib.contextmanager
def undecided(note):
    """A question about values that carry no gradient (is any of them not a number? is the mask all ones?) is answered
    with no: it guards what a usual step does not do. `note(tensor)` hears of each."""
    own = torch.Tensor.__bool__

    def answer(tensor):
        if tensor.dtype != torch.bool or tensor.requires_grad or is_kernel(sys._getframe(1)):
            return own(tensor)
        try:
            return own(tensor)
        except Exception as error:  # of fake and of meta tensors, each release its own
            if (
                not isinstance(error, (RuntimeError, NotImplementedError))
                and "DataDependent" not in type(error).__name__
            ):
                raise
            note(tensor)
            return False

    torch.Tensor.__bool__ = answer
    try:
        yield
    finally:
        del torch.Tensor.__bool__
        if torch.Tensor.__bool__ is not own:
            torch.Tensor.__bool__ = own
