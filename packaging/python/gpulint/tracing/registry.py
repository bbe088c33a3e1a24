"""The table of translations, and what their handlers share."""

HANDLERS = {}

# Results that hold no gradient of their inputs, or no tensor at all.
NOT_FOLLOWED = set(
    "new_empty new_zeros new_ones new_full new_tensor empty_like zeros_like ones_like rand_like randn_like "
    "zero_ fill_ copy_ full_like eq ne lt le gt ge argmax argmin argsort detach bernoulli_ normal_ uniform_ div_ size stride "
    "requires_grad_ isnan isinf any all __setitem__ _assert check_uniform".split()
)

_DUNDER = {
    "__radd__": "add", "__iadd__": "add_", "__rmul__": "mul", "__imul__": "mul_", "__isub__": "sub_",
    "__rsub__": "rsub", "__truediv__": "div", "__div__": "div", "__itruediv__": "div_", "__idiv__": "div_",
    "__rtruediv__": "rdiv", "__rdiv__": "rdiv", "__rmatmul__": "rmatmul", "__rpow__": "rpow",
}  # fmt: skip


def name_of(func):
    name = getattr(func, "__name__", str(func))
    if name in ("__get__", "__set__", "__delete__"):
        name = "." + getattr(getattr(func, "__self__", None), "__name__", "")
    if name in _DUNDER:
        return _DUNDER[name]
    bare = name.strip("_")
    if name.startswith("__") and name.endswith("__") and bare in HANDLERS:
        return bare
    return name


def handles(*names):
    def register(handler):
        for name in names:
            HANDLERS[name] = handler
        return handler

    return register


def arguments(names, args, kwargs, **defaults):
    values = dict(defaults)
    values.update(zip(names.split(), args))
    values.update(kwargs)
    return values


def one(values):
    """[2, 2] -> 2."""
    if isinstance(values, (list, tuple)):
        values = [int(v) for v in values]
        return values[0] if len(set(values)) == 1 else values
    return int(values)


def given(**args):
    """Without what equals the default: (value, default) pairs."""
    return {name: value for name, (value, default) in args.items() if value != default}


def changed_in_place(name, args, result):
    return name.endswith("_") or (bool(args) and result is args[0])


def is_kernel(frame):
    """PyTorch's own kernels in Python, which fake tensors run below the level that is recorded."""
    return frame.f_globals.get("__name__", "").startswith(
        ("torch._decomp", "torch._refs", "torch._prims", "torch._meta", "torch._subclasses")
    )
