#!/usr/bin/env python3
"""agreement.py GPULINT FOLDER... [--sample N]: the findings of open files are those of `gpulint check`, and every
question about them is answered, also while their text is broken.

Of each folder at most N configs that gpulint recognises are opened, asked about and edited at random; the sample and the
edits are the same in every run.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys

from client import Client, uri_of

QUESTIONS = ("hover", "definition", "completion")


def report_of(program, *words):
    command = [program, "check", "--output", "json", "--fail-on", "never", *map(str, words)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)


def findings_of(program, path):
    report = report_of(program, "--force-exclude", path)
    return sorted((each["rule"], each["line"]) for each in report["findings"] if each["path"] == str(path))


def ask_everything(client, path, lines, dice):
    document = {"uri": uri_of(path)}
    for number in dice.sample(range(len(lines)), min(4, len(lines))):
        place = {"line": number, "character": dice.randint(0, len(lines[number]))}
        for question in QUESTIONS:
            client.request(f"textDocument/{question}", {"textDocument": document, "position": place})
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    for only in ([], ["source"]):
        context = {"diagnostics": [], "only": only}
        client.request("textDocument/codeAction", {"textDocument": document, "range": whole, "context": context})
    client.request("textDocument/inlayHint", {"textDocument": document, "range": whole})
    for question in ("codeLens", "documentLink"):
        client.request(f"textDocument/{question}", {"textDocument": document})


def edit(client, path, lines, dice, version):
    number = dice.randrange(len(lines))
    place = {"line": number, "character": dice.randint(0, len(lines[number]))}
    client.change(path, [{"range": {"start": place, "end": place}, "text": dice.choice('a1: [{\n"#é')}], version)
    client.wait_for_version(path, version)


def look_at(client, program, path, dice):
    """The findings that differ."""
    text = path.read_text(encoding="utf-8", errors="strict")
    client.open(path, text)
    shown = client.wait_for_version(path, 1)
    got = sorted((each["code"], each["range"]["start"]["line"] + 1) for each in shown)
    lines = text.splitlines() or [""]
    ask_everything(client, path, lines, dice)
    for version in range(2, 5):
        edit(client, path, lines, dice, version)
    ask_everything(client, path, lines, dice)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri_of(path)}})
    expected = findings_of(program, path)
    return None if got == expected else f"{path}: shown {got}, expected {expected}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpulint")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--sample", type=int, default=20)
    options = parser.parse_args()
    dice = random.Random(1)
    differences, files = [], 0
    for folder in options.folders:
        folder = folder.resolve()
        report = report_of(options.gpulint, folder)
        configs = [pathlib.Path(each["path"]) for each in report["files"] if each["recognised"]]
        client = Client(options.gpulint, timeout=60)
        client.initialize([folder])
        for path in dice.sample(configs, min(options.sample, len(configs))):
            try:
                difference = look_at(client, options.gpulint, path, dice)
            except UnicodeDecodeError:
                continue  # no editor shows it as text
            files += 1
            if difference:
                differences.append(difference)
        if client.close() != 0:
            differences.append(f"{folder}: the server did not end well")
    print("\n".join(differences + [f"{files} files, {len(differences)} differences"]))
    sys.exit(1 if differences or files == 0 else 0)


main()
