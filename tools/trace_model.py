#!/usr/bin/env python3
"""Writes any PyTorch module as a gpulint model file.

    tools/trace_model.py timm:resnet50d
    tools/trace_model.py torchvision:convnext_tiny --out model_db/recorded/mine/convnext-tiny.yaml
    tools/trace_model.py transformers:config.json --sequence-length 512
    tools/trace_model.py my_model.py:build --input image=3,256,256 --set width=64

Runs where you have PyTorch (1.13 or newer). The forward pass runs on meta tensors: no GPU, no weights, no
arithmetic. The file holds operators, shapes and dimensions; docs/models.md explains it. With --gpulint the
written file is checked: gpulint must count the parameters PyTorch counts.
"""

import argparse
import importlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("PYTORCH_JIT", "0")  # scripted functions are recorded as the Python they are


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="timm:NAME, torchvision:NAME, transformers:CONFIG or FILE.py:FACTORY")
    parser.add_argument("--name", help="the model's name in gpulint; default: the name after the colon")
    parser.add_argument("--out", help="file to write; default: NAME.yaml here, - for standard output")
    parser.add_argument("--input", help="name=SIZES without the batch, e.g. image=3,224,224 or tokens=512")
    parser.add_argument("--image-size", type=int, help="side of the image; default: the model's own, or 224")
    parser.add_argument("--sequence-length", type=int, help="tokens per sample, for a model of tokens")
    parser.add_argument("--classes", type=int, help="outputs of the classifier; default: the model's own")
    parser.add_argument("--loss", default="cross_entropy", help="loss operator, or none")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="argument of the factory")
    parser.add_argument("--gpulint", help="gpulint binary to check the file with")
    return parser.parse_args()


def keywords(settings):
    result = {}
    for setting in settings:
        key, _, value = setting.partition("=")
        try:
            result[key] = json.loads(value)
        except ValueError:
            result[key] = value
    return result


def factory_of(path, name):
    spec = importlib.util.spec_from_file_location("traced_model", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(pathlib.Path(path).resolve().parent))
    spec.loader.exec_module(module)
    return getattr(module, name)


def build(options):
    """(module, its published source, its default image size)."""
    kind, _, name = options.model.rpartition(":")
    extra = keywords(options.set)
    if kind == "timm":
        timm = importlib.import_module("timm")
        model = timm.create_model(name, **extra)
        size = getattr(model, "default_cfg", {}).get("input_size", (3, 224, 224))[-1]
        return model, f"timm {timm.__version__}, {type(model).__module__.replace('.', '/')}.py", size
    if kind == "torchvision":
        library = importlib.import_module("torchvision")
        found = getattr(library.models, name, None)
        if not found:  # these fetch the weights of their backbone unless told not to
            found, extra = getattr(library.models.segmentation, name), {"weights_backbone": None, **extra}
        return found(**extra), f"torchvision {library.__version__}", 224
    if kind == "transformers":
        library = importlib.import_module("transformers")
        config = library.AutoConfig.from_pretrained(name, **extra)
        wanted = getattr(library, (config.architectures or [""])[0], None)
        model = wanted(config) if wanted else library.AutoModel.from_config(config)
        return model, f"transformers {library.__version__}", None
    if kind.endswith(".py"):
        made = factory_of(kind, name)
        return (made(**extra) if callable(made) else made), pathlib.Path(kind).name, 224
    sys.exit(f"{options.model}: expected timm:NAME, torchvision:NAME, transformers:CONFIG or FILE.py:FACTORY")


def built_without_memory(options, torch):
    """As `build`, on meta tensors where PyTorch (2.0) and the module can: no weight takes memory even for a moment."""
    if hasattr(torch.device, "__enter__"):
        try:
            with torch.device("meta"):
                return build(options)
        except (RuntimeError, NotImplementedError):  # a module that computes with numbers while it is built
            pass
    return build(options)


def input_makers(options, size, torch):
    """(name of the size, its value, function from batch and size to inputs)."""
    name, _, sizes = (options.input or "").partition("=")
    shape = [int(n) for n in sizes.split(",")] if sizes else []
    if options.sequence_length or name in ("tokens", "input_ids"):
        length = options.sequence_length or shape[0]
        kind = torch.int64
        return "sequence_length", length, lambda b, n: {name or "tokens": torch.zeros(b, n, dtype=kind, device="meta")}
    if shape and len(shape) != 3:
        return "width", shape[-1], lambda b, n: {name: torch.empty(b, *shape[:-1], n, device="meta")}
    channels = shape[0] if shape else 3
    side = options.image_size or (shape[-1] if shape else size)
    return "image_size", side, lambda b, n: {name or "image": torch.empty(b, channels, n, n, device="meta")}


def classes_of(model, options):
    found = options.classes or getattr(model, "num_classes", None)
    if isinstance(found, int):
        return found
    linear = [m for m in model.modules() if type(m).__name__ == "Linear"]
    return linear[-1].out_features if linear else 0


def record(model, make, size_name, size, recorder):
    """Traces at two batches and, where the module allows it, two more sizes."""
    traces, settings = [], []
    step = 64 if size >= 64 else size
    for batch, side in ((2, size), (3, size), (2, size + step), (2, size + 2 * step)):
        try:
            traces.append(recorder.trace(model, make(batch, side)))
        except recorder.Unsupported:
            raise
        except Exception as error:  # the module's own: many run at one size only
            if side == size:
                raise
            print(f"the module runs at {size} only: {error}", file=sys.stderr)
            break
        settings.append({"batch": batch, size_name: side})
    if len(traces) == 3:  # one further size says nothing
        del traces[2], settings[2]
    return traces, settings


def check(gpulint, path, name, expected, size):
    """gpulint's own count of the file's parameters must be PyTorch's."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "model_db" / "recorded" / "traced"
        place.mkdir(parents=True)
        (place / f"{name}.yaml").write_text(pathlib.Path(path).read_text())
        config = pathlib.Path(folder) / "config.yaml"
        config.write_text("training:\n  learning_rate: 0.1\n  epochs: 1\n")
        facts = [f"model={name}", "per_device_batch_size=2", "mixed_precision=none", "weights_dtype=fp32", "optimizer=sgd"]
        command = [gpulint, "estimate", str(config), "--output", "json", "--data", folder, "--gpu", "rtx-3090"]
        for fact in [*facts, size]:
            command += ["--set", fact]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        vram = (json.loads(run.stdout) if run.returncode == 0 else {}).get("vram") or {}
        term = next((term for term in vram.get("terms", []) if term["name"] == "weights"), None)
        if not term:
            why = run.stderr.strip() or vram.get("explanation") or "it made no estimate"
            sys.exit(f"gpulint cannot run {path}: {why}")
        weights = term["bytes"] // 4
        if weights != expected:
            sys.exit(f"gpulint counts {weights} parameters in {path}, PyTorch {expected}")


def main():
    options = arguments()
    sys.setrecursionlimit(20_000)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "packaging" / "python"))
    try:
        import torch
    except ImportError:
        sys.exit("PyTorch is not installed here; run this where your model runs")
    from gpulint.tracing import program, recorder, words

    model, source, size = built_without_memory(options, torch)
    model = model.to("meta").train()
    size_name, size, make = input_makers(options, size, torch)
    if size is None:
        sys.exit("state --sequence-length or --image-size: the model names none")
    traces, settings = record(model, make, size_name, size, recorder)
    name = options.name or pathlib.Path(options.model.rpartition(":")[2]).stem.replace("_", "-").lower()
    comment = [f"Recorded by tools/trace_model.py from {source}."]
    text, sized = program.build(traces, settings, classes_of(model, options), comment, words.RESERVED, options.loss)
    text += f"published_parameters: {traces[0].parameters}\nsources: [{json.dumps(source)}]\n"
    if options.out == "-":
        sys.stdout.write(text)
        return
    path = options.out or f"{name}.yaml"
    pathlib.Path(path).write_text(text)
    customs = sorted({str(s.args.get("name")) for s in traces[0].steps if s.op == "custom"})
    notes = [] if sized else [f"runs at {size_name} {size} only"]
    notes += [f"recorded without a rule of their own: {', '.join(customs)}"] if customs else []
    print(f"{path}: {traces[0].parameters:,} parameters" + "".join(f"; {note}" for note in notes))
    if options.gpulint:
        check(options.gpulint, path, name, traces[0].parameters, f"{size_name}={size}")


if __name__ == "__main__":
    main()
