#!/usr/bin/env python3
"""How often each rule speaks over a folder of configs, per dialect, with a sample to judge.

    bench/precision.py GPULINT FOLDER [--gpu ID] [--host ID] [--sample N] [--rule RULE] [--json FILE]
    bench/precision.py GPULINT FOLDER --gpu ID --host ID --recount docs/precision.md [--update]

With --recount only the counts are compared with those the page states, and differences fail; --update writes them into the
page and the rule files instead. A rule that has no row there has to be judged first.

A count says nothing about whether a rule is right: each finding of the sample is printed with its
place and its line, to be read against the file and the code of its framework. What was read is
recorded in docs/precision.md. The sample is the same in every run: findings are ordered by a hash
of their place, so that neighbours in a folder, which are often copies of one another, are not
judged instead of the whole.
"""

import argparse
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys


# The corpus has a part of each project's files: that others are absent says nothing of the project.
ABOUT_ABSENT_FILES = {"option-not-in-group"}
RULES = pathlib.Path(__file__).parents[1] / "rules"


def findings_of(arguments):
    command = [arguments.gpulint, "check", "--output", "json", "--preview", "--fail-on", "never"]
    for option in ("gpu", "host"):
        if getattr(arguments, option):
            command += [f"--{option}", getattr(arguments, option)]
    result = subprocess.run(command + [arguments.folder], capture_output=True, text=True, check=False)
    if not result.stdout:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    report = json.loads(result.stdout)
    dialects = {file["path"]: file["dialect"] for file in report["files"] if file["recognised"]}
    return report["findings"], dialects


def order(finding):
    place = f"{finding['path']}:{finding['line']}:{finding['rule']}"
    return hashlib.sha256(place.encode()).hexdigest()


def line_of(finding):
    try:
        lines = pathlib.Path(finding["path"]).read_text(errors="replace").splitlines()
        return lines[finding["line"] - 1].strip()[:100]
    except (OSError, IndexError):
        return ""


def stated_counts(page):
    """Findings per rule as the table of docs/precision.md has them."""
    counts, in_table = {}, False
    for line in pathlib.Path(page).read_text().splitlines():
        in_table = line.startswith("| rule | findings |") or (in_table and line.startswith("|"))
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if in_table and len(cells) > 3 and cells[1].isdigit():
            counts[cells[0]] = int(cells[1])
    return counts


def update_counts(page, counted, errors):
    """Writes the counts into the rows of the page, its sentence on errors and the rule files."""
    text = page.read_text()
    for rule, findings in counted.items():
        text = re.sub(rf"^(\| {re.escape(rule)} \| )\d+(?= \| \d+ \| \d+ \| \d+ % \|)", rf"\g<1>{findings}", text, flags=re.MULTILINE)
        for file in RULES.glob(f"*/{rule}.yaml"):
            file.write_text(re.sub(r"^(precision: \{findings: )\d+", rf"\g<1>{findings}", file.read_text(), flags=re.MULTILINE))
    *first, last = [f"{rule} ({count})" for rule, count in sorted(errors.items())]
    text = re.sub(r"^The errors are from [^.]*\.", f"The errors are from {', '.join(first)} and {last}.", text, flags=re.MULTILINE)
    page.write_text(text)


def recount(by_rule, page, is_updated):
    counted = {rule: len(findings) for rule, findings in by_rule.items() if rule not in ABOUT_ABSENT_FILES}
    if is_updated:
        errors = {rule: sum(each["severity"] == "error" for each in by_rule[rule]) for rule in counted}
        update_counts(pathlib.Path(page), counted, {rule: count for rule, count in errors.items() if count})
    stated = stated_counts(page)
    wrong = [
        f"{rule}: {page} says {stated.get(rule, 0)}, counted {counted.get(rule, 0)}"
        for rule in sorted({*stated, *counted})
        if stated.get(rule, 0) != counted.get(rule, 0)
    ]
    print("\n".join(wrong) or f"{len(counted)} rules fire as often as {page} says")
    sys.exit(1 if wrong else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gpulint")
    parser.add_argument("folder")
    parser.add_argument("--gpu")
    parser.add_argument("--host")
    parser.add_argument("--sample", type=int, default=20, help="findings to judge per rule")
    parser.add_argument("--rule", help="only this rule")
    parser.add_argument("--json", help="write counts per rule and dialect here")
    parser.add_argument("--recount", metavar="PAGE", help="compare the counts with this page's table")
    parser.add_argument("--update", action="store_true", help="write the counts into the page and the rule files")
    arguments = parser.parse_args()

    findings, dialects = findings_of(arguments)
    by_rule = collections.defaultdict(list)
    for finding in findings:
        by_rule[finding["rule"]].append(finding)
    if arguments.recount:
        recount(by_rule, arguments.recount, arguments.update)
    counts = {
        rule: dict(sorted(collections.Counter(dialects.get(f["path"], "?") for f in some).items()))
        for rule, some in sorted(by_rule.items())
    }
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(counts, indent=1) + "\n")
    print(f"{len(dialects)} configs, {len(findings)} findings of {len(by_rule)} rules")
    for rule, per_dialect in counts.items():
        if arguments.rule and rule != arguments.rule:
            continue
        some = sorted(by_rule[rule], key=order)
        severities = collections.Counter(f["severity"] for f in some)
        print(f"\n== {rule}: {len(some)} ({', '.join(f'{n} {s}' for s, n in sorted(severities.items()))})")
        print("   " + ", ".join(f"{dialect} {n}" for dialect, n in per_dialect.items()))
        for finding in some[: arguments.sample]:
            print(f"   {finding['path']}:{finding['line']}: {finding['message']}")
            print(f"      | {line_of(finding)}")


if __name__ == "__main__":
    main()
