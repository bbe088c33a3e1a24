"""What a training script does with a batch: the call whose result is the loss."""

import contextlib
import inspect
from collections.abc import Mapping

import torch

from .problems import Untraceable
from .tracing.recorder import first_tensor, tensors_in


def parameters_of(function):
    """(names a function takes, whether it takes any name)."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return set(), True
    named = {p.name for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return named, any(p.kind == p.VAR_KEYWORD for p in found)


def is_lightning(model):
    return any(kind.__name__ == "LightningModule" for kind in type(model).__mro__)


def is_metric(module):
    return any(
        kind.__name__ == "Metric" and kind.__module__.startswith("torchmetrics") for kind in type(module).__mro__
    )


@contextlib.contextmanager
def without_logging(model):
    """Lightning's log and the metrics of a step write down values, which a trace does not have."""
    quiet = [module for module in model.modules() if is_metric(module)]
    for module in quiet:
        module.forward = module.update = lambda *_, **__: None
        module.compute = lambda: 0.0
    names = ("log", "log_dict", "print", "toggle_optimizer", "untoggle_optimizer") if is_lightning(model) else ()
    for name in names:
        object.__setattr__(model, name, lambda *_, **__: None)
    try:
        yield
    finally:
        for module in quiet:
            for name in ("forward", "update", "compute"):
                vars(module).pop(name, None)
        for name in names:
            vars(model).pop(name, None)


def split(model, batch):
    """(arguments, keywords, targets) of a call of `model` with `batch`."""
    if isinstance(batch, Mapping):
        named, any_name = parameters_of(model.forward)
        taken = {key: value for key, value in batch.items() if key in named}
        if not taken and len(batch) == 1:
            return list(batch.values()), {}, []
        if not taken and not any_name:
            inputs = [value for value in batch.values() if isinstance(value, torch.Tensor)]
            return inputs[:1], {}, inputs[1:]  # in the order they are written
        if not taken:
            return [], dict(batch), []
        return [], taken, [value for key, value in batch.items() if key not in taken]
    if isinstance(batch, (list, tuple)):
        count = len(parameters_of(model.forward)[0]) if len(batch) > 2 else 1
        first = list(batch[: max(1, min(count, len(batch) - 1))])
        return first, {}, list(batch[len(first) :])
    return [batch], {}, []


def target_for(loss, output, targets):
    """What the loss compares with: of the batch, else made in the form that cross entropy or a distance wants."""
    if targets:
        return targets
    if "cross_entropy" in getattr(loss, "__name__", "") and "binary" not in getattr(loss, "__name__", ""):
        return [torch.zeros([output.shape[0], *output.shape[2:]], dtype=torch.int64, device=output.device)]
    return [torch.zeros_like(output)]


def loss_in(result):
    """The loss that a step returned: a number on its own, `.loss`, or `["loss"]`; None when it is none of them."""
    if isinstance(result, torch.Tensor):
        return result if result.numel() == 1 else None
    found = result.get("loss") if isinstance(result, Mapping) else getattr(result, "loss", None)
    return found if isinstance(found, torch.Tensor) else None


def caller(step=None, loss=None):
    """A function of model and batch that returns what the backward pass starts from."""

    def run(model, batch):
        if step is not None:
            result = step(model, batch)
        elif is_lightning(model) and loss is None:
            if not getattr(model, "automatic_optimization", True):
                raise Untraceable(f"{type(model).__name__}.training_step drives its optimizers itself; "
                                  "record with step=, a function of model and batch that returns one loss")  # fmt: skip
            result = model.training_step(batch, 0)
        else:
            arguments, keywords, targets = split(model, batch)
            result = model(*arguments, **keywords)
            if loss is not None:
                run.held = output = first_tensor(result)  # a training loop has the output in a variable
                return loss(output, *target_for(loss, output, targets))
        found = loss_in(result)
        if found is not None:
            return found
        if step is not None and next(tensors_in(result), None) is None:
            raise Untraceable("the step returns no tensor; return the loss")
        return first_tensor(result)

    run.keeps_output = step is None and loss is not None
    return run
