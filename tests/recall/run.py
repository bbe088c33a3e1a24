#!/usr/bin/env python3
"""Counts how many true cases each rule finds, and fails where one that was found is not any more.

A case is a folder <rule>/<case> with the files of a project and case.txt: the options of `gpulint check` on its first line, and below it why
the finding is true. `missed.txt` lists the cases that are not found yet; precision alone would be met by saying nothing.

    tests/recall/run.py build/release/gpulint
"""

import json
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def finds(program, rule, case):
    options = shlex.split((case / "case.txt").read_text().splitlines()[0])
    command = [program, "check", ".", "--preview", "--fail-on", "never", "--output", "json", *options]
    with tempfile.TemporaryDirectory() as scratch:  # outside of this repository, whose code is not the case's
        project = pathlib.Path(scratch) / "project"
        shutil.copytree(case, project)
        (project / ".git").mkdir()
        shown = subprocess.run(command, cwd=project, capture_output=True, text=True)
    if shown.returncode != 0:
        sys.exit(f"{case}: {shown.stderr}")
    return any(finding["rule"] == rule for finding in json.loads(shown.stdout)["findings"])


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    known = set((HERE / "missed.txt").read_text().split())
    failed = False
    for folder in sorted(path for path in HERE.iterdir() if path.is_dir()):
        cases = sorted(path for path in folder.iterdir() if path.is_dir())
        missed = [case.name for case in cases if not finds(program, folder.name, case)]
        print(f"{folder.name}: {len(cases) - len(missed)} of {len(cases)} found")
        for name in missed:
            is_new = f"{folder.name}/{name}" not in known
            failed = failed or is_new
            print(f"  {'LOST' if is_new else 'missed'}: {name}")
        for name in sorted(case.name for case in cases if case.name not in missed and f"{folder.name}/{case.name}" in known):
            failed = True
            print(f"  found now, take it out of missed.txt: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
