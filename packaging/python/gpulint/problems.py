"""What cannot be recorded, said with the line of the user's code that does it."""

import os
import sysconfig
import traceback

_OURS = os.path.dirname(os.path.abspath(__file__))


class Untraceable(Exception):
    """The step cannot be recorded; the message says where and why."""


def _libraries():
    """Folders of what is installed rather than the user's own."""
    return tuple({os.path.realpath(sysconfig.get_path(kind)) for kind in ("purelib", "platlib", "stdlib")})


def is_own(path):
    """A file of the user's project, not of a library."""
    real = os.path.realpath(path)
    return os.path.isfile(real) and not real.startswith((*_libraries(), _OURS))


def place_of(error):
    """(file:line, its text) of the innermost line outside of PyTorch and this package; ("", "") when there is none."""
    return place_in(traceback.extract_tb(error.__traceback__))


def place_here():
    """The same for the line that runs now."""
    return place_in(traceback.extract_stack())


def place_in(frames):
    torch = os.sep + "torch" + os.sep
    outside = [f for f in frames if not f.filename.startswith((_OURS, "<")) and torch not in f.filename]
    own = [f for f in outside if is_own(f.filename)]
    # Of the user's project where it has a line in it, and where in a library that led.
    chosen = ([own[-1]] if own else []) + ([outside[-1]] if outside and (not own or outside[-1] != own[-1]) else [])
    if not chosen:
        return "", ""
    shown = [f"{relative(frame.filename)}:{frame.lineno}" for frame in chosen]
    return ", in ".join(shown), (chosen[0].line or "").strip()


def relative(path):
    """`path` from here where it lies below, else as it is."""
    near = os.path.relpath(path)
    return path if near.startswith("..") else near


def reason(error):
    """Why, in a line."""
    kind = type(error).__name__
    if kind in ("DataDependentOutputException", "DynamicOutputShapeException", "GuardOnDataDependentSymNode"):
        return "the step depends on the values of a tensor, which only a run knows"
    text = str(error).strip().splitlines()
    first = text[0] if text else ""
    if "item() cannot be called on meta" in first or "nonzero is not supported" in first:
        return "the step depends on the values of a tensor, which only a run knows"
    return f"{kind}: {first}" if first else kind


def untraceable(error):
    """The Untraceable that says where `error` came from."""
    if isinstance(error, Untraceable):
        return error
    where, line = place_of(error)
    message = f"{where}: {reason(error)}" if where else reason(error)
    return Untraceable(message + (f"\n    {line}" if line else ""))
