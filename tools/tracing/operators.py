"""What each built-in function of PyTorch is called in the model language.

A handler runs the function, records the step and returns the result. Arguments equal to the
language's defaults are left out.
"""

import contextlib
import re

import torch

from . import products

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


# -- layers --


def convolution(recorder, func, args, kwargs):
    name = func.__name__
    transposed = "transpose" in name
    order = "input weight bias stride padding "
    order += "output_padding groups dilation" if transposed else "dilation groups"
    a = arguments(order, args, kwargs, bias=None, stride=1, padding=0, dilation=1, groups=1, output_padding=0)
    result = func(*args, **kwargs)
    weight, n = a["weight"], a["weight"].dim() - 2
    kernel = list(weight.shape[2:])
    if isinstance(a["padding"], str):
        dilation = [a["dilation"]] * n if isinstance(a["dilation"], int) else list(a["dilation"])
        whole = a["padding"] == "same"
        a["padding"] = [d * (k - 1) // 2 for d, k in zip(dilation, kernel)] if whole else 0
    said = {"out": result.shape[1]}
    said |= given(
        kernel=(one(kernel), 1), stride=(one(a["stride"]), 1), padding=(one(a["padding"]), 0),
        dilation=(one(a["dilation"]), 1), groups=(a["groups"], 1), output_padding=(one(a["output_padding"]), 0),
        transposed=(transposed, False),
    )  # fmt: skip
    weighted(recorder, "conv", a, result, said)
    return result


for _n in "123":
    HANDLERS[f"conv{_n}d"] = HANDLERS[f"conv_transpose{_n}d"] = convolution


def weighted(recorder, op, a, result, said):
    """A convolution or linear layer: its own weights, or tensors computed before it."""
    # A computed operand is introduced first: introducing one is a step of its own.
    if not recorder.own_weight(a["weight"]):
        said["weight"] = recorder.ref(a["weight"])
    bias = a["bias"]
    if bias is None:
        said["bias"] = False
    elif not recorder.own_weight(bias):
        said["offset"] = recorder.ref(bias)
        said["bias"] = False
    recorder.emit(op, [a["input"]], result, **said)


@handles("linear")
def linear(recorder, func, args, kwargs):
    a = arguments("input weight bias", args, kwargs, bias=None)
    result = func(*args, **kwargs)
    weighted(recorder, "linear", a, result, {"out": result.shape[-1]})
    return result


@handles("batch_norm")
def batch_norm(recorder, func, args, kwargs):
    if func.__module__ == "torch.nn.functional":
        with recorder:
            return recorder.enter(func)(*args, **kwargs)
    order = "input weight bias running_mean running_var training momentum eps cudnn_enabled"
    a = arguments(order, args, kwargs)
    result = func(*args, **kwargs)
    said = {}
    if a["weight"] is None:
        said["affine"] = False
    elif recorder.own_weight(a["weight"]):
        recorder.own_weight(a["bias"])
    else:
        said["weight"] = recorder.ref(a["weight"])
    if a["running_mean"] is None:
        said["track"] = False
    recorder.emit("batch_norm", [a["input"]], result, **said)
    return result


@handles("layer_norm")
def layer_norm(recorder, func, args, kwargs):
    if func.__module__ == "torch.nn.functional":
        with recorder:
            return recorder.enter(func)(*args, **kwargs)
    a = arguments("input shape weight bias eps", args, kwargs, weight=None, bias=None)
    result = func(*args, **kwargs)
    shape = a.get("normalized_shape", a.get("shape"))
    dimensions = len(shape) if isinstance(shape, (list, tuple, torch.Size)) else 1
    affine = a["weight"] is not None
    said = given(dimensions=(dimensions, 1), affine=(affine, True))
    if affine:
        own = [recorder.own_weight(a["weight"]), recorder.own_weight(a["bias"])]
        said |= given(bias=(own[1], True))
    recorder.emit("layer_norm", [a["input"]], result, **said)
    return result


@handles("group_norm", "instance_norm")
def group_norm(recorder, func, args, kwargs):
    if func.__module__ == "torch.nn.functional":
        with recorder:
            return recorder.enter(func)(*args, **kwargs)
    whole = func.__name__ == "group_norm"
    a = arguments("input groups weight bias" if whole else "input weight bias", args, kwargs, weight=None, bias=None)
    result = func(*args, **kwargs)
    groups = a.get("num_groups", a.get("groups")) if whole else a["input"].shape[1]
    affine = a["weight"] is not None
    if affine:
        recorder.own_weight(a["weight"])
        recorder.own_weight(a["bias"])
    recorder.emit("group_norm", [a["input"]], result, groups=groups, **given(affine=(affine, True)))
    return result


@handles("dropout", "dropout_", "feature_dropout", "feature_dropout_", "dropout1d", "dropout2d", "dropout3d")
def dropout(recorder, func, args, kwargs):
    a = arguments("input p training", args, kwargs, p=0.5, training=True)
    rate = a["p"]
    if func.__module__ == "torch.nn.functional":
        inplace = a.get("inplace", args[3] if len(args) > 3 else False)
        a["training"] = a.get("training", True)
    else:
        inplace = func.__name__.endswith("_")
        a["training"] = a.get("train", a["training"])
    x = a["input"]
    if not a["training"] or rate <= 0:
        return x
    channels = "feature" in func.__name__ or func.__name__[-1] == "d"
    if channels:
        result = x * x.new_empty([*x.shape[:2], *([1] * (x.dim() - 2))])
    else:  # the fused kernel of GPUs keeps a mask of one byte per element; other devices do not have it
        result = torch.native_dropout(x, rate, True)[0]
    kind = {"kind": "maps"} if channels else {}
    recorder.emit("dropout", [x], result, probability=rate, **kind, **given(inplace=(bool(inplace), False)))
    return result


@handles("embedding")
def embedding(recorder, func, args, kwargs):
    if func.__module__ == "torch.nn.functional":
        with recorder:
            return recorder.enter(func)(*args, **kwargs)
    a = arguments("weight indices", args, kwargs)
    result = func(*args, **kwargs)
    indices = a.get("indices")
    if recorder.own_weight(a["weight"]):
        rows, columns = a["weight"].shape
        recorder.emit("embedding", [indices], result, rows=rows, columns=columns)
    else:
        recorder.emit("gather_rows", [a["weight"]], result, index=recorder.ref(indices))
    return result


# -- pooling --


def spatial(name):
    """max_pool2d -> 2."""
    return int(re.search(r"(\d)d", name)[1])


def pooling(recorder, func, args, kwargs):
    name = func.__name__
    order = "input kernel_size stride padding "
    order += "dilation ceil_mode return_indices" if "max" in name else "ceil_mode count_include_pad"
    a = arguments(order, args, kwargs, stride=None, padding=0, dilation=1, ceil_mode=False)
    result = func(*args, **kwargs)
    output = result[0] if isinstance(result, tuple) else result
    kernel = one(a["kernel_size"])
    stride = kernel if a["stride"] in (None, [], ()) else one(a["stride"])
    said = given(
        stride=(stride, kernel), padding=(one(a["padding"]), 0), dilation=(one(a["dilation"]), 1),
        ceil_mode=(bool(a["ceil_mode"]), False),
    )  # fmt: skip
    said |= given(dimensions=(spatial(name), a["input"].dim() - 2))
    recorder.emit("max_pool" if "max" in name else "average_pool", [a["input"]], output, kernel=kernel, **said)
    return result


for _n in "123":
    for _kind in ("max_pool{}d", "max_pool{}d_with_indices", "_max_pool{}d", "avg_pool{}d"):
        HANDLERS[_kind.format(_n)] = pooling


def adaptive_pooling(recorder, func, args, kwargs):
    a = arguments("input output_size return_indices", args, kwargs)
    largest = "max" in func.__name__
    n = spatial(func.__name__)
    sizes = a["output_size"]
    sizes = [sizes] * n if isinstance(sizes, int) else list(sizes)
    sizes = [a["input"].shape[-n + i] if s is None else s for i, s in enumerate(sizes)]
    if not largest and set(sizes) == {1}:
        result = _Mean.apply(a["input"], tuple(range(-n, 0)), True)
    else:
        result = func(*args, **kwargs)
    output = result[0] if isinstance(result, tuple) else result
    op = "adaptive_max_pool" if largest else "adaptive_average_pool"
    recorder.emit(op, [a["input"]], output, output=one(sizes))
    return result


for _n in "123":
    for _kind in ("adaptive_avg_pool{}d", "adaptive_max_pool{}d", "_adaptive_max_pool{}d"):
        HANDLERS[_kind.format(_n)] = adaptive_pooling


# -- pointwise --

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
        if isinstance(other, torch.Tensor) and recorder.tracked(other) and recorder.tracked(x):
            record_custom(recorder, "where", [x, other], [result], [mask])
            return result
        x = x if isinstance(x, torch.Tensor) and recorder.tracked(x) else other
    else:
        x, mask = args[:2]
    recorder.emit("mask_fill", [x], result, mask=recorder.ref(mask))
    return result


# -- reductions --


class _Mean(torch.autograd.Function):
    """x.mean(dims) as current PyTorch differentiates it: only the number of elements is kept."""

    @staticmethod
    def forward(ctx, x, dims, keep):
        return x.mean(dims, keepdim=keep)

    @staticmethod
    def backward(ctx, gradient):
        raise NotImplementedError


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
    result = _Mean.apply(x, tuple(dims), keep) if name == "mean" else func(*args, **kwargs)
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


# -- products --
products.register(handles, arguments)


@handles("scaled_dot_product_attention", "_scaled_dot_product_attention")
def attention(recorder, func, args, kwargs):
    a = arguments("query key value attn_mask dropout_p", args, kwargs, attn_mask=None, dropout_p=0.0)
    result = func(*args, **kwargs)
    output = result[0] if isinstance(result, tuple) else result
    said = {"key": recorder.ref(a["key"]), "value": recorder.ref(a["value"])}
    if a["attn_mask"] is not None:
        said["mask"] = recorder.ref(a["attn_mask"])
    recorder.emit("attention", [a["query"]], output, **said, **given(dropout=(float(a["dropout_p"]), 0.0)))
    return result


# -- what has no name --


def record_custom(recorder, name, inputs, outputs, packs):
    """An operator without a translation: which of its tensors autograd kept, and the sizes of new ones."""
    output = next(t for t in outputs if t.is_floating_point())
    storages = {t._storage()._cdata: t for t in inputs}
    unique = list({id(t): t for t in inputs}.values())
    said = {"of": [recorder.ref(t) for t in unique[1:]]}
    kept, fresh, result = [], [], False
    for pack in packs:
        storage = pack._storage()._cdata
        if storage in storages:
            kept.append(next(i for i, t in enumerate(unique) if t._storage()._cdata == storage))
        elif any(t._storage()._cdata == storage for t in outputs):
            result = True
        elif pack.dim() > 0:
            fresh.append(pack)
    if kept:
        said["keeps"] = sorted(set(kept))
    if result:
        said["keeps_result"] = True
    for i, pack in enumerate({t._storage()._cdata: t for t in fresh}.values()):
        if i == 0:
            said["keeps_new"] = list(pack.shape)
    if any(t._storage()._cdata == output._storage()._cdata for t in inputs):
        said["view"] = True
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
        if cls is _Mean or recorder.silent:
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
        if recorder.silent or not recorder.tracked(x):
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


from . import layout  # noqa: E402  (registers the views and copies)

layout.register(handles, arguments, given, one)
