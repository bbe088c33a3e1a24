"""The files a recording came from, and what tells that they changed."""

import os
import sys

from .problems import is_own

MOST_FILES = 64
_OFFSET, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def fingerprint(data):
    """FNV-1a of bytes, 64 bits in hexadecimal, with line ends as Unix writes them: the program computes the same."""
    value = _OFFSET
    for byte in data.replace(b"\r\n", b"\n"):
        value = ((value ^ byte) * _PRIME) & _MASK
    return f"{value:016x}"


def root_of(folder):
    """The project around a folder: the nearest with .gpulint/, .gpulint.yaml or .git, else the folder itself."""
    folder = os.path.realpath(folder)
    at = folder
    while True:
        if any(os.path.exists(os.path.join(at, name)) for name in (".gpulint", ".gpulint.yaml", ".git")):
            return at
        above = os.path.dirname(at)
        if above == at:
            return folder
        at = above


def file_of(owner):
    """The file a class or function is written in; None for what has none."""
    module = sys.modules.get(getattr(owner, "__module__", None) or "")
    code = getattr(owner, "__code__", None)
    path = code.co_filename if code is not None else getattr(module, "__file__", None)
    return path if path and path.endswith(".py") else None


def files_of(model, root, further=()):
    """{path below `root`: fingerprint} of the project's files that the modules of `model` and `further` came from."""
    owners = [kind for module in model.modules() for kind in type(module).__mro__] + [
        o for o in further if o is not None
    ]
    paths = {os.path.realpath(path) for path in map(file_of, owners) if path}
    inside = sorted(p for p in paths if is_own(p) and p.startswith(root + os.sep))
    found = {}
    for path in inside[:MOST_FILES]:
        with open(path, "rb") as file:
            found[os.path.relpath(path, root).replace(os.sep, "/")] = fingerprint(file.read())
    return found


def libraries_of(model):
    """{package: version} of the libraries that the modules of `model` came from, PyTorch's first."""
    from importlib import metadata

    import torch

    found = {"torch": torch.__version__.split("+")[0]}
    for module in model.modules():
        for kind in type(module).__mro__:
            package = kind.__module__.partition(".")[0]
            if package in found or package in ("torch", "builtins", "gpulint", "__main__"):
                continue
            path = file_of(kind)
            if path and not is_own(path):
                try:
                    found[package] = metadata.version(package)
                except metadata.PackageNotFoundError:
                    continue
    return found
