"""What PyTorch reaches on the same card, to hold gpulint's figures against.

    torch_side.py info              {"torch", "cuda", "device"}; "device" is null without a usable GPU
    torch_side.py context           makes a context with one tensor in it, prints "ready", waits for a line
    torch_side.py rates SECONDS     operations/s and bytes/s of products and a copy; bf16 products for SECONDS at the end
                                    (--device cpu --size 256 tries this program itself)
"""

import argparse
import json
import statistics
import sys
import time

import torch


def info():
    device = torch.cuda.get_device_name(0) if torch.cuda.is_available() else None
    print(json.dumps({"torch": torch.__version__, "cuda": torch.version.cuda, "device": device}))


def context():
    kept = torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    print("ready", flush=True)
    sys.stdin.readline()
    del kept


def random_values(size, kind, device):
    """Of magnitude 0.5 to 1, as gpulint's: zeros draw less power and look faster."""
    values = torch.rand(size, device=device) / 2 + 0.5
    signs = torch.randint(0, 2, size, device=device) * 2 - 1
    return (values * signs).to(kind)


class Clock:
    def __init__(self, device):
        self.cuda = device == "cuda"

    def seconds(self, run):
        if not self.cuda:
            begin = time.perf_counter()
            run()
            return time.perf_counter() - begin
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) / 1000


def median_seconds(clock, run, warm_up, samples):
    begin = time.perf_counter()
    clock.seconds(run)
    while time.perf_counter() - begin < warm_up:
        clock.seconds(run)
    return statistics.median(clock.seconds(run) for _ in range(samples))


def product(size, kind, device):
    a, b = random_values((size, size), kind, device), random_values((size, size), kind, device)
    c = torch.empty((size, size), dtype=kind, device=device)
    return lambda: torch.mm(a, b.t(), out=c)


def sustained(run, operations, seconds, device):
    """Operations/s of the first and of the last quarter of `seconds` of load."""
    rates = []
    begin = time.perf_counter()
    while True:
        start = time.perf_counter()
        for _ in range(20):
            run()
        if device == "cuda":
            torch.cuda.synchronize()
        now = time.perf_counter()
        rates.append(20 * operations / (now - start))
        if now - begin >= seconds:
            break
    quarter = max(1, len(rates) // 4)
    return statistics.median(rates[:quarter]), statistics.median(rates[-quarter:])


def rates(seconds, device, size):
    clock = Clock(device)
    operations = 2 * size ** 3
    found = {}
    words = 1 << 28 if device == "cuda" else 1 << 20
    source = random_values((words,), torch.float32, device)
    target = torch.empty_like(source)
    found["copy"] = 2 * 4 * words / median_seconds(clock, lambda: target.copy_(source), 0.2, 15)
    del source, target
    kinds = {"bf16": (torch.bfloat16, False), "fp16": (torch.float16, False), "tf32": (torch.float32, True),
             "fp32": (torch.float32, False)}
    if device != "cuda":
        del kinds["fp16"], kinds["tf32"]
    for name, (kind, tf32) in kinds.items():
        torch.backends.cuda.matmul.allow_tf32 = tf32
        run = product(size, kind, device)
        found[name] = operations / median_seconds(clock, run, 0.1, 15)
    found["bf16_first"], found["bf16_last"] = sustained(product(size, torch.bfloat16, device), operations, seconds, device)
    print(json.dumps(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("task", choices=["info", "context", "rates"])
    parser.add_argument("seconds", nargs="?", type=float, default=10)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--size", type=int, default=8192)
    options = parser.parse_args()
    if options.task == "info":
        info()
    elif options.task == "context":
        context()
    else:
        rates(options.seconds, options.device, options.size)


if __name__ == "__main__":
    main()
