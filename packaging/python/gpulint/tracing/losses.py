"""Losses that the model language has operators for; the others keep what autograd kept of them."""

from .custom import record_custom
from .registry import arguments, given, handles


def entered(recorder, func, args, kwargs):
    """The function of torch.nn.functional run with what it calls seen; None for the built-in one below it."""
    if getattr(func, "__module__", None) != "torch.nn.functional":
        return None
    with recorder:
        return recorder.enter(func)(*args, **kwargs)


@handles("cross_entropy_loss")
def cross_entropy(recorder, func, args, kwargs):
    a = arguments("input target weight reduction ignore_index label_smoothing", args, kwargs, label_smoothing=0.0)
    first = len(recorder.saved.packs)
    result = func(*args, **kwargs)
    scores, target = a["input"], a["target"]
    if scores.dim() not in (2, 4) or target.is_floating_point():  # the operator reads rows or maps, with class numbers
        record_custom(recorder, "cross_entropy", [scores], [result], recorder.saved.packs[first:])
        return result
    said = given(label_smoothing=(float(a["label_smoothing"]), 0.0), dropped=(not recorder.keeps_output, False))
    recorder.emit("cross_entropy", [scores], result, **said)
    return result


def with_target(op, **said):
    def handler(recorder, func, args, kwargs):
        inside = entered(recorder, func, args, kwargs)
        if inside is not None:
            return inside
        a = arguments("input target", args, kwargs)
        result = func(*args, **kwargs)
        x, target = a["input"], a["target"]
        if result.dim() > 0 or not recorder.tracked(x) or not recorder.keeps_output:
            record_custom(
                recorder, op, [t for t in (x, target) if recorder.tracked(t)], [result], [x, target], fp32=True
            )
            return result
        recorder.emit(op, [x], result, target=recorder.ref(target), **said)
        return result

    return handler


handles("mse_loss")(with_target("mean_squared_error"))
handles("binary_cross_entropy")(with_target("binary_cross_entropy"))
handles("binary_cross_entropy_with_logits")(with_target("binary_cross_entropy", logits=True))
