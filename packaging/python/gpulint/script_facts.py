"""What a step says of its run beside its operators, in the words of `gpulint list facts`."""

import inspect

import torch

_HALVES = {torch.float16: "fp16", torch.bfloat16: "bf16"}
_SIMPLE = (bool, int, float, str)
_MOST_ARGUMENTS = 32


def optimizer_facts(optimizer):
    """Of an optimizer, or of what configure_optimizers returns."""
    while isinstance(optimizer, (list, tuple)) and optimizer:
        optimizer = optimizer[0]
    if isinstance(optimizer, dict):
        optimizer = optimizer.get("optimizer")
    if isinstance(optimizer, str):
        return {"optimizer": optimizer}
    if optimizer is None or not hasattr(optimizer, "param_groups"):
        return {}
    facts = {"optimizer": type(optimizer).__name__.lower()}
    group = optimizer.param_groups[0]
    if isinstance(group.get("momentum"), float):
        facts["momentum"] = group["momentum"]
    if group.get("fused"):
        facts["fused_optimizer"] = True
    return facts


def of(model, trace, optimizer=None, precision=None):
    """Facts by name; what the step does not say is left out."""
    facts = {}
    formats = {p.dtype for p in model.parameters() if p.is_floating_point()}
    if len(formats) == 1 and (half := _HALVES.get(next(iter(formats)))):
        facts["weights_dtype"] = half
    mixed = precision or next(
        (word.partition(":")[2] for word in sorted(trace.seen) if word.startswith("autocast:")), None
    )
    if mixed:
        facts["mixed_precision"] = mixed
    facts["activation_checkpointing"] = "full" if "checkpoint" in trace.seen else "none"
    if "attention" in trace.seen:
        facts["attention_backend"] = "sdpa"
    return {**facts, **optimizer_facts(optimizer)}


def arguments_of(model):
    """What the model was made with, as far as it keeps it: arguments of its class that are attributes, or in `hparams`."""
    kept = getattr(model, "hparams", None)
    kept = dict(kept) if hasattr(kept, "keys") else {}
    found = {}
    try:
        names = list(inspect.signature(type(model).__init__).parameters)[1:]
    except (TypeError, ValueError):
        return {}
    for name in names[:_MOST_ARGUMENTS]:
        value = kept.get(name, vars(model).get(name))
        if isinstance(value, _SIMPLE) or is_plain_list(value):
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def is_plain_list(value):
    return (
        isinstance(value, (list, tuple)) and 0 < len(value) <= 16 and all(isinstance(item, _SIMPLE) for item in value)
    )
