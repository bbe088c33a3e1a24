#!/usr/bin/env python3
"""Holds the findings over whole projects against verdicts that people gave them, and shows what a changed rule changes.

    bench/verdicts.py SNAPSHOTS [--gpulint build/release/gpulint] [--unjudged]

SNAPSHOTS has one folder per project, named OWNER__NAME, at the commit that verdicts.tsv names. A row of that table is about the findings of
one rule in the files that a pattern names, on one GPU ("-": without one): `wanted`, `unwanted` (true, and a maintainer shrugs) or
`false`, with the reason. Counted are, by severity, the findings of each verdict and those nobody judged. A row whose findings are no
longer there is printed: LOST where they were wanted, mended otherwise. Exit code 1 where a wanted one is lost or a false one came back.
"""

import argparse
import collections
import csv
import fnmatch
import pathlib
import sys

import projects

TABLE = pathlib.Path(__file__).with_name("verdicts.tsv")
VERDICTS = ("wanted", "unwanted", "false")


def read_table(path=TABLE):
    with open(path, encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)]
    for row in rows:
        if row["verdict"] not in VERDICTS:
            sys.exit(f"{path}: {row['verdict']} is none of {', '.join(VERDICTS)}")
        row["is_mended"] = row["now"] == "mended"
    return rows


def verdict_of(finding, rows):
    """The first row that is about the finding."""
    for row in rows:
        if row["rule"] == finding["rule"] and fnmatch.fnmatch(finding["path"], row["path"]):
            return row
    return None


def judge(findings, rows):
    """(number of findings by severity and verdict, number by row, findings without a verdict)."""
    counts, by_row, unjudged = collections.Counter(), collections.Counter(), []
    for finding in findings:
        row = verdict_of(finding, rows)
        counts[finding["severity"], row["verdict"] if row else "unjudged"] += 1
        if row is None:
            unjudged.append(finding)
        else:
            by_row[id(row)] += 1
    return counts, by_row, unjudged


def changes(rows, by_row):
    """(what, row): wanted findings that are gone, others that are gone or are there again."""
    for row in rows:
        is_there = by_row[id(row)] > 0
        if row["verdict"] == "wanted":
            if not is_there:
                yield "LOST", row
        elif is_there == row["is_mended"]:
            yield ("BACK" if is_there else "mended"), row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapshots", type=pathlib.Path)
    parser.add_argument("--unjudged", action="store_true", help="print the findings that nobody judged")
    parser.add_argument("--gpulint", default="build/release/gpulint")
    arguments = projects.parse(parser)
    groups = collections.defaultdict(list)
    for row in read_table():
        groups[row["project"], row["gpu"]].append(row)
    total, failed = collections.Counter(), False
    for (project, gpu), rows in groups.items():
        folder = arguments.snapshots / project
        if not folder.is_dir():
            print(f"no snapshot of {project}")
            continue
        answer = projects.check(arguments.gpulint, folder, () if gpu == "-" else ("--gpu", gpu))
        counts, by_row, unjudged = judge(answer["findings"], rows)
        total += counts
        for what, row in changes(rows, by_row):
            failed = failed or what in ("LOST", "BACK")
            print(f"{what}: {project} {gpu} {row['rule']} {row['path']}: {row['verdict']}, {row['reason']}")
        for finding in unjudged if arguments.unjudged else ():
            print(f"unjudged: {project} {gpu} {finding['severity']} {finding['rule']} {finding['path']}:{finding['line']}: {finding['message']}")
    columns = (*VERDICTS, "unjudged")
    projects.print_table(["findings", *columns], [[severity, *(total[severity, each] for each in columns)]
                                                  for severity in ("error", "warning", "note")])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
