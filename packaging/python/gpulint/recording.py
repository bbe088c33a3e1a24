"""`gpulint.record`: one training step of a network, written down as `.gpulint/models/NAME.yaml`."""

import contextlib
import json
import logging
import os
import pathlib
import re
import sys
import types

import torch

from . import batches, check, fakes, measure, script_facts, sources, steps
from .binary import version
from .problems import Untraceable, is_own, place_here, untraceable
from .tracing import program, recorder, script, words
from .tracing.generalise import Varies

# Steps from the first size to the two further ones, until a network runs at both: images grow by what every stage halves,
# by patches of 14, by doubling; a table of positions lets sequences only shrink.
_GROWTH = (lambda n: (n + 64, n + 128, n + 192), lambda n: (2 * n, 3 * n, 4 * n), lambda n: (n + 32, n + 64, n + 96),
           lambda n: (n + 56, n + 112, n + 168), lambda n: (n - n // 4, n // 2, n // 4))  # fmt: skip
_BATCHES = (2, 3, 5)  # of the first trace, of the second, and of the check
_MOST_RECURSION = 20_000


class Recorder:
    """One step at many sizes. `model`: with weights or without; `batch`: a batches.Batch; `call`: of model and batch."""

    def __init__(self, model, batch, call):
        self.on = fakes.ground()
        self.original, self.batch, self.call = model, batch, call
        self.model = fakes.shadow(model, self.on)
        self.answered = {}  # line that asked about values -> its text

    def inputs(self, sizes):
        with self.on.inside():
            return self.batch.make(sizes, self.on.device)

    @contextlib.contextmanager
    def running(self):
        """Where a step runs that has no values."""
        with contextlib.ExitStack() as stack:
            for each in (self.on.inside(), torch.enable_grad(), steps.without_logging(self.model), script.known_ranges(),
                         script.undecided(self.asked)):  # fmt: skip
                stack.enter_context(each)
            yield

    def asked(self, _):
        where, line = place_here()
        self.answered.setdefault(where, line)

    def trace(self, sizes):
        made, named = self.inputs(sizes)
        with self.running():
            return recorder.trace(self.model, named, (), lambda: self.call(self.model, made), self.call.keeps_output)

    def measure(self, sizes):
        made, named = self.inputs(sizes)
        with self.running(), script.without_autocast(lambda _: None):
            return measure.step_memory(self.model, named.values(), lambda: self.call(self.model, made), self.on.device)


def runs(attempt):
    """(result, None) or (None, why not)."""
    try:
        return attempt(), None
    except Exception as error:  # of the network itself: many run at one size only
        return None, error


def further_sizes(work, first, name, wanted):
    """Traces at two further values of one size, with one more to check at: ([(sizes, trace)], size to check at or None)."""
    size = first[name]
    for values in ([tuple(wanted)] if wanted else [grow(size) for grow in _GROWTH]):
        if len(values) < 2 or min(values) < 1 or len(set(values)) < len(values):
            continue
        found = []
        for value in values[:2]:
            trace, why = runs(lambda value=value: work.trace({**first, name: value}))
            if why is not None:
                break
            found.append(({**first, name: value}, trace))
        if len(found) == 2:
            return found, (values[2] if len(values) > 2 else (values[0] + size) // 2)
    return [], None


def traced(work, wanted, say):
    """(traces, their sizes, sizes to check at)."""
    first = {**work.batch.sizes, "batch": _BATCHES[0]}
    settings, traces = [first, {**first, "batch": _BATCHES[1]}], []
    for each in settings:
        try:
            traces.append(work.trace(each))
        except recorder.Unsupported as error:
            raise Untraceable(str(error)) from error
        except Exception as error:
            raise untraceable(error) from error
    at = {**first, "batch": _BATCHES[2]}
    for name in work.batch.other_sizes():
        found, last = further_sizes(work, first, name, wanted.get(name))
        if not found:
            say(f"{name} {first[name]} only: the network runs at no other size that was tried")
        for sizes, trace in found:
            settings.append(sizes)
            traces.append(trace)
        at[name] = last or first[name]
    varied = [name for name in work.batch.other_sizes() if at[name] != first[name]]
    if len(varied) > 1:  # whether sizes multiply or add up
        both = {**first, **{name: at[name] for name in varied}}
        trace, _ = runs(lambda: work.trace(both))
        if trace is not None:
            settings.append(both)
            traces.append(trace)
            at["batch"] += 1
    return traces, settings, at


def classes_of(model):
    for name in ("num_classes", "num_labels", "n_classes"):
        found = getattr(model, name, getattr(getattr(model, "config", None), name, None))
        if isinstance(found, int):
            return found
    linear = [m for m in model.modules() if type(m).__name__ == "Linear"]
    return linear[-1].out_features if linear else 0


def file_name(text):
    return re.sub(r"[^a-z0-9.]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower()).strip("-.")


def quoted(value):
    return json.dumps(value, ensure_ascii=False)


def names_of(model, target):
    """What configs may call a network: the function that made it and its class, where the project itself wrote them."""
    kind = type(model)
    names = [target] if target else []
    if is_own(sources.file_of(kind) or ""):
        module = kind.__module__ if kind.__module__ != "__main__" else pathlib.Path(sources.file_of(kind)).stem
        names += [f"{module}.{kind.__qualname__}", kind.__qualname__]
    return list(dict.fromkeys(names))


def head_of(model, name, target, files, facts, arguments, command, libraries):
    """The lines that say what the recording is of."""
    names = names_of(model, target)
    names = [n for n in names if file_name(n) != name]
    lines = [f"names: [{', '.join(map(quoted, names))}]"] if names else []
    lines += ["recorded:", f"  command: {quoted(command)}"]
    if files:
        lines += ["  from:", *(f"    {quoted(path)}: {quoted(mark)}" for path, mark in files.items())]
    if facts:
        lines += [
            "  step: {"
            + ", ".join(f"{key}: {quoted(value) if isinstance(value, str) else value}" for key, value in facts.items())
            + "}"
        ]
    if arguments:
        lines += ["  arguments: {" + ", ".join(f"{key}: {json.dumps(value)}" for key, value in arguments.items()) + "}"]
    return lines, ", ".join(f"{package} {number}" for package, number in libraries.items())


@contextlib.contextmanager
def quiet_and_deep():
    """Deep networks recurse, and what fails while sizes are tried is said by this package, not by PyTorch's log."""
    before, log = sys.getrecursionlimit(), logging.getLogger("torch._subclasses.fake_tensor")
    level = log.level
    sys.setrecursionlimit(max(before, _MOST_RECURSION))
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
        log.setLevel(level)


def record(model, batch, *, step=None, loss=None, name=None, optimizer=None, precision=None, sizes=None, folder=None,
           target=None, arguments=None, command=None, unchecked=False, say=None):  # fmt: skip
    """Traces one training step of `model` on `batch` without a GPU and without memory for weights, and writes it.

    `batch`: what the script hands to the step; only sizes and number formats count. `step(model, batch)`: returns the
    loss, where neither the model (`training_step`, `.loss`) nor `loss(output, target)` says how. `optimizer`: its class
    and settings become facts of the recording, as autocast and checkpointing do. `precision`: bf16, fp16 or none.
    `sizes`: {"image_size": [256, 320]}, two further values to record at, and a third to check at. `folder`: of
    `.gpulint/`; default: the project around the file the model is written in, else here. `target`: how configs name it
    ("mynet.net.build"). `unchecked`: write it where the program is not at hand.

    Returns the path. Raises Untraceable, with the line of your code, when the step cannot be recorded, and check.Refused
    when the recording is off by more than 0.5 % of the saved bytes at a size that was not recorded.
    """
    say = say or (lambda text: print(f"gpulint: {text}", file=sys.stderr))
    model = fakes.unwrapped(model)
    made = batch if isinstance(batch, batches.Batch) else batches.of_tensors(batch)
    call = steps.caller(step, loss)
    with quiet_and_deep():
        work = Recorder(model, made, call)
        say("batch: " + "  ".join(map(str, made.leaves())))
        traces, settings, at = traced(work, sizes or {}, say)
        own = is_own(sources.file_of(type(model)) or "")
        name = file_name(name or (type(model).__name__ if own or not target else target.rpartition(".")[2]))
        facts = script_facts.of(model, traces[0], optimizer, precision)
        home = pathlib.Path(folder or sources.root_of(home_of(model, (step, loss))))
        files = sources.files_of(model, os.path.realpath(home), (function_of(step), function_of(loss)))
        if arguments is None:
            arguments = script_facts.arguments_of(model)
        head, libraries = head_of(
            model, name, target, files, facts, arguments, command or called_again(), sources.libraries_of(model)
        )
        comment = [f"Recorded by gpulint {version()}; docs/models.md says how, and what to do when its sources change."]
        try:
            text, varied = program.build(traces, settings, classes_of(model), comment, words.RESERVED, "none")
        except Varies as difference:
            raise Untraceable(f"the step is another at another batch: {difference}") from difference
        text += "\n".join(head) + f"\npublished_parameters: {traces[0].parameters}\nsources: [{quoted(libraries)}]\n"
        at = {key: value if key in (*varied, "batch") else settings[0][key] for key, value in at.items()}
        for where, line in work.answered.items():
            say(f"{where}: taken as false, since only a run knows: {line}")
        report_gaps(traces[0], settings[0], varied, say)
        checked(work, text, name, at, traces[0], say, unchecked)
    path = home / ".gpulint" / "models" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    say(f"{path}: {traces[0].parameters:,} parameters; commit it")
    return path


def report_gaps(trace, sizes, varied, say):
    for name, size in sizes.items():
        if name not in varied and name != "batch":
            say(f"the recording is for {name} {size} alone")
    customs = sorted({str(step.args.get("name")) for step in trace.steps if step.op == "custom"} - {"attention_mask"})
    if customs:
        say("kept as autograd kept them here, whatever the number format: " + ", ".join(customs))


def checked(work, text, name, at, trace, say, unchecked):
    """Refuses a recording that is off where it was not recorded."""
    if any(step.op == "recurrent" for step in trace.steps):
        return say("not checked: GPUs run recurrent layers with kernels of their own, which nobody can ask here")
    try:
        program_path = check.program()
    except check.Refused:
        if not unchecked:
            raise
        return say("not checked: the gpulint program is not at hand")
    try:
        measured = work.measure(at)
    except Exception as error:
        raise untraceable(error) from error
    facts = {"mixed_precision": "none", "weights_dtype": "fp32", "attention_backend": "sdpa" if "attention" in trace.seen else "eager",
             "activation_checkpointing": "full" if "checkpoint" in trace.seen else "none"}  # fmt: skip
    residual = check.residual(program_path, text, name, at, measured, facts)
    say(f"checked {residual}")
    if not residual.passes():
        raise check.Refused(
            f"not written: {residual}; at most {check.LARGEST_RESIDUAL:.1%} of the saved bytes may be off"
        )
    if abs(residual.peak()) > check.LARGEST_OF_PEAK:
        say(f"the peak is more than {check.LARGEST_OF_PEAK:.0%} off: docs/models.md says what is not counted")
    return None


def function_of(value):
    """The function inside of a callable; None for what is not written in Python."""
    inner = getattr(value, "func", value)
    return inner if isinstance(inner, (types.FunctionType, type)) else None


def home_of(model, further):
    """The folder of the file the model, or the step, is written in, where it is the user's own; else the working folder."""
    owners = [type(model), *(type(m) for m in model.modules()), *map(function_of, further)]
    for owner in owners:
        path = sources.file_of(owner) if owner is not None else None
        if path and is_own(path):
            return os.path.dirname(os.path.realpath(path))
    return os.getcwd()


def called_again():
    """What to run to record again, from Python: the script at hand."""
    script_path = sys.argv[0] if sys.argv and sys.argv[0] else ""
    near = os.path.relpath(script_path) if script_path and os.path.isfile(script_path) else ""
    return f"python {near}" if near.endswith(".py") and not near.startswith("..") else "gpulint.record(model, batch)"
