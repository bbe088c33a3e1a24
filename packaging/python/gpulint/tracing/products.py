"""Matrix products, and Einstein sums taken apart into them as PyTorch does."""

import torch


def transposed_pair(order):
    """The two dimensions a permutation swaps, or None."""
    moved = [i for i, d in enumerate(order) if i != d]
    return moved if len(moved) == 2 else None


def register(handles, arguments):
    def product(recorder, a, b, result):
        if b.dim() == 1:
            return False
        recorder.emit("matmul", [a], result, **{"with": recorder.ref(b)})
        return True

    @handles("matmul", "bmm", "mm", "rmatmul")
    def matmul(recorder, func, args, kwargs):
        result = func(*args, **kwargs)
        a, b = args[:2] if len(args) > 1 else (args[0], next(iter(kwargs.values())))
        if func.__name__ == "__rmatmul__":
            a, b = b, a
        if a.dim() < 2 or b.dim() < 2:
            return recorder.unknown(func, "matmul", args, kwargs, [t for t in (a, b) if recorder.tracked(t)])
        product(recorder, a, b, result)
        return result

    @handles("addmm", "baddbmm")
    def addmm(recorder, func, args, kwargs):
        a = arguments("input x y", args, kwargs)
        result = func(*args, **kwargs)
        between = torch.empty(result.shape, device=result.device)
        product(recorder, a["x"], a["y"], between)
        recorder.emit("add", [between], result, **{"with": recorder.ref(a["input"])})
        return result

    @handles("einsum")
    def einsum(recorder, func, args, kwargs):
        equation, operands = args[0], list(args[1:])
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = list(operands[0])
        equation = equation.replace(" ", "")
        if (
            len(operands) == 1
            and sorted(equation.split("->")[0]) == sorted(equation.split("->")[-1])
            and "." not in equation
        ):
            source, target = equation.split("->")
            with recorder:
                return operands[0].permute([source.index(c) for c in target])
        if len(operands) != 2 or "." in equation or "->" not in equation:
            return recorder.unknown(func, "einsum", args, kwargs, [t for t in operands if recorder.tracked(t)])
        sides, output = equation.split("->")
        left, right = sides.split(",")
        sizes = dict(zip(left + right, [*operands[0].shape, *operands[1].shape]))
        shared = [c for c in left if c in right]
        batch = [c for c in shared if c in output]
        summed = [c for c in shared if c not in output]
        rows = [c for c in left if c not in shared]
        columns = [c for c in right if c not in shared]

        def shape(*groups):
            sizes_of = [[sizes[c] for c in group] for group in groups]
            return [torch.Size(g).numel() for g in sizes_of]

        with recorder:
            x = operands[0].permute([left.index(c) for c in batch + rows + summed])
            y = operands[1].permute([right.index(c) for c in batch + summed + columns])
            x = x.reshape(shape(batch, rows, summed))
            y = y.reshape(shape(batch, summed, columns))
            z = torch.bmm(x, y).view([sizes[c] for c in batch + rows + columns])
            order = batch + rows + columns
            return z.permute([order.index(c) for c in output])
