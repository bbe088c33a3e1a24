#!/usr/bin/env python3
"""Holds the facts that gpulint reads in whole projects against labels.

    bench/facts_in_projects.py SNAPSHOTS LABELS.jsonl [--gpulint build/release/gpulint] [--originals FOLDER] [--json FILE]
                               [--wrong] [--missing] [--claimed]

SNAPSHOTS holds the checkout of each project with its code and scripts, as OWNER__NAME. LABELS.jsonl has a labelled file a
line: `path` (the first folder is the project), `is_training_config`, and `facts`, where each fact has a `value` (null:
nothing says it), `also_acceptable` values, and an `origin`:
- stated: the file itself says it;
- elsewhere (`stated-elsewhere`): another file of the run says it;
- default: the framework's or the project's code says it;
- derived: it follows from other facts;
- unknown: nothing says it.

A fact is *right* when a phase of the run that gpulint reads in the file has the value or one that is also acceptable
(what a label says in brackets after a word is a remark, and `gradient_clipping` is another name of `max_grad_norm`);
*wrong* when phases have the fact, but none such a value; *missing* when no phase has it. Per origin,
recall is right / labels and precision is right / (right + wrong). Where the label has no value, anything that is said is
*claimed*: those are counted apart, by origin too. A `seed` is no fact of gpulint's, and its labels are not counted.
`gpulint facts FILE` runs in the project's folder, so that code and
scripts around the file are read.

Left out, and counted, are files that train nothing (`is_training_config` is false: gpulint need not read them), files
that a snapshot lacks, and with --originals (the files as they were labelled, in the same
folders) those that have changed since. --wrong, --missing and --claimed print the rows behind a figure.
"""

import argparse
import collections
import json
import pathlib
import re

import projects

ORIGINS = {"stated": "stated", "stated-elsewhere": "elsewhere", "default": "default", "derived": "derived",
           "unknown": "unknown"}
CHECKPOINTING = {"true": "full", "false": "none"}  # labels say whether, gpulint says how much
OFFLOAD = {"optimizer": "cpu", "optimizer_and_parameters": "cpu"}  # labels say what, gpulint says where to
NAMES = {"gradient_clipping": "max_grad_norm"}  # what labels call otherwise than gpulint
NO_FACTS = {"seed"}  # what labels say beside what gpulint reads


def same(fact, one, other):
    """Whether two values of a fact are equal: as numbers where both are, else as words ("p-tuning" is "p_tuning", "one_cycle" is "onecycle")."""
    one, other = (str(value).lower() if isinstance(value, (bool, str)) else value for value in (one, other))
    if fact == "activation_checkpointing":
        if one == "true":
            return other != "none"
        one, other = (CHECKPOINTING.get(value, value) for value in (one, other))
    if fact == "offload":
        one, other = (OFFLOAD.get(value, value) for value in (one, other))
    try:
        one, other = float(one), float(other)
        return abs(one - other) <= 1e-9 * max(abs(one), abs(other))
    except (TypeError, ValueError):
        one, other = (str(value).lower().replace("-", "").replace("_", "") for value in (one, other))
        return one == other


def values_read(answer, fact):
    """The values that the phases of a run have, with where each comes from. A label may give the height and the width of
    an image, which gpulint has in two facts."""
    read = []
    for phase in answer.get("phases", []):
        found = phase.get("facts", {}).get(fact) or {}
        if found.get("value") is None:
            continue
        read.append(found)
        width = phase["facts"].get("image_width") or {}
        if fact == "image_size" and width.get("value") is not None:
            read.append({**found, "value": [found["value"], width["value"]]})
    return read


def verdict(fact, label, read):
    if label.get("value") is None:
        return "claimed" if read else "silent"
    if not read:
        return "missing"
    accepted = [label["value"], *(label.get("also_acceptable") or [])]
    accepted += [re.sub(r" \(.*\)$", "", value) for value in accepted if isinstance(value, str)]
    return "right" if any(same(fact, value, found["value"]) for value in accepted for found in read) else "wrong"


def rows_of(arguments, record):
    """A row per labelled fact of one file."""
    project, path = record["path"].split("/", 1)
    answer, _ = projects.answer_of(arguments.gpulint, arguments.snapshots / project, ["facts", path])
    rows = []
    for fact, label in (record.get("facts") or {}).items():
        fact = NAMES.get(fact, fact)
        if fact in NO_FACTS:
            continue
        read = values_read(answer or {}, fact)
        rows.append({"path": record["path"], "line": label.get("line"), "fact": fact,
                     "origin": ORIGINS.get(label.get("origin"), "unknown"), "label": label.get("value"),
                     "note": label.get("note") or "", "verdict": verdict(fact, label, read),
                     "read": [{key: found.get(key) for key in ("value", "origin", "path", "line", "detail")}
                              for found in read],
                     "dialect": (answer or {}).get("dialect")})
    return rows


def left_out(arguments, record):
    """Why a labelled file is not asked about; None where it is."""
    here = arguments.snapshots / record["path"]
    if record.get("is_training_config") is False:
        return "train nothing"
    if not here.is_file():
        return "not in the snapshot"
    original = arguments.originals / record["path"] if arguments.originals else None
    if original and original.is_file() and original.read_bytes() != here.read_bytes():
        return "changed since they were labelled"
    return None


def print_rows(rows, wanted):
    for row in rows:
        if row["verdict"] == wanted:
            place = row["path"] + (f":{row['line']}" if row["line"] else "")
            said = "; ".join(f"{found['value']} ({found['origin']}, {found['path'] or '-'}:{found['line'] or '-'}"
                             f"{', ' + found['detail'] if found['detail'] else ''})" for found in row["read"])
            print(f"{wanted}: {place} {row['fact']} [{row['origin']}]: label {row['label']}, read {said or 'nothing'}"
                  f"{' | ' + row['note'] if row['note'] else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapshots", type=pathlib.Path)
    parser.add_argument("labels", type=pathlib.Path)
    parser.add_argument("--originals", type=pathlib.Path, help="the files as they were labelled")
    for wanted in ("wrong", "missing", "claimed"):
        parser.add_argument(f"--{wanted}", action="store_true", help=f"print the facts that are {wanted}")
    projects.add_common_arguments(parser)
    arguments = projects.parse(parser)

    records = [json.loads(line) for line in arguments.labels.read_text().splitlines() if line.strip()]
    reasons = [left_out(arguments, record) for record in records]
    asked = [record for record, reason in zip(records, reasons) if reason is None]
    rows = [row for some in projects.in_parallel(arguments.jobs, lambda record: rows_of(arguments, record), asked)
            for row in some]

    for wanted in ("wrong", "missing", "claimed"):
        if getattr(arguments, wanted):
            print_rows(rows, wanted)
    tally = collections.defaultdict(collections.Counter)
    for row in rows:
        tally[row["origin"]][row["verdict"]] += 1
    table = []
    for origin in ORIGINS.values():
        count = tally[origin]
        said = count["right"] + count["wrong"]
        labels = said + count["missing"]
        table.append([origin, labels, count["right"], count["wrong"], count["missing"],
                      projects.share(count["right"], labels), projects.share(count["right"], said),
                      f"{count['claimed']} of {count['claimed'] + count['silent']}"])
    projects.print_table(["origin", "labels", "right", "wrong", "missing", "recall", "precision", "claimed without a value"],
                         table)
    print(f"\n{len(rows)} labels of {len(asked)} files")
    for reason, count in collections.Counter(reason for reason in reasons if reason).items():
        print(f"files left out, {reason}: {count}")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
