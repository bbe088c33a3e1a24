"""From traces to the text of a model file."""

from . import fold, write
from .generalise import Varies, generalise, number
from .steps import Expr

# What may stand between the classifier and the loss.
_AFTER_CLASSIFIER = {"reshape", "flatten", "squeeze", "mean", "adaptive_average_pool", "select", "add", "scale",
                     "cast", "cross_entropy", "softmax", "permute", "contiguous"}  # fmt: skip


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


def of_names(traces, settings, names):
    """Traces and settings that differ in the batch and in `names` alone."""
    first = settings[0]
    kept = [
        i for i, each in enumerate(settings) if all(each[k] == first[k] for k in first if k not in (*names, "batch"))
    ]
    return [traces[i] for i in kept], [settings[i] for i in kept]


def best_steps(traces, settings):
    """Steps general in as many sizes as possible: (steps, names of these sizes)."""
    names = [name for name in settings[0] if name != "batch"]
    varied = [name for name in names if any(each[name] != settings[0][name] for each in settings)]
    for chosen in ([varied] if varied else []) + ([[name] for name in varied] if len(varied) > 1 else []):
        try:
            return generalise(*of_names(traces, settings, chosen), chosen), chosen
        except Varies:
            pass
    return generalise(traces[:2], settings[:2], []), []


def input_sizes(traces, settings, names):
    """Sizes of the inputs as expressions."""
    result = {}
    for key in traces[0].inputs:
        shapes = [trace.inputs[key][1] for trace in traces]
        result[key] = [number(list(values), settings, names) for values in zip(*shapes)]
    return result


def integer_name(name):
    """The language knows tensors of whole numbers by their names."""
    return name if name == "tokens" or name.endswith("_ids") else name + "_ids"


def inputs_of(trace, sizes, read, entry):
    """The inputs that the program reads, and at least its first one."""
    found = {}
    for name, (number_of, _, whole) in trace.inputs.items():
        if number_of in read or number_of == entry:
            found[integer_name(name) if whole else name] = sizes[name]
    return found


def build(traces, settings, classes, comment, operators, loss="cross_entropy"):
    """(the text of a model file without its names, counts and sources; names of the sizes that may change)."""
    first = traces[0]
    steps, names = best_steps(traces, settings)
    kept, at = of_names(traces, settings, names)
    steps = fold.living(steps, first.output)
    dimensions = {name: size for name, size in settings[0].items() if name != "batch"}
    inputs = input_sizes(kept, at, names)
    head = mark_classes(steps, first.output, classes) if classes else None
    # Parameters of steps nothing reads stay part of the model.
    alive = {step.output for step in steps}
    idle = [(sizes, False) for sizes in first.unused] + [(sizes, True) for sizes in first.frozen]
    for step in first.steps:
        if step.output not in alive:
            idle += [(sizes, step.frozen) for sizes in idle_parameters(step, first)]
    read = {int(use) for step in steps for use in step.uses()}
    entry = next((number_of for number_of, _, _ in first.inputs.values() if number_of in read), None)
    if entry is None:
        entry = next(iter(first.inputs.values()))[0]
    inputs = inputs_of(first, inputs, read, entry)
    named = [name for name, _ in sorted(((n, i) for n, (i, _, _) in first.inputs.items()), key=lambda pair: pair[1])]
    entry_key = next(name for name in named if first.inputs[name][0] == entry)
    entry_name = integer_name(entry_key) if first.inputs[entry_key][2] else entry_key
    inputs = {entry_name: inputs[entry_name], **inputs}
    if "image_size" in dimensions:
        for key, sizes in inputs.items():
            if len(sizes) == 4 and isinstance(sizes[1], int) and key == entry_name:
                dimensions["channels"] = sizes[1]
                inputs[key] = [sizes[0], Expr("channels"), *sizes[2:]]
    if head is not None:
        dimensions["classes"] = classes
    names_of_inputs = {i: integer_name(n) if whole else n for n, (i, _, whole) in first.inputs.items()}
    folder = fold.Folder(steps, first.calls, first.output, names_of_inputs)
    body, definitions = folder.fold(entry, entry_name)
    ending = [{loss: None}] if loss != "none" else []
    text = write.model_file(body, definitions, dimensions, inputs, ending, idle, comment, operators,
                            "stated" if folder.checkpointed else "layers")  # fmt: skip
    return text, names


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
