#!/usr/bin/env python3
"""Times gpulint against yamllint and against a bare yaml-cpp event pass, each as a whole process.

    bench/speed.py CORPUS_FOLDER [--build build/release] [--runs 7]

Prints one Markdown table: median of user+system CPU seconds, wall seconds and peak memory of every command, and
the ratios README quotes. One file is linted in a folder of its own, and in this project, whose scripts and Python code
are looked through for what starts and reads it. Needs the release build configured with -DGPULINT_BENCH=ON; yamllint is the Debian
package and its rows are left out, visibly, where it is missing.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def measure(command, runs, stdin_path=None):
    """Median CPU s, wall s and peak MiB of `command` over `runs` after one warm-up."""
    cpu, wall, peak = [], [], []
    for run in range(runs + 1):
        stdin = open(stdin_path) if stdin_path else subprocess.DEVNULL
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        elapsed = time.perf_counter() - start
        if stdin_path:
            stdin.close()
        if run == 0:
            continue
        cpu.append(usage.ru_utime + usage.ru_stime)
        wall.append(elapsed)
        peak.append(usage.ru_maxrss / 1024)
    return statistics.median(cpu), statistics.median(wall), max(peak)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--gpu", default="a100-sxm4-80gb", help="target of the rows that show the estimate's share")
    arguments = parser.parse_args()

    gpulint = arguments.build / "gpulint"
    parse_only = arguments.build / "bench" / "parse_only"
    for program in (gpulint, parse_only):
        if not program.exists():
            sys.exit(f"{program} is missing: configure with -DGPULINT_BENCH=ON and build it first")
    files = sorted(str(path) for path in arguments.corpus.rglob("*")
                   if path.suffix in (".yaml", ".yml", ".json") and path.is_file())
    if not files:
        sys.exit(f"no .yaml, .yml or .json below {arguments.corpus}")
    file_list = arguments.build / "bench-files.txt"
    file_list.write_text("\n".join(files) + "\n")
    one = pathlib.Path(__file__).parent.parent / "examples" / "a10g-resnet50" / "after.yaml"
    yamllint = shutil.which("yamllint")
    many = max(3, arguments.runs // 2)

    rows = {}
    with tempfile.TemporaryDirectory() as alone:
        copy = shutil.copy(one, alone)
        rows["gpulint, one file"] = measure([gpulint, copy], arguments.runs * 30)
    rows["gpulint, one file of a project with code"] = measure([gpulint, one], arguments.runs * 5)
    rows["gpulint, corpus, 1 thread"] = measure([gpulint, "--jobs", "1", arguments.corpus], arguments.runs)
    rows["gpulint, corpus, all cores"] = measure([gpulint, arguments.corpus], arguments.runs)
    rows[f"gpulint, corpus, 1 thread, --gpu {arguments.gpu}"] = measure(
        [gpulint, "--jobs", "1", "--gpu", arguments.gpu, arguments.corpus], arguments.runs)
    rows["yaml-cpp events only, corpus"] = measure([parse_only, "events", "1"], arguments.runs, file_list)
    if yamllint:
        rows["yamllint, one file"] = measure([yamllint, "-d", "relaxed", one], arguments.runs)
        rows["yamllint, corpus"] = measure([yamllint, "-d", "relaxed", *files], 1)

    print(f"{len(files)} files, {sum(os.path.getsize(f) for f in files) / 1e6:.1f} MB; medians of whole processes\n")
    print("| command | CPU s | wall s | peak MiB |\n|---|---|---|---|")
    for name, (cpu, wall, peak) in rows.items():
        print(f"| {name} | {cpu:.4f} | {wall:.4f} | {peak:.1f} |")
    print()
    corpus = rows["gpulint, corpus, 1 thread"][0]
    target = rows[f"gpulint, corpus, 1 thread, --gpu {arguments.gpu}"][0]
    bare = rows["yaml-cpp events only, corpus"][0]
    print(f"- corpus on one thread / events only: {corpus / bare:.2f} (target <= 1.5)")
    print(f"- with a target GPU: {target / bare:.2f}; the target's rules and estimates add {target - corpus:.3f} s")
    print(f"- with a target GPU / without one: {target / corpus:.2f} (target <= 1.5)")
    if yamllint:
        print(f"- one file, yamllint / gpulint: {rows['yamllint, one file'][1] / rows['gpulint, one file'][1]:.0f}x (target >= 25)")
        print(f"- corpus, yamllint / gpulint on one thread: {rows['yamllint, corpus'][1] / rows['gpulint, corpus, 1 thread'][1]:.0f}x")
    print(f"- peak memory: {max(row[2] for name, row in rows.items() if name.startswith('gpulint')):.1f} MiB (target < 60 MB)")


if __name__ == "__main__":
    main()
