"""Elementwise functions and reductions."""

import torch

from .custom import record_custom
from .layers import Mean
from .registry import HANDLERS, arguments, given, handles, name_of


_ACTIVATIONS = {
    "relu": "relu", "hardtanh": "relu6", "relu6": "relu6", "leaky_relu": "leaky_relu", "elu": "elu", "selu": "elu",
    "celu": "elu", "gelu": "gelu", "silu": "silu", "mish": "mish", "hardswish": "hardswish",
    "hardsigmoid": "hardsigmoid", "softplus": "softplus", "sigmoid": "sigmoid", "tanh": "tanh", "exp": "exp",
    "sqrt": "sqrt", "rsqrt": "rsqrt", "log": "log", "abs": "absolute", "clamp": "clamp", "clamp_min": "clamp",
    "clamp_max": "clamp", "clip": "clamp", "reciprocal": "reciprocal", "erf": "erf", "sin": "sine", "cos": "sine",
    "square": "square",
}  # fmt: skip


def activation(recorder, func, args, kwargs):
    if getattr(func, "__module__", None) == "torch.nn.functional":
        with recorder:
            return recorder.enter(func)(*args, **kwargs)
    result = func(*args, **kwargs)
    name = name_of(func)
    inplace = name.endswith("_")
    kind = _ACTIVATIONS[name.strip("_")]
    x = args[0] if args else kwargs["input"]
    if kind == "square":
        recorder.emit("power", [x], result)
    else:
        recorder.emit("activation", [x], result, kind=kind, **given(inplace=(inplace, False)))
    return result


for _name in _ACTIVATIONS:
    HANDLERS[_name] = HANDLERS[_name + "_"] = activation


@handles("add", "add_", "sub", "sub_", "rsub", "mul", "mul_", "div", "div_", "rdiv", "multiply", "subtract", "divide",
         "true_divide")  # fmt: skip
def arithmetic(recorder, func, args, kwargs):
    name = name_of(func)
    x = args[0]
    y = args[1] if len(args) > 1 else kwargs.get("other")
    result = func(*args, **kwargs)
    if not isinstance(x, torch.Tensor):
        x, y = y, x
    if name.endswith("_") and not recorder.tracked(x):
        if not (isinstance(y, torch.Tensor) and recorder.tracked(y)):
            return result  # random masks and counters
    inplace = given(inplace=(name.endswith("_"), False))
    kind = {"a": "add", "s": "add", "r": "add", "m": "multiply", "t": "divide", "d": "divide"}[name[0]]
    if name == "rdiv":
        if not isinstance(y, torch.Tensor):
            recorder.emit("activation", [x], result, kind="reciprocal")
        else:
            recorder.emit("divide", [y], result, **{"with": recorder.ref(x)})
        return result
    if name == "divide":
        kind = "divide"
    if not isinstance(y, torch.Tensor) or (y.dim() == 0 and not recorder.tracked(y)):
        recorder.emit("scale", [x], result, **inplace)
        return result
    if kind != "divide" and not inplace and not recorder.tracked(x):
        x, y = y, x  # the operand with a history is the one a program carries along
    other = recorder.ref(y)
    recorder.emit(kind, [x], result, **{"with": other}, **inplace)
    return result


@handles("neg", "neg_")
def negative(recorder, func, args, kwargs):
    result = func(*args, **kwargs)
    recorder.emit("scale", [args[0]], result, **given(inplace=(func.__name__.endswith("__"), False)))
    return result


@handles("pow", "pow_", "float_power")
def power(recorder, func, args, kwargs):
    result = func(*args, **kwargs)
    recorder.emit("power", [args[0]], result)
    return result


@handles("softmax", "log_softmax", "_softmax")
def softmax(recorder, func, args, kwargs):
    if getattr(func, "__module__", None) == "torch.nn.functional":
        with recorder:
            return recorder.enter(func)(*args, **kwargs)
    result = func(*args, **kwargs)
    recorder.emit("softmax", [args[0]], result)
    return result


@handles("addcmul")
def addcmul(recorder, func, args, kwargs):
    a = arguments("input tensor1 tensor2", args, kwargs)
    result = func(*args, **kwargs)
    others = {"with": recorder.ref(a["tensor1"]), "plus": recorder.ref(a["input"])}
    recorder.emit("multiply_add", [a["tensor2"]], result, **others)
    return result


@handles("where", "masked_fill", "masked_fill_")
def masked(recorder, func, args, kwargs):
    result = func(*args, **kwargs)
    if func.__name__ == "where":
        mask, x, other = args
        both = isinstance(other, torch.Tensor) and isinstance(x, torch.Tensor)
        if both and recorder.tracked(other) and recorder.tracked(x):
            record_custom(recorder, "where", [x, other], [result], [mask])
            return result
        x = x if isinstance(x, torch.Tensor) and recorder.tracked(x) else other
    else:
        x, mask = args[:2]
    recorder.emit("mask_fill", [x], result, mask=recorder.ref(mask))
    return result


# -- reductions --


@handles("mean", "sum", "amax", "amin", "max", "min", "var", "std", "norm", "linalg_vector_norm", "prod", "std_mean",
         "var_mean")  # fmt: skip
def reduction(recorder, func, args, kwargs):
    name = func.__name__
    if getattr(func, "__module__", None) in ("torch.functional", "torch._tensor"):
        with recorder:
            return recorder.enter(func)(*args, **kwargs)
    order = "input ord dim keepdim" if "norm" in name else "input dim keepdim"
    if "std" in name or "var" in name:
        order = "input dim unbiased keepdim"
    x = args[0] if args else kwargs["input"]
    if len(args) > 1 and isinstance(args[1], torch.Tensor):
        return recorder.unknown(func, name, args, kwargs, [x])
    a = arguments(order, args, kwargs, dim=None, keepdim=False)
    dims = a["dim"]
    if isinstance(dims, bool):
        dims = None
    dims = [dims] if isinstance(dims, int) else list(range(x.dim())) if dims is None else list(dims)
    keep = bool(a["keepdim"])
    result = Mean.apply(x, tuple(dims), keep) if name == "mean" else func(*args, **kwargs)
    outputs = result if isinstance(result, tuple) else (result,)
    said = {"dimensions": dims, **given(keep=(keep, False))}
    if name == "mean":
        recorder.emit("mean", [x], result, **said)
    elif name.endswith("_mean"):
        recorder.emit("reduce", [x], outputs[0], kind=name.split("_")[0], **said)
        recorder.emit("mean", [x], outputs[1], **said)
    else:
        kind = {"linalg_vector_norm": "norm", "amin": "amax"}.get(name, name)
        if name in ("max", "min"):
            kind = "amax" if a["dim"] is None else "max"
        recorder.emit("reduce", [x], outputs[0], kind=kind, **said)
    return result
