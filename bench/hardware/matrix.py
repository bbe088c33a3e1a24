#!/usr/bin/env python3
"""Writes what docs/confirm.md and README.md say of hardware from the kept runs of scripts/hardware_check (bench/hardware/runs).

    python3 bench/hardware/matrix.py            writes both pages
    python3 bench/hardware/matrix.py --check    fails where they are not what the runs say

A run is committed by copying its JSON to bench/hardware/runs. Runs on the fake driver are refused.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCHEMA = "gpulint.hardware-check/1"
NOTHING = "not yet validated on hardware"


def load(folder):
    """The kept runs, the oldest first."""
    runs = []
    for path in sorted(folder.glob("*.json")):
        run = json.loads(path.read_text(encoding="utf-8"))
        if run.get("schema") != SCHEMA:
            sys.exit(f"{path}: is not of schema {SCHEMA}")
        if not run["about"]["hardware"]:
            sys.exit(f"{path}: ran on the fake driver")
        runs.append(run)
    return sorted(runs, key=lambda run: run["date"])


def place(run):
    about = run["about"]
    return f"{about['device']}, driver {about['driver']}, {run['date']}"


def result(kept):
    """"passed", or which lines failed and what they found."""
    if kept["verdict"] == "SKIP":
        notes = {line.get("note", "") for line in kept["lines"]}
        return "not tried: " + "; ".join(sorted(note for note in notes if note))[:120]
    failed = [line for line in kept["lines"] if line["verdict"] == "FAIL"]
    if not failed:
        return "passed"
    shown = [f"{line['name']} {shorten(line['found'])} for {line.get('expected', '')}".strip() for line in failed[:3]]
    more = f" and {len(failed) - 3} more" if len(failed) > 3 else ""
    return f"**failed**: {'; '.join(shown)}{more}"


def shorten(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:60]


def latest(runs, claim):
    """The newest run of each card that has the claim."""
    cards = {}
    for run in runs:
        if claim in run["claims"]:
            cards[run["about"]["device"]] = run
    return [cards[name] for name in sorted(cards)]


def table(claims, runs):
    rows = ["| claim | without hardware | on hardware |", "|---|---|---|"]
    for each in claims:
        found = [f"{result(run['claims'][each['id']])} ({place(run)})" for run in latest(runs, each["id"])]
        cell = "; ".join(found).replace("|", "/") or "not yet"
        rows.append(f"| `{each['id']}`: {each['claim']} | {each['without_hardware']} | {cell} |")
    return "\n".join(rows)


def validated(runs):
    """What one line says of all of it."""
    if not runs:
        return NOTHING
    places = []
    for device in sorted({run["about"]["device"] for run in runs}):
        run = [each for each in runs if each["about"]["device"] == device][-1]
        verdicts = [kept["verdict"] for kept in run["claims"].values()]
        failed = verdicts.count("FAIL")
        part = f", {failed} of {len(verdicts)} checks failed" if failed else ""
        places.append(place(run) + part)
    return "validated on " + "; ".join(places)


def replaced(path, text, name, content):
    """What stands between the two comments of that name."""
    pattern = re.compile(rf"(<!-- {name} -->)(.*?)(<!-- /{name} -->)", re.DOTALL)
    if not pattern.search(text):
        sys.exit(f"{path}: has no <!-- {name} -->")
    return pattern.sub(lambda found: found.group(1) + content + found.group(3), text)


def main():
    claims = json.loads((HERE / "claims.json").read_text(encoding="utf-8"))
    runs = load(HERE / "runs")
    pages = {"docs/confirm.md": [("matrix", f"\n{table(claims, runs)}\n"), ("validated", validated(runs))],
             "README.md": [("validated", validated(runs))]}
    stale = []
    for name, parts in pages.items():
        path = ROOT / name
        before = path.read_text(encoding="utf-8")
        text = before
        for part, content in parts:
            text = replaced(name, text, part, content)
        if text == before:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
    said = (ROOT / "src/probe/confirmation.h").read_text(encoding="utf-8")
    if (NOTHING in said) != (not runs):
        stale.append("src/probe/confirmation.h")
        print(f"src/probe/confirmation.h: kNotValidated does not go with {len(runs)} kept runs")
    if stale and "--check" in sys.argv[1:]:
        sys.exit(f"{', '.join(stale)}: not what bench/hardware/runs says; run python3 bench/hardware/matrix.py")


if __name__ == "__main__":
    main()
