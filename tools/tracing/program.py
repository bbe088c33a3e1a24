"""From traces to the text of a model file."""

from . import fold, write
from .generalise import Varies, generalise
from .steps import Expr

# What may stand between the classifier and the loss.
_AFTER_CLASSIFIER = {"reshape", "flatten", "squeeze", "mean", "adaptive_average_pool", "select", "add", "scale",
                     "cast"}  # fmt: skip


def mark_classes(steps, output, classes):
    """The last layer's width becomes the dimension `classes`; True when there is such a layer."""
    by_output = {step.output: step for step in steps}
    step = by_output.get(output)
    while step is not None:
        if step.op in ("linear", "conv") and step.args.get("out") == classes and "weight" not in step.args:
            step.args["out"] = Expr("classes")
            return step
        if step.op not in _AFTER_CLASSIFIER or not step.inputs:
            return None
        step = by_output.get(int(step.inputs[0]))
    return None


def best_steps(traces, settings, name):
    """Steps general in batch and size, or in batch alone: (steps, whether the size may change)."""
    if len(traces) > 2:
        try:
            return generalise(traces, settings, name), True
        except Varies:
            pass
    return generalise(traces[:2], settings[:2], name), False


def input_sizes(traces, settings, name):
    """Sizes of the inputs as expressions."""
    result = {}
    for key in traces[0].inputs:
        shapes = [trace.inputs[key][1] for trace in traces]
        sizes = []
        for values in zip(*shapes):
            if len(set(values)) == 1:
                sizes.append(values[0])
            elif len(values) > 1 and values[1] != values[0]:
                sizes.append(Expr("batch"))
            else:
                sizes.append(Expr(name))
        result[key] = sizes
    return result


def build(traces, settings, classes, comment, operators, size_name="image_size", loss="cross_entropy"):
    """The text of a model file without its names, counts and sources."""
    first = traces[0]
    steps, sized = best_steps(traces, settings, size_name)
    used = traces if sized else traces[:2]
    steps = fold.living(steps, first.output)
    inputs = input_sizes(used, settings, size_name)
    dimensions = {}
    size = settings[0][1]
    if not sized:
        inputs = {k: [Expr(size_name) if n == size and i > 0 else n for i, n in enumerate(v)] for k, v in inputs.items()}
    dimensions[size_name] = size
    if size_name == "image_size":
        for key, sizes in inputs.items():
            if len(sizes) == 4 and isinstance(sizes[1], int):
                dimensions["channels"] = sizes[1]
                inputs[key] = [sizes[0], Expr("channels"), *sizes[2:]]
    head = mark_classes(steps, first.output, classes) if classes else None
    if head is not None:
        dimensions["classes"] = classes
    entry_name, (entry, _, _) = next(iter(first.inputs.items()))
    # Parameters of steps nothing reads stay part of the model.
    alive = {step.output for step in steps}
    idle = list(first.unused)
    for step in first.steps:
        if step.output not in alive:
            idle += idle_parameters(step, first)
    folder = fold.Folder(steps, first.calls, first.output)
    body, definitions = folder.fold(entry, entry_name)
    ending = [{loss: None}] if loss != "none" else []
    text = write.model_file(body, definitions, dimensions, inputs, ending, idle, comment, operators)
    return text, sized


def idle_parameters(step, trace):
    """Weights of an operator whose result is thrown away."""
    args = step.args
    if step.op == "parameter":
        return [list(args["sizes"])]
    if step.op == "linear" and "weight" not in args:
        width = trace.sizes.get(int(step.inputs[0]), [0])[-1]
        return [[args["out"], width]] + ([[args["out"]]] if args.get("bias", True) else [])
    if step.op in ("batch_norm", "layer_norm") and args.get("affine", True):
        sizes = trace.sizes.get(int(step.inputs[0]), [0, 0])
        width = sizes[1] if step.op == "batch_norm" else sizes[-1]
        return [[width], [width]]
    return []
