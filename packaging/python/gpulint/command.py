"""`gpulint-record module:factory`: writes down one training step of a network of your own (docs/models.md)."""

import argparse
import importlib
import importlib.util
import inspect
import json
import os
import pathlib
import shlex
import sys

_HELP = """Writes down one training step of a network as .gpulint/models/NAME.yaml, so that gpulint knows it.

    gpulint-record mynet.net:build --batch image=8,3,224,224 --loss cross_entropy
    gpulint-record net.py:Net --set width=64 --batch tokens=8,512 --optimizer adamw --precision bf16
    gpulint-record mynet.train:parts      # a function that returns (model, batch), or a dictionary of these
                                          # and of loss, step, optimizer, as gpulint.record takes them

Runs where you have PyTorch (2.4 or newer); no GPU, and no memory for weights. Axes of a batch are found by their sizes;
write `image_size=224` in place of 224 to say so. Latents of an image that is 8 times as large:
latent=8,4,image_size/8=64,image_size/8=64.
"""


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="gpulint-record", description=_HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", metavar="MODULE:FACTORY", help="a class or function; a module's name or a file")
    parser.add_argument(
        "--batch",
        action="append",
        default=[],
        metavar="NAME=SIZES[:DTYPE]",
        help="a tensor of the batch, its samples first; repeatable",
    )
    parser.add_argument(
        "--loss", help="of torch.nn.functional (cross_entropy, mse_loss), or MODULE:FUNCTION of output and target"
    )
    parser.add_argument("--step", metavar="MODULE:FUNCTION", help="a function of model and batch that returns the loss")
    parser.add_argument("--optimizer", help="adamw, sgd, ...: what the script uses")
    parser.add_argument("--precision", help="autocast of the script: bf16, fp16 or none")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="an argument of the factory; repeatable"
    )
    parser.add_argument(
        "--sizes",
        action="append",
        default=[],
        metavar="NAME=N,N[,N]",
        help="two further values of a size to record at, and a third to check at",
    )
    parser.add_argument("--name", help="what configs call it; default: the name of its class")
    parser.add_argument("--folder", help="of .gpulint/; default: the project around the model's file")
    parser.add_argument("--unchecked", action="store_true", help="write it where the gpulint program is not at hand")
    return parser.parse_args(words)


def value_of(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def settings(texts):
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            sys.exit(f'gpulint-record: --set "{text}": write KEY=VALUE')
        found[key] = value_of(value)
    return found


def sizes_of(texts):
    found = {}
    for text in texts:
        name, equals, numbers = text.partition("=")
        if not equals or not all(n.strip().isdigit() for n in numbers.split(",")):
            sys.exit(f'gpulint-record: --sizes "{text}": write NAME=N,N, as in image_size=256,320')
        found[name] = [int(n) for n in numbers.split(",")]
    return found


def module_of(name):
    if not name.endswith(".py"):
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(name)
    path = pathlib.Path(name).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or not path.is_file():
        raise ImportError(f"no such file: {name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def named(text):
    """What MODULE:NAME names; dots in NAME reach into it."""
    module, colon, name = text.rpartition(":")
    if not colon or not module or not name:
        sys.exit(f'gpulint-record: "{text}": write MODULE:FACTORY, as in mynet.net:build or net.py:Net')
    try:
        found = module_of(module)
    except ImportError as error:
        sys.exit(f'gpulint-record: cannot import "{module}": {error}')
    for part in name.split("."):
        if not hasattr(found, part):
            sys.exit(f'gpulint-record: {module} has no "{name}"')
        found = getattr(found, part)
    return found


def loss_of(text):
    if not text or text == "none":
        return None
    if ":" in text:
        return named(text)
    import torch

    found = getattr(torch.nn.functional, text, None)
    if found is None:
        sys.exit(
            f'gpulint-record: --loss "{text}" is not a function of torch.nn.functional; write MODULE:FUNCTION for your own'
        )
    return found


def build(factory, keywords):
    """What the factory makes, on meta tensors where the module can be built so; else its weights take memory for a moment."""
    from . import fakes
    from .problems import untraceable

    try:
        with fakes.building():
            return factory(**keywords)
    except Exception:  # a module that computes with numbers while it is built
        try:
            return factory(**keywords)
        except Exception as error:
            raise untraceable(error) from error


def parts_of(made):
    """(model, batch or None, what else gpulint.record takes) of what a factory returned."""
    if isinstance(made, dict):
        rest = dict(made)
        return rest.pop("model"), rest.pop("batch", None), rest
    if isinstance(made, tuple) and len(made) == 2:
        return made[0], made[1], {}
    return made, None, {}


def batch_of(options, found):
    from . import batches

    if not options.batch and found is None:
        sys.exit(
            "gpulint-record: state the sizes of a batch, as in --batch image=8,3,224,224, or return (model, batch)"
        )
    return batches.of_words(options.batch) if options.batch else batches.of_tensors(found)


def arguments_made_with(factory, keywords):
    """The factory's arguments with its defaults, where they are plain values."""
    from .script_facts import _SIMPLE, is_plain_list

    try:
        found = {p.name: p.default for p in inspect.signature(factory).parameters.values() if p.default is not p.empty}
    except (TypeError, ValueError):
        found = {}
    found.update(keywords)
    return {key: value for key, value in found.items() if isinstance(value, _SIMPLE) or is_plain_list(value)}


def main(words=None):
    words = sys.argv[1:] if words is None else words
    options = arguments(words)
    if sys.version_info < (3, 9):
        sys.exit("gpulint-record: needs Python 3.9 or newer")
    try:
        import torch
    except ImportError:
        sys.exit("gpulint-record: PyTorch is not installed in this environment; run it where your network trains: "
                 f"{sys.executable} has none")  # fmt: skip
    if tuple(map(int, torch.__version__.split("+")[0].split(".")[:2])) < (2, 4):
        sys.exit(f"gpulint-record: needs PyTorch 2.4 or newer, and this is {torch.__version__}")
    from . import batches, check, recording
    from .problems import Untraceable

    factory = named(options.model)
    keywords = settings(options.set)
    loss = loss_of(options.loss)
    step = named(options.step) if options.step else None
    try:
        model, batch, rest = parts_of(
            build(factory, keywords) if callable(factory) and not isinstance(factory, torch.nn.Module) else factory
        )
        if not isinstance(model, torch.nn.Module):
            sys.exit(f"gpulint-record: {options.model} made a {type(model).__name__}, not a torch.nn.Module")
        chosen = {"loss": loss, "step": step, "optimizer": options.optimizer, "precision": options.precision}
        chosen = {**rest, **{key: value for key, value in chosen.items() if value is not None}}
        recording.record(
            model.train(), batch_of(options, batch), **chosen, name=options.name, sizes=sizes_of(options.sizes), folder=options.folder,
            target=options.model.replace(".py:", ":").replace("/", ".").replace(":", "."),
            arguments=arguments_made_with(factory, keywords), command=shlex.join(["gpulint-record", *words]), unchecked=options.unchecked,
        )  # fmt: skip
    except (Untraceable, batches.Misstated, check.Refused) as error:
        sys.exit(f"gpulint-record: {options.model}: {error}")


if __name__ == "__main__":
    main()
