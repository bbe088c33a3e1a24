"""Layers with weights, dropout, pooling and attention."""

import re

import torch

from .registry import HANDLERS, arguments, given, handles, one


class Mean(torch.autograd.Function):
    """x.mean(dims) as current PyTorch differentiates it: only the number of elements is kept."""

    @staticmethod
    def forward(ctx, x, dims, keep):
        return x.mean(dims, keepdim=keep)

    @staticmethod
    def backward(ctx, gradient):
        raise NotImplementedError


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
    affine = a["weight"] is not None
    if affine:
        recorder.own_weight(a["weight"])
        recorder.own_weight(a["bias"])
    said = given(affine=(affine, True))
    if whole:
        said["groups"] = a.get("num_groups", a.get("groups"))
    recorder.emit("group_norm" if whole else "instance_norm", [a["input"]], result, **said)
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
        result = Mean.apply(a["input"], tuple(range(-n, 0)), True)
    else:
        result = func(*args, **kwargs)
    output = result[0] if isinstance(result, tuple) else result
    op = "adaptive_max_pool" if largest else "adaptive_average_pool"
    recorder.emit(op, [a["input"]], output, output=one(sizes))
    return result


for _n in "123":
    for _kind in ("adaptive_avg_pool{}d", "adaptive_max_pool{}d", "_adaptive_max_pool{}d"):
        HANDLERS[_kind.format(_n)] = adaptive_pooling


@handles("scaled_dot_product_attention", "_scaled_dot_product_attention")
def attention(recorder, func, args, kwargs):
    a = arguments("query key value attn_mask dropout_p", args, kwargs, attn_mask=None, dropout_p=0.0)
    result = func(*args, **kwargs)
    output = result[0] if isinstance(result, tuple) else result
    said = {"key": recorder.ref(a["key"]), "value": recorder.ref(a["value"])}
    recorder.seen.add("attention")
    if a["attn_mask"] is not None:
        said["mask"] = kept_mask(recorder, a["query"], a["attn_mask"])
    recorder.emit("attention", [a["query"]], output, **said, **given(dropout=(float(a["dropout_p"]), 0.0)))
    return result


def kept_mask(recorder, query, mask):
    """Fused kernels add a mask as numbers and keep it for the backward pass; one of booleans is written as numbers first."""
    kept = {"keeps_result": True} if mask.dtype == torch.bool else {"keeps": [1]}
    sizes = list(mask.shape)
    return recorder.emit("custom", [query], torch.empty(0), name="attention_mask", of=[recorder.ref(mask)], sizes=sizes, **kept)
