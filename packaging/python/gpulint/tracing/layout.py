"""Views, reshapes and copies that keep nothing."""

import torch


def register(handles, arguments, given, one):
    def flat(args):
        """view(2, 3) and view((2, 3)) alike."""
        if len(args) == 1 and isinstance(args[0], (list, tuple, torch.Size)):
            return list(args[0])
        return list(args)

    def order_step(recorder, x, result, order):
        if list(order) == sorted(order):
            recorder.alias(result, x)
        else:
            recorder.emit("permute", [x], result, order=list(order))

    @handles("view", "reshape", "view_as", "reshape_as", "unflatten", "_unsafe_view")
    def reshape(recorder, func, args, kwargs):
        result = func(*args, **kwargs)
        x = args[0]
        if result.dtype != x.dtype:
            return result
        sizes = list(result.shape)
        wanted = flat(args[1:]) if func.__name__ in ("view", "reshape") else []
        if wanted and all(isinstance(n, int) for n in wanted):
            sizes = wanted  # with the -1 the program wrote
        if list(result.shape) == list(x.shape):
            recorder.alias(result, x)
        else:
            recorder.emit("reshape", [x], result, sizes=sizes)
        return result

    @handles("flatten")
    def flatten(recorder, func, args, kwargs):
        a = arguments("input start_dim end_dim", args, kwargs, start_dim=0, end_dim=-1)
        result = func(*args, **kwargs)
        if result is a["input"]:
            return result
        said = given(**{"from": (a["start_dim"], 1), "to": (a["end_dim"], -1)})
        recorder.emit("flatten", [a["input"]], result, **said)
        return result

    @handles("permute", "transpose", "swapaxes", "swapdims", "t", ".T", ".mT", "movedim", "moveaxis", "transpose_")
    def permute(recorder, func, args, kwargs):
        result = func(*args, **kwargs)
        x = args[0]
        # Which dimension came from where, read off a tensor whose sizes are all different.
        marked = torch.empty([i + 2 for i in range(x.dim())])
        moved = func(marked, *args[1:], **kwargs)
        order_step(recorder, x, result, [n - 2 for n in moved.shape])
        return result

    @handles("unsqueeze", "unsqueeze_")
    def unsqueeze(recorder, func, args, kwargs):
        result = func(*args, **kwargs)
        dim = args[1] if len(args) > 1 else kwargs["dim"]
        recorder.emit("unsqueeze", [args[0]], result, dimension=dim)
        return result

    @handles("squeeze")
    def squeeze(recorder, func, args, kwargs):
        result = func(*args, **kwargs)
        x = args[0]
        dim = args[1] if len(args) > 1 else kwargs.get("dim")
        gone = [d for d in range(x.dim()) if x.shape[d] == 1] if dim is None else [dim % x.dim()]
        gone = [d for d in gone if x.shape[d] == 1]
        if not gone:
            recorder.alias(result, x)
        for count, d in enumerate(gone):
            last = count == len(gone) - 1
            step = result if last else torch.empty(0)
            recorder.emit("squeeze", [x], step, dimension=d - count)
            x = step
        return result

    @handles("expand", "expand_as", "broadcast_to")
    def expand(recorder, func, args, kwargs):
        result = func(*args, **kwargs)
        if list(result.shape) == list(args[0].shape):
            recorder.alias(result, args[0])
        else:
            recorder.emit("expand", [args[0]], result, sizes=list(result.shape))
        return result

    @handles("broadcast_tensors")
    def broadcast(recorder, func, args, kwargs):
        if getattr(func, "__module__", None) == "torch.functional":
            with recorder:
                return recorder.enter(func)(*args, **kwargs)
        tensors = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        shape = torch.broadcast_shapes(*(t.shape for t in tensors))
        with recorder:
            return tuple(t.expand(shape) for t in tensors)

    @handles("contiguous")
    def contiguous(recorder, func, args, kwargs):
        x = args[0]
        result = func(*args, **kwargs)
        # Convolutions hand the order of channels-last tensors on, which the language does not follow.
        last = x.dim() in (4, 5) and x.shape[1] > 1 and x.stride(1) == 1 and result is not x and not kwargs
        if last:
            recorder.emit("copy", [x], result, sizes=list(result.shape))
        else:
            recorder.emit("contiguous", [x], result)
        return result

    @handles(".dtype")
    def dtype(recorder, func, args, kwargs):
        recorder.dtype_of = args[0]
        return func(*args, **kwargs)

    @handles("to", "float", "half", "bfloat16", "type_as", "type", "double")
    def convert(recorder, func, args, kwargs):
        result = func(*args, **kwargs)
        if not isinstance(result, torch.Tensor) or not result.is_floating_point():
            return result
        x = args[0]
        like = next((t for t in args[1:] if isinstance(t, torch.Tensor)), None)
        asked = torch.float32 if func.__name__ == "float" else next(
            (v for v in [*args[1:], *kwargs.values()] if isinstance(v, torch.dtype)), None
        )
        if asked is not None and like is None and func.__name__ != "float":
            like = recorder.dtype_of  # `x.to(y.dtype)`: the dtype another tensor will have, whatever it is here
        if like is not None and (recorder.tracked(like) or like.requires_grad) and like is not x:
            recorder.emit("cast", [x], recorder.apart(result, x), like=recorder.ref(like))
            return recorder.last
        if asked == torch.float32 and (func.__name__ == "float" or recorder.dtype_of is None):
            recorder.emit("cast", [x], recorder.apart(result, x), kind="fp32")
            return recorder.last
        if result is not x:
            recorder.alias(result, x)
        return result

    def sizes_only(op):
        def handler(recorder, func, args, kwargs):
            result = func(*args, **kwargs)
            recorder.emit(op, [args[0] if args else kwargs["input"]], result, sizes=list(result.shape))
            return result

        return handler

    handles("clone", "flip", "repeat", "tile", "cumsum", "repeat_interleave", "pixel_shuffle", "pixel_unshuffle",
            "im2col", "col2im", "channel_shuffle", "rot90", "tril", "triu")(sizes_only("copy"))  # fmt: skip

    @handles("roll")
    def roll(recorder, func, args, kwargs):
        result = func(*args, **kwargs)
        recorder.emit("roll", [args[0]], result)
        return result

    @handles("pad", "constant_pad_nd", "reflection_pad2d", "replication_pad2d", "_pad")
    def pad(recorder, func, args, kwargs):
        result = func(*args, **kwargs)
        x = args[0]
        amount = [b - a for a, b in zip(x.shape, result.shape)]
        if not any(amount):
            recorder.emit("copy", [x], result, sizes=list(result.shape))
            return result
        mode = kwargs.get("mode", args[2] if len(args) > 2 else "constant")
        reads = func.__name__.startswith("re") or mode not in ("constant", "circular")
        recorder.emit("pad", [x], result, amount=amount, **given(keeps_input=(reads, False)))
        return result

    def upsample(recorder, func, args, kwargs):
        result = func(*args, **kwargs)
        x = args[0]
        before, after = list(x.shape[2:]), list(result.shape[2:])
        if all(b % a == 0 for a, b in zip(before, after)):
            said = {"factor": one([b // a for a, b in zip(before, after)])}
        else:
            said = {"output": one(after)}
        recorder.emit("upsample", [x], result, **said)
        return result

    for kind in ("nearest1d", "nearest2d", "nearest3d", "bilinear2d", "bicubic2d", "linear1d", "trilinear3d"):
        handles("upsample_" + kind, "_upsample_" + kind)(upsample)
    handles("_upsample_nearest_exact2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")(upsample)

    # -- parts of a tensor --

    def part(recorder, x, result, dimension, size):
        if size == x.shape[dimension]:
            recorder.alias(result, x)
        else:
            recorder.emit("slice", [x], result, size=size, **given(dimension=(dimension, 1)))

    @handles("chunk", "split", "split_with_sizes", "tensor_split", "unsafe_chunk", "unsafe_split")
    def split(recorder, func, args, kwargs):
        if isinstance(func, type(split)):  # the method written in Python
            with recorder:
                return recorder.enter(func)(*args, **kwargs)
        result = func(*args, **kwargs)
        dim = kwargs.get("dim", args[2] if len(args) > 2 else 0)
        for piece in result:
            part(recorder, args[0], piece, dim, piece.shape[dim])
        return result

    @handles("narrow")
    def narrow(recorder, func, args, kwargs):
        a = arguments("input dim start length", args, kwargs)
        result = func(*args, **kwargs)
        part(recorder, a["input"], result, a["dim"], result.shape[a["dim"]])
        return result

    @handles("unbind", "__iter__")
    def unbind(recorder, func, args, kwargs):
        if func.__name__ == "__iter__":
            with recorder:
                return iter(args[0].unbind(0))
        result = func(*args, **kwargs)
        dim = kwargs.get("dim", args[1] if len(args) > 1 else 0)
        for piece in result:
            recorder.emit("select", [args[0]], piece, **given(dimension=(dim, 1)))
        return result

    @handles("select")
    def select(recorder, func, args, kwargs):
        a = arguments("input dim index", args, kwargs)
        result = func(*args, **kwargs)
        recorder.emit("select", [a["input"]], result, **given(dimension=(a["dim"], 1)))
        return result

    @handles("index_select", "gather", "take_along_dim")
    def gather(recorder, func, args, kwargs):
        a = arguments("input dim index", args, kwargs)
        result = func(*args, **kwargs)
        recorder.emit("custom", [a["input"]], result, name=func.__name__, sizes=list(result.shape),
                      of=[recorder.ref(a["index"])], keeps=[1])  # fmt: skip
        return result

    @handles("unfold")
    def unfold(recorder, func, args, kwargs):
        if getattr(func, "__module__", None) == "torch.nn.functional":
            with recorder:
                return recorder.enter(func)(*args, **kwargs)
        a = arguments("input dimension size step", args, kwargs)
        result = func(*args, **kwargs)
        recorder.emit("windows", [a["input"]], result, dimension=a["dimension"], size=a["size"], step=a["step"])
        return result

    @handles("cat", "concat", "concatenate", "stack", "hstack")
    def concatenate(recorder, func, args, kwargs):
        parts = list(args[0] if args else kwargs["tensors"])
        dim = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else 0))
        result = func(*args, **kwargs)
        if func.__name__ == "stack":
            wide = []
            for piece in parts:
                with recorder:
                    wide.append(piece.unsqueeze(dim))
            parts = wide
        # An empty vector fits any neighbour: what a cache of keys and values starts from.
        refs = [recorder.ref(t) for t in parts if t.dim() != 1 or t.numel() > 0] or [recorder.ref(parts[0])]
        recorder.emit("concatenate", [], result, of=refs, **given(dimension=(dim, 1)))
        return result

    @handles("getitem")
    def getitem(recorder, func, args, kwargs):
        x, index = args
        result = func(*args, **kwargs)
        index = list(index) if isinstance(index, tuple) else [index]
        if any(isinstance(i, (torch.Tensor, list)) for i in index):
            return gather_rows(recorder, x, index, result, func, args)
        taken = sum(i is not None and i is not Ellipsis for i in index)
        if Ellipsis in [i for i in index if not isinstance(i, torch.Tensor)]:
            at = index.index(Ellipsis)
            index[at : at + 1] = [slice(None)] * (x.dim() - taken)
        now, dim, steps = x, 0, []
        for i in index:
            if i is None:
                steps.append(("unsqueeze", {"dimension": dim}, lambda t, d=dim: t.unsqueeze(d)))
                dim += 1
            elif isinstance(i, slice):
                start, stop, step = i.indices(now.shape[dim])
                length = len(range(start, stop, step))
                if length != now.shape[dim]:
                    said = {"size": length, **given(dimension=(dim, 1), step=(step, 1))}
                    steps.append(("slice", said, None))
                dim += 1
            else:
                steps.append(("select", given(dimension=(dim, 1)), None))
            if i is not None and not isinstance(i, slice):
                now = now.select(dim, 0)
            elif i is None:
                now = now.unsqueeze(dim - 1)
        if not steps:
            recorder.alias(result, x)
        for number, (op, said, _) in enumerate(steps):
            output = result if number == len(steps) - 1 else torch.empty(0)
            recorder.emit(op, [x], output, **said)
            x = output
        return result

    def gather_rows(recorder, x, index, result, func, args):
        if len(index) == 1 and isinstance(index[0], torch.Tensor) and x.dim() == 2 and index[0].dtype == torch.int64:
            recorder.emit("gather_rows", [x], result, index=recorder.ref(index[0]))
            return result
        kept = [i for i in index if isinstance(i, torch.Tensor)]
        refs = [recorder.ref(t) for t in kept]
        said = {"of": refs, "keeps": list(range(1, len(refs) + 1))} if refs else {}
        recorder.emit("custom", [x], result, name="index", sizes=list(result.shape), **said)
        return result
