#!/usr/bin/env python3
"""Findings that came and went between two builds of gpulint over whole projects, errors first.

    bench/compare_findings.py OLD NEW FOLDER... [--gpu ID] [--host ID] [--preview] [--json FILE]

OLD and NEW are binaries; each FOLDER is the checkout of one project, in which `gpulint check .` runs once with either.
A finding is known again by its project, file, line, rule and phase: what only NEW has *came*, what only OLD has *went*, and one whose
severity or words differ has *changed*. Files that only one of them takes for configs are counted too.
CPU seconds (user and system) are those of the processes. Exit code 1 when an error came.
"""

import argparse
import collections
import json
import pathlib
import resource
import sys

import projects

SEVERITIES = ("error", "warning", "note")


def place(finding):
    return finding["path"], finding["line"], finding["rule"], finding.get("phase") or "", finding.get("pointer") or ""


def by_place(findings):
    """Several findings of a rule at one place are told apart by their order."""
    seen, placed = collections.Counter(), {}
    for finding in findings:
        key = place(finding)
        placed[(*key, seen[key])] = finding
        seen[key] += 1
    return placed


def compare(old, new):
    """(what, finding) for each finding that came, went or changed."""
    old, new = by_place(old), by_place(new)
    differences = [("came", new[key]) for key in new if key not in old]
    differences += [("went", old[key]) for key in old if key not in new]
    for key in new:
        if key in old and (old[key]["severity"], old[key]["message"]) != (new[key]["severity"], new[key]["message"]):
            differences.append(("changed", new[key] | {"was": f"{old[key]['severity']}: {old[key]['message']}"}))
    return differences


def asked(binary, project, options):
    """The findings and recognised files of a project, and the CPU seconds that the answer took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = projects.check(binary, project, options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return answer["findings"], {file["path"] for file in answer["files"] if file["recognised"]}, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--gpu")
    parser.add_argument("--host")
    parser.add_argument("--preview", action="store_true", help="with the rules that only speak when asked")
    parser.add_argument("--json", type=pathlib.Path, help="write the differences to this file")
    arguments = projects.parse(parser)
    options = ["--preview"] if arguments.preview else []
    for option in ("gpu", "host"):
        if getattr(arguments, option):
            options += [f"--{option}", getattr(arguments, option)]

    rows, table, files = [], [], []
    spent = collections.Counter()
    for project in projects.folders_of(arguments.folder):
        old, old_files, old_seconds = asked(str(arguments.old.resolve()), project, options)
        new, new_files, new_seconds = asked(str(arguments.new.resolve()), project, options)
        differences = compare(old, new)
        rows += [{"what": what, "project": project.name} | finding for what, finding in differences]
        files += [("read now", project.name, path) for path in sorted(new_files - old_files)]
        files += [("no longer read", project.name, path) for path in sorted(old_files - new_files)]
        spent.update(old=old_seconds, new=new_seconds)
        count = collections.Counter(what for what, _ in differences)
        table.append([project.name, len(old), len(new), count["came"], count["went"], count["changed"],
                      f"{old_seconds:.2f}", f"{new_seconds:.2f}"])

    rows.sort(key=lambda row: (SEVERITIES.index(row["severity"]), row["rule"], row["what"], row["project"], row["path"],
                               row["line"]))
    for row in rows:
        print(f"{row['what']}: {row['severity']} {row['rule']} {row['project']}/{row['path']}:{row['line']}: "
              f"{row['message']}{' | was ' + row['was'] if 'was' in row else ''}")
    for what, project, path in files:
        print(f"{what}: {project}/{path}")
    print()
    total = [sum(row[i] for row in table) for i in range(1, 6)]
    table.append(["all", *total, f"{spent['old']:.2f}", f"{spent['new']:.2f}"])
    projects.print_table(["project", "old", "new", "came", "went", "changed", "old CPU s", "new CPU s"], table)
    for severity in SEVERITIES:
        count = collections.Counter(row["what"] for row in rows if row["severity"] == severity)
        print(f"{severity}s: {count['came']} came, {count['went']} went, {count['changed']} changed")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    return 1 if any(row["what"] == "came" and row["severity"] == "error" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
