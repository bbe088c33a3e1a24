#!/usr/bin/env python3
"""What an edit costs in the language server: from sending it to its diagnostics, and in memory over many.

    bench/lsp.py [--gpulint build/release/gpulint] [--edits 1000] [--memory-edits 10000]

A project is made in a temporary folder: a Hydra config of a thousand lines whose run reads four further files, with and
without the Python code that loads it. Every edit is one key stroke: a digit of a number, a letter of a comment, now and
then a bracket that breaks the file and is taken back by the next edit. Prints Markdown tables. No test: times depend on
the machine.
"""

import argparse
import pathlib
import random
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/lsp"))
from client import Client, uri_of  # noqa: E402

HEAD = """defaults:
  - model: resnet
  - optim: adamw
  - data: imagenet
  - trainer: one_gpu
  - _self_
batch_size: 64
epochs: 90
precision: 16-mixed
num_workers: 4
# learning rate of the last sweep
learning_rate: 0.001
"""
FILES = {
    "conf/model/resnet.yaml": "model: resnet50\nimage_size: 224\n",
    "conf/optim/adamw.yaml": "optimizer: adamw\nweight_decay: 0.05\n",
    "conf/data/imagenet.yaml": "dataset_samples: 1281167\nprefetch_factor: 4\npin_memory: true\n",
    "conf/trainer/one_gpu.yaml": "gpus_per_node: 1\nnodes: 1\n",
    ".gpulint.yaml": "gpu: a10g\nhost: g5-4xlarge\n",
}
CODE = """import hydra
import torch
from torch.utils.data import DataLoader


def loader_of(cfg, dataset):
    return DataLoader(dataset, batch_size=cfg.batch_size, num_workers=cfg.num_workers)


@hydra.main(config_path="conf", config_name="config")
def main(cfg):
    model = torch.nn.Linear(10, 10)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.learning_rate)
    for epoch in range(cfg.epochs):
        for batch in loader_of(cfg, None):
            optimizer.step()


if __name__ == "__main__":
    main()
"""


def make_project(folder, with_code):
    (folder / ".git").mkdir(parents=True)
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    lines = HEAD.splitlines()
    section = 0
    while len(lines) < 1000:
        lines.append(f"augmentation_{section}:")
        lines += [f"  setting_{item}: {{scale: 0.{item + 1}, name: step-{item}}}" for item in range(8)]
        section += 1
    config = folder / "conf/config.yaml"
    config.write_text("\n".join(lines[:1000]) + "\n")
    if with_code:
        (folder / "train.py").write_text(CODE)
        for number in range(40):
            (folder / f"module_{number}.py").write_text(f"VALUE = {number}\n\n\ndef f(x):\n    return x + VALUE\n" * 20)
    return config


def place(line, character):
    return {"line": line, "character": character}


def replaced(line, begin, end, text):
    return [{"range": {"start": place(line, begin), "end": place(line, end)}, "text": text}]


def key_strokes(seed):
    """Edits of the head above, one after the other; lines and columns are of HEAD."""
    dice = random.Random(seed)
    while True:
        kind = dice.random()
        if kind < 0.6:
            yield replaced(6, 12, 13, str(dice.randint(1, 9)))
        elif kind < 0.8:
            yield replaced(11, 19, 20, str(dice.randint(1, 9)))
        elif kind < 0.95:
            yield replaced(10, 2, 3, dice.choice("abcdefgh"))
        else:
            yield replaced(8, 11, 11, "[")
            yield replaced(8, 11, 12, "")


def memory_of(client):
    for line in pathlib.Path(f"/proc/{client.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


def start(options, folder):
    client = Client(options.gpulint)
    client.initialize([folder])
    return client


def latencies(client, config, edits, seed, version=1):
    """Milliseconds from each edit to the diagnostics of its version."""
    times = []
    for version, change in zip(range(version + 1, version + 1 + edits), key_strokes(seed)):
        begin = time.perf_counter()
        client.change(config, change, version)
        client.wait_for_version(config, version)
        times.append((time.perf_counter() - begin) * 1e3)
    return times


def row(name, times):
    ordered = sorted(times)
    at = lambda share: ordered[min(int(share * len(ordered)), len(ordered) - 1)]
    return f"| {name} | {statistics.median(times):.1f} | {at(0.99):.1f} | {ordered[-1]:.1f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpulint", default="build/release/gpulint")
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--memory-edits", type=int, default=10000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place_of_all:
        print(f"{options.edits} edits, ms from edit to diagnostics\n\n| run | p50 | p99 | most |\n|---|---|---|---|")
        for name, with_code in (("1,000 lines, five files", False), ("the same with the project's Python code", True)):
            folder = pathlib.Path(place_of_all, "code" if with_code else "plain")
            config = make_project(folder, with_code)
            client = start(options, folder)
            client.open(config)
            client.wait_for_version(config, 1)
            print(row(name, latencies(client, config, options.edits, 1)))
            if not with_code:
                for other in FILES:
                    if other.startswith("conf/"):
                        client.open(folder / other)
                times = latencies(client, config, options.edits, 2, options.edits + 1)
                print(row("1,000 lines, all five files open", times))
            assert client.close() == 0
        folder = pathlib.Path(place_of_all, "plain")
        config = folder / "conf/config.yaml"
        client = start(options, folder)
        client.open(config)
        client.wait_for_version(config, 1)
        print(f"\n| edits | memory of the server, MiB |\n|---|---|\n| 0 | {memory_of(client):.1f} |")
        done = 0
        for step in range(5):
            count = options.memory_edits // 5
            latencies(client, config, count, step, done + 1)
            done += count
            client.request("textDocument/hover", {"textDocument": {"uri": uri_of(config)}, "position": place(6, 3)})
            print(f"| {done} | {memory_of(client):.1f} |")
        assert client.close() == 0


main()
