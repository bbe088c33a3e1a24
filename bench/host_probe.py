#!/usr/bin/env python3
"""Holds `gpulint confirm --host` against other tools on this machine.

    python3 bench/host_probe.py build/release/gpulint [--folder DIR] [--repeat 3] [--json FILE]

Compared are nproc and the control group files (exactly), fio, sysbench and mbw (15 %), and a PyTorch
DataLoader with torchvision's usual transforms on generated JPEG files (25 %, for 1, 2 and 4 workers).
What is not installed is reported as skipped. Runs take turns, so that a busy machine disturbs both
sides alike. Debian: fio sysbench mbw python3-torch python3-torchvision python3-pil. Not part of CI:
its figures are those of one machine at one time.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOOL_TOLERANCE = 0.15
LOADER_TOLERANCE = 0.25
WORKERS = (1, 2, 4)
IMAGES = 256
BATCH = 32


def run(command, timeout=120):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False).stdout


def write_images(folder):
    """500 x 375 JPEG files of smooth and fine noise, about 80 kB each."""
    import numpy
    from PIL import Image

    random = numpy.random.default_rng(1)
    for number in range(IMAGES):
        image = numpy.full((375, 500, 3), 128.0)
        share = 60.0
        for cells in (4, 8, 16, 32, 64, 128):
            grid = random.uniform(-1, 1, (cells, cells, 3)) * [1, 0.9, 0.8]
            small = Image.fromarray(((grid + 1) * 127).astype("uint8"))
            image += share * (numpy.asarray(small.resize((500, 375), Image.BICUBIC)) / 127.0 - 1)
            share *= 0.7
        image += random.integers(-10, 11, (375, 500, 1))
        pixels = image.clip(0, 255).astype("uint8")
        Image.fromarray(pixels).save(folder / f"{number:04}.jpg", quality=90)


def loader_rate(folder, workers):
    """Samples per second of a DataLoader over the files, after its first batches."""
    import torch
    from PIL import Image
    from torchvision import transforms

    class Files(torch.utils.data.Dataset):
        def __init__(self):
            self.paths = sorted(folder.glob("*.jpg")) * 40
            self.transform = transforms.Compose([
                transforms.RandomResizedCrop(224),
                transforms.RandomHorizontalFlip(),
                transforms.ToTensor(),
                transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
            ])

        def __len__(self):
            return len(self.paths)

        def __getitem__(self, index):
            with open(self.paths[index], "rb") as file:
                return self.transform(Image.open(file).convert("RGB"))

    batches = iter(torch.utils.data.DataLoader(Files(), batch_size=BATCH, num_workers=workers))
    for _ in range(2 * workers + 2):
        next(batches)
    start = time.perf_counter()
    count = 0
    while time.perf_counter() - start < 4:
        count += len(next(batches))
    return count / (time.perf_counter() - start)


def fio_bandwidth(folder):
    text = run(["fio", "--name=read", f"--filename={folder}/large.bin", "--rw=read", "--bs=1M", "--direct=1",
                "--ioengine=psync", "--runtime=2", "--time_based", "--output-format=json"])
    return json.loads(text)["jobs"][0]["read"]["bw_bytes"]


def sysbench_bandwidth(operation, threads):
    text = run(["sysbench", "memory", f"--memory-oper={operation}", "--memory-block-size=128M",
                "--memory-total-size=1T", "--memory-scope=local", f"--threads={threads}", "--time=2", "run"])
    return float(re.search(r"\(([\d.]+) MiB/sec\)", text).group(1)) * 2**20


def mbw_bandwidth():
    """In blocks of 4 MiB, as gpulint copies: the C library writes one copy of 128 MiB past the caches."""
    text = run(["mbw", "-t2", "-b", str(4 << 20), "-n", "15", "128"])
    copies = re.findall(r"^\d+\s.*Copy: ([\d.]+) MiB/s", text, re.MULTILINE)
    return statistics.median(float(copy) for copy in copies) * 2**20


def host(binary, folder):
    """The report of one run, with a config that asks for four workers."""
    config = folder / "config" / "train.yaml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("model: resnet50\nbatch_size: 32\nnum_workers: 4\nlearning_rate: 0.1\noptimizer: sgd\n")
    return json.loads(run([binary, "confirm", "--host", "--data-path", str(folder), "--python", "/usr/bin/python3",
                           "--output", "json", str(config)]))


def figure(report, name, processes=1):
    for each in report["figures"]:
        if each["name"] == name and each["processes"] == processes:
            return each["median"]
    return None


def quota_cpus():
    """What the files of the process's own control groups say, read here a second time and plainly."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers == "" and os.path.exists(f"/sys/fs/cgroup{group}/cpu.max"):
            quota, period = pathlib.Path(f"/sys/fs/cgroup{group}/cpu.max").read_text().split()
            return None if quota == "max" else int(quota) / int(period)
        if "cpu" in controllers.split(","):
            folder = pathlib.Path(f"/sys/fs/cgroup/{controllers}{group}")
            quota = int((folder / "cpu.cfs_quota_us").read_text())
            return None if quota < 0 else quota / int((folder / "cpu.cfs_period_us").read_text())
    return None


def has_torch():
    try:
        import torch, torchvision  # noqa: F401, E401
        return True
    except ImportError:
        return False


def comparisons(folder, cpus):
    """(name, tolerance, other's figure, ours of a report), those whose tool is here."""
    rows = []
    if shutil.which("fio"):
        rows.append(("fio sequential read, O_DIRECT", TOOL_TOLERANCE, lambda: fio_bandwidth(folder),
                     lambda report: figure(report, "disk_cold")))
    if shutil.which("sysbench"):
        for threads in sorted({1, cpus}):
            for operation in ("read", "write"):
                rows.append((f"sysbench memory {operation}, {threads} threads", TOOL_TOLERANCE,
                             lambda operation=operation, threads=threads: sysbench_bandwidth(operation, threads),
                             lambda report, operation=operation, threads=threads:
                             figure(report, f"memory_{operation}", threads)))
    if shutil.which("mbw"):
        rows.append(("mbw memcpy", TOOL_TOLERANCE, mbw_bandwidth, lambda report: figure(report, "memory_copy")))
    if has_torch():
        for workers in WORKERS:
            rows.append((f"DataLoader, {workers} workers", LOADER_TOLERANCE,
                         lambda workers=workers: loader_rate(folder / "images", workers),
                         lambda report, workers=workers: figure(report, "image_pipeline", workers)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--folder", default=None, help="where the files are written; default: the temporary folder")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", default=None, help="also write the figures to this file")
    options = parser.parse_args()
    failed = 0
    kept = []
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        (folder / "images").mkdir()
        if has_torch():
            write_images(folder / "images")
        (folder / "large.bin").write_bytes(os.urandom(256 << 20))
        os.sync()
        nproc = int(run(["nproc"]))
        expected = min(nproc, quota_cpus() or nproc)
        rows = comparisons(folder, nproc)
        others = {row[0]: [] for row in rows}
        ours = {row[0]: [] for row in rows}
        for _ in range(options.repeat):
            report = host(options.binary, folder)
            for title, _, other, of in rows:
                others[title].append(other())
                ours[title].append(of(report))
        found = report["host"]["available_cpus"]
        agrees = abs(found - expected) < 1e-9
        failed += not agrees
        print(f"{'PASS' if agrees else 'FAIL'}  CPUs: {found} against {expected} (nproc, control group files)")
        for title, tolerance, _, _ in rows:
            reached = [value for value in ours[title] if value is not None]
            if not reached:
                failed += 1
                print(f"FAIL  {title}: not measured; {report['not_measured']}")
                continue
            mine, other = statistics.median(reached), statistics.median(others[title])
            ratio = mine / other
            good = abs(ratio - 1) <= tolerance
            failed += not good
            kept.append({"name": title, "other": other, "gpulint": mine, "tolerance": tolerance,
                         "others": others[title], "gpulints": reached})
            print(f"{'PASS' if good else 'FAIL'}  {title}: gpulint {mine:.4g}, other {other:.4g}, "
                  f"ratio {ratio:.2f}, tolerance {tolerance:.0%}")
    for tool in ("fio", "sysbench", "mbw"):
        if not shutil.which(tool):
            print(f"SKIP  {tool} is not installed")
    if not has_torch():
        print("SKIP  torch and torchvision are not installed for this python")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(kept, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
