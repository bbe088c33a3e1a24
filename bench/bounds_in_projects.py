#!/usr/bin/env python3
"""How many runs of whole projects get an interval of device memory, how wide it is, and why the others get none.

    bench/bounds_in_projects.py FOLDER... --gpu ID [--gpulint build/release/gpulint] [--labels TABLE.tsv] [--json FILE]
                                [--reasons N] [--show KIND]

Each FOLDER is the checkout of one project. `gpulint check .` says which files are judged as runs of their own (those it
holds against a target; parts of other runs are not); `gpulint estimate FILE` gives an estimate per phase, and each
phase is a *run* here. Files that only add to a run that another file describes are counted apart. A run is
- *bounded*: its VRAM has both ends;
- *conditional*: it has not, but under at most two named conditions (`conditions` in the JSON) at least one answer has;
- *lower bound*: only a low end, with something of its network in it;
- *none*: of its network nothing is known: no figure, or only what an idle process takes.

The width of an interval is its high end / its low end; of a conditional run, that of its widest bounded answer. An
interval that open facts decide may be hundreds wide and counts as bounded; how many are at most 4 wide is a column of its
own. *Narrow under conditions* are the runs whose own interval is wider, or has one end, while the median width of what the
named conditions leave is at most 4. The last columns are the width of all runs with two ends, own or, where that is above 4
and conditions are named, the median of what they leave. Shares are printed over all runs and as the mean over projects, which no project with hundreds of like files decides.
An answer to an open fact can only narrow an interval. Where a named condition's figures lie outside the run's own
(by more than 1 %), the run counts as *torn*: low when the condition needs less than the run's low end, high when more
than its high end. A low end that an answer undercuts may be a false alarm.
Reasons are those that gpulint names: for *none*, what it does not know of the model; for *lower bound*, the parts
it does not count, the operators it cannot work out, or that the activations are unknown, with what `gpulint facts` says
of the network beside it. A run may have several. --show KIND prints the runs of a kind with their reasons.

--labels counts only files that a table (path from the folder of projects, tab, label) has as a training config: not
`other` or `ff:...`, and no part like a DeepSpeed file, which is no run of its own.
"""

import argparse
import collections
import json
import math
import pathlib
import re
import statistics

import projects

TOLERANCE = 0.01  # by which an answer may lie outside the run's interval
USEFUL_WIDTH = 4  # high / low; above it an interval says little
KINDS = ("bounded", "conditional", "lower bound", "none")
# Labels of files that belong to a run and are none by themselves.
PARTS = {"yolo-data", "yolo-model", "hf-model-config", "deepspeed", "accelerate-launch", "launch-script"}
ADDS_TO_ANOTHER = "adds to a run"
NOT_COUNTED = re.compile(r"the job also has (.*?), which is not counted")
NAMED_KEY = re.compile(r"\s*\([^)]*\)")  # `another network (/model)`
NOT_KNOWN = re.compile(r"; ([^;()]+ (?:is|are) not known)\)?$")
OWN_NAME = re.compile(r"(?:[A-Za-z_]\w*\.)+")  # `Backbone.band_pool.0.in_features`: of a project's own


def kind_of(estimate):
    vram = estimate.get("vram") or {}
    if vram.get("high") is not None:
        return "bounded"
    if any(answer.get("high") is not None for answer in estimate.get("conditions") or []):
        return "conditional"
    return "lower bound" if vram.get("low") is not None and vram.get("basis") != "process_only" else "none"


def width_of(estimate):
    """High / low; None where nothing has both ends."""
    vram = estimate.get("vram") or {}
    intervals = [vram] if vram.get("high") is not None else estimate.get("conditions") or []
    widths = [some["high"] / some["low"] for some in intervals if some.get("high") is not None and some.get("low")]
    return max(widths, default=None)


def answered_width(estimate):
    """The median width of what the named conditions leave; None where they bound nothing."""
    answers = estimate.get("conditions") or []
    widths = [some["high"] / some["low"] for some in answers if some.get("high") is not None and some.get("low")]
    return statistics.median(widths) if widths else None


def torn(estimate):
    """`low` or `high` where a condition needs less or more than the whole run was said to; else None."""
    vram = estimate.get("vram") or {}
    answers = estimate.get("conditions") or []
    low, high = vram.get("needed_low", vram.get("low")), vram.get("needed_high", vram.get("high"))
    if low and any(answer.get("low") is not None and answer["low"] < low * (1 - TOLERANCE) for answer in answers):
        return "low"
    if high and any(answer.get("high") is not None and answer["high"] > high * (1 + TOLERANCE) for answer in answers):
        return "high"
    return None


def of_the_network(detail):
    """What `gpulint facts` says of the number of parameters, without names that only this project has."""
    if not detail:
        return None
    unknown = NOT_KNOWN.search(detail)
    if not unknown:
        return None
    return re.sub(r"\.\d+\.", ".", unknown[1]) if OWN_NAME.match(unknown[1]) else unknown[1]


def reasons_of(estimate):
    """Why a run has no upper end, in gpulint's words."""
    unknown = set(estimate.get("unknown") or [])
    vram = estimate.get("vram") or {}
    if not vram or vram.get("basis") == "process_only":
        if "parameters" not in unknown:
            return ["unknown: " + ", ".join(sorted(unknown))]
        return ["no model is named, and none is read in code" if "model" in unknown else "the model it names is not known"]
    reasons = []
    for clause in (vram.get("explanation") or "").split("; "):
        clause = clause.removeprefix("a lower bound: ")
        if part := NOT_COUNTED.match(clause):
            reasons += ["not counted: " + NAMED_KEY.sub("", name) for name in re.split(r", and |, ", part[1])]
        elif clause.startswith("activations are unknown"):
            reasons.append("activations unknown" + (", no model named" if "model" in unknown else ""))
        elif "cannot be" in clause:
            reasons.append("operators: " + re.sub(r"\[[\d, ]+\]", "[...]", clause))
    return list(dict.fromkeys(reasons)) or ["unknown: " + ", ".join(sorted(unknown))]


def parameters_of(arguments, project, path):
    """{phase: the fact `parameters`} of a file."""
    answer, _ = projects.answer_of(arguments.gpulint, project, ["facts", path])
    return {phase.get("phase"): phase["facts"].get("parameters") for phase in (answer or {}).get("phases", [])}


def runs_of(arguments, job):
    """A row per run of one file."""
    project, path = job
    answer, said = projects.answer_of(arguments.gpulint, project, ["estimate", path, "--gpu", arguments.gpu])
    row = {"project": project.name, "path": path}
    if answer is None:
        kind = "adds to another" if ADDS_TO_ANOTHER in said else "no answer"
        return [row | {"phase": None, "kind": kind, "width": None, "reasons": [said.strip()[:200]]}]
    estimates = answer if isinstance(answer, list) else [answer]
    kinds = [kind_of(estimate) for estimate in estimates]
    known = parameters_of(arguments, project, path) if {"lower bound", "none"} & set(kinds) else {}
    rows = []
    for estimate, kind in zip(estimates, kinds):
        parameters = known.get(estimate.get("phase"))
        reasons = reasons_of(estimate) if kind in ("lower bound", "none") else []
        vram = estimate.get("vram") or {}
        rows.append(row | {"phase": estimate.get("phase"), "kind": kind, "width": width_of(estimate),
                           "answered_width": answered_width(estimate), "reasons": reasons,
                           "network": of_the_network((parameters or {}).get("detail")),
                           "torn": torn(estimate), "low": vram.get("low"), "high": vram.get("high"), "verdict": vram.get("verdict")})
    return rows


def labelled(table):
    """Paths that a table has as training configs that are runs."""
    rows = [line.split("\t")[:2] for line in table.read_text().splitlines() if "\t" in line]
    return {path for path, label in rows if not label.startswith(("other", "ff:")) and label not in PARTS}


def percentile(values, fraction):
    return sorted(values)[min(len(values) - 1, int(fraction * len(values)))]


def widths(rows, kind):
    values = [row["width"] for row in rows if row["kind"] == kind and row["width"]]
    return f"{statistics.median(values):.2f}, {percentile(values, 0.9):.2f}" if values else "-"


def is_narrow(row):
    return row["kind"] == "bounded" and (row["width"] or 0) <= USEFUL_WIDTH


def said_width(row):
    """Of what a reader is told: the run's own interval, or what conditions leave of it."""
    if is_narrow(row) or not row.get("answered_width"):
        return row["width"] if row["kind"] == "bounded" else None
    return row["answered_width"]


def line_of(name, rows):
    count = collections.Counter(row["kind"] for row in rows)
    runs = sum(count[kind] for kind in KINDS)
    narrow = sum(map(is_narrow, rows))
    answered = sum(not is_narrow(row) and (row.get("answered_width") or math.inf) <= USEFUL_WIDTH for row in rows)
    said = [width for row in rows if row["kind"] in KINDS and (width := said_width(row))]
    return [name, runs, *(count[kind] for kind in KINDS), narrow, answered, projects.share(count["bounded"], runs),
            projects.share(narrow + answered, runs), projects.share(count["none"], runs), widths(rows, "bounded"),
            f"{statistics.median(said):.2f}, {percentile(said, 0.9):.2f}" if said else "-"]


def print_reasons(rows, most):
    for kind in ("none", "lower bound"):
        some = [row for row in rows if row["kind"] == kind]
        count = collections.Counter(reason for row in some for reason in row["reasons"])
        within = collections.defaultdict(set)
        for row in some:
            for reason in row["reasons"]:
                within[reason].add(row["project"])
        print(f"\n{kind}: {len(some)} runs")
        for reason, n in count.most_common(most):
            print(f"  {n:5} in {len(within[reason]):3} projects  {reason}")
    network = collections.Counter(row["network"] for row in rows if row.get("network"))
    print(f"\nof networks read in code, what is not known: {sum(network.values())} runs")
    for what, n in network.most_common(most):
        print(f"  {n:5}  {what}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--gpu", required=True)
    parser.add_argument("--labels", type=pathlib.Path)
    parser.add_argument("--reasons", type=int, default=15, help="how many reasons to print of each kind")
    parser.add_argument("--show", choices=KINDS, action="append", default=[], help="print the runs of this kind")
    parser.add_argument("--torn", action="store_true", help="print the runs that a condition lies outside of")
    projects.add_common_arguments(parser)
    arguments = projects.parse(parser)

    wanted = labelled(arguments.labels) if arguments.labels else None
    folders = projects.folders_of(arguments.folder)
    answers = projects.in_parallel(
        arguments.jobs, lambda folder: projects.check(arguments.gpulint, folder, ["--gpu", arguments.gpu]), folders)
    jobs = [(folder, file["path"]) for folder, answer in zip(folders, answers) for file in answer["files"]
            if file["recognised"] and file.get("targets")
            and (wanted is None or f"{folder.name}/{file['path']}" in wanted)]
    rows = [row for some in projects.in_parallel(arguments.jobs, lambda job: runs_of(arguments, job), jobs) for row in some]

    for row in rows:
        if row["kind"] in arguments.show:
            phase = f" ({row['phase']})" if row["phase"] else ""
            beside = "; ".join(row["reasons"] + ([row["network"]] if row.get("network") else []))
            print(f"{row['kind']}: {row['project']}/{row['path']}{phase}: {beside or row['width']}")
    table = [line_of(folder.name, [row for row in rows if row["project"] == folder.name]) for folder in folders]
    runs = [row for row in rows if row["kind"] in KINDS]
    table.append(line_of("all", rows))
    projects.print_table(["project", "runs", *KINDS, f"bounded, at most {USEFUL_WIDTH} wide", "narrow under conditions", "bounded",
                          "narrow, both", "none", "width: median, p90", "width as said: median, p90"],
                         table)
    shares = {kind: [] for kind in KINDS}
    for folder in folders:
        some = [row["kind"] for row in runs if row["project"] == folder.name]
        for kind in KINDS if some else ():
            shares[kind].append(some.count(kind) / len(some))
    print("\nmean over projects with runs: " + ", ".join(
        f"{100 * statistics.mean(values):.1f} % {kind}" for kind, values in shares.items() if values))
    others = collections.Counter(row["kind"] for row in rows if row["kind"] not in KINDS)
    print(f"files that add to a run of another file: {others['adds to another']}; without an answer: {others['no answer']}")
    for end in ("low", "high"):
        outside = [row for row in runs if row.get("torn") == end]
        print(f"torn at the {end} end: {len(outside)} runs"
              + "".join(f"\n  {row['project']}/{row['path']}" for row in outside if arguments.torn))
    print_reasons(rows, arguments.reasons)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
