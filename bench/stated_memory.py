#!/usr/bin/env python3
"""Holds gpulint's intervals against the memory that projects state beside their own scripts and configs.

    bench/stated_memory.py FOLDER... [--gpulint build/release/gpulint] [--gpu ID] [--all] [--json FILE]

Each FOLDER is the checkout of one project. A figure of device memory is looked for in
- comments of shell scripts and YAML configs (`# 8 * 65GiB`, `# needs 24 GB of VRAM`);
- rows of Markdown tables with a column of memory, where a cell names a config or script of the project;
- the sentences right below a command in Markdown that names a config, where they speak of memory or VRAM.
A file may state several figures (of variants): the largest counts, read as GiB and rounded up in its last digit, for
the question is whether the low end of an estimate lies above what a run was seen to take.
Prints each such file, the share of stated figures inside the interval, and counts per project. Exit code 1 when a low
end lies above a stated figure.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

COMMENT = re.compile(r"(?:^|\s)#\s*(.*)")
# `8 * 65GiB`, `80GiB * 2`, `2*80G`, `4.4 GB`, `30-40GiB`
FIGURE = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?\s*[-~]\s*)?(\d+(?:\.\d+)?)\s*(?:GiB|GB|G)\b(?!\s*/)", re.IGNORECASE)
# What a line speaks of that is not the memory of one device, or no figure of a run.
ELSEWHERE = re.compile(
    r"\b(cpu|host|ram|disk|download\w*|storage|space|cache\w*|budget|shard\w*|checkpoint\w*|saves?|saved|dataset\w*|zip|"
    r"images?|node[s ]+total|buffer\w*|offload\w*|constraint|currently|supported|suitable|type of gpu)\b|https?:",
    re.IGNORECASE)
SPEAKS_OF_MEMORY = re.compile(r"\b(vram|memory)\b", re.IGNORECASE)
CONFIG = re.compile(r"[\w./@+-]+\.(?:ya?ml|sh|json)\b")
SCRIPTS = {".sh", ".bash"}
CONFIGS = {".yaml", ".yml"}
SENTENCES_BELOW = 4  # lines of prose that may speak of the command above them
LARGEST_FILE = 1_000_000  # bytes


def figures(text):
    """Stated GiB of one device, each rounded up in its last digit."""
    if ELSEWHERE.search(text):
        return []
    found = []
    for number in FIGURE.findall(text):
        digits = len(number.partition(".")[2])
        if float(number) > 0:
            found.append(float(number) + 0.5 * 10**-digits)
    return found


def from_comments(text):
    return [figure for line in text.splitlines() if (said := COMMENT.search(line)) for figure in figures(said[1])]


def files_named(text, page, root):
    """Scripts and configs of the project that a line of a page names."""
    named = []
    for name in CONFIG.findall(text):
        for folder in (page.parent, root):
            path = folder / name.lstrip("/")
            if path.is_file():
                named.append(path.resolve())
                break
    return named


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def from_table(lines, page, root):
    """(file, figure) of the table whose header is the first line."""
    columns = [i for i, cell in enumerate(cells(lines[0])) if re.search(r"memory|vram", cell, re.IGNORECASE)]
    for line in lines[2:]:
        row = cells(line)
        stated = [figure for i in columns if i < len(row) for figure in figures(row[i])]
        for path in files_named(line, page, root) if stated else []:
            yield path, max(stated)


def from_page(page, root):
    lines = page.read_text(errors="replace").splitlines()
    i, commanded, since = 0, [], 0
    while i < len(lines):
        line = lines[i]
        if line.lstrip().startswith("|"):
            end = i
            while end < len(lines) and lines[end].lstrip().startswith("|"):
                end += 1
            yield from from_table(lines[i:end], page, root)
            i, commanded = end, []
            continue
        if line.lstrip().startswith("```"):
            end = next((k for k in range(i + 1, len(lines)) if lines[k].lstrip().startswith("```")), len(lines))
            commanded = sorted({path for k in range(i, end) for path in files_named(lines[k], page, root)})
            i, since = end + 1, 0
            continue
        since += bool(line.strip())
        if line.startswith("#") or since > SENTENCES_BELOW:
            commanded = []
        if len(commanded) == 1 and SPEAKS_OF_MEMORY.search(line):
            yield from ((commanded[0], figure) for figure in figures(line))
        i += 1


def stated_in(root):
    """{file: largest figure in GiB} of one project."""
    stated = collections.defaultdict(float)
    for path in sorted(root.rglob("*")):
        if any(part.startswith(".") for part in path.relative_to(root).parts) or not path.is_file():
            continue
        if path.stat().st_size > LARGEST_FILE:
            continue
        if path.suffix in SCRIPTS | CONFIGS:
            for figure in from_comments(path.read_text(errors="replace")):
                stated[path.resolve()] = max(stated[path.resolve()], figure)
        elif path.suffix == ".md":
            for config, figure in from_page(path, root):
                stated[config] = max(stated[config], figure)
    return stated


def estimates(arguments, root, path):
    """Estimates of the phases of one file; none where nothing is trained."""
    run = subprocess.run([arguments.gpulint, "estimate", str(path.relative_to(root)), "--gpu", arguments.gpu,
                          "--output", "json"], cwd=root, capture_output=True, text=True, check=False)
    try:
        answer = json.loads(run.stdout)
    except ValueError:
        return []
    phases = answer if isinstance(answer, list) else [answer]
    return [phase["vram"] for phase in phases if phase and phase.get("vram")]


def judged(arguments, root, path, stated):
    """Of several phases the least counts: nobody says which of them the figure is of."""
    vrams = [vram for vram in estimates(arguments, root, path) if vram.get("low") is not None]
    row = {"project": root.name, "path": str(path.relative_to(root)), "stated": round(stated, 2), "low": None, "high": None}
    if not vrams:
        return row | {"verdict": "no figure"}
    gib = 1 << 30
    row["low"] = round(min(vram.get("needed_low", vram["low"]) for vram in vrams) / gib, 2)
    highs = [vram.get("high") for vram in vrams]
    row["high"] = None if None in highs else round(max(highs) / gib, 2)
    if row["low"] > stated:
        return row | {"verdict": "low end above"}
    if row["high"] is None:
        return row | {"verdict": "lower bound"}
    return row | {"verdict": "inside" if row["high"] >= stated else "high end below"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="+")
    parser.add_argument("--gpulint", default="build/release/gpulint")
    parser.add_argument("--gpu", default="a100-sxm4-80gb")
    parser.add_argument("--all", action="store_true", help="print every file with a stated figure")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows to this file")
    arguments = parser.parse_args()
    arguments.gpulint = str(pathlib.Path(arguments.gpulint).resolve())

    rows = []
    for folder in arguments.folder:
        root = folder.resolve()
        rows += [judged(arguments, root, path, stated) for path, stated in sorted(stated_in(root).items())]
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        counts[row["project"]][row["verdict"]] += 1
        counts["all"][row["verdict"]] += 1
        if arguments.all or row["verdict"] == "low end above":
            print("{verdict}: {project}/{path}: {low} to {high} GiB, stated {stated}".format(**row))
    for project, tally in counts.items():
        print(project, ", ".join(f"{count} {verdict}" for verdict, count in sorted(tally.items())))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    return 1 if counts["all"]["low end above"] else 0


if __name__ == "__main__":
    sys.exit(main())
