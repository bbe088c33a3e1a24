#!/usr/bin/env python3
"""Compares the dialects gpulint finds in a folder of configs with a table of labels.

    bench/recognition.py FOLDER TABLE.tsv [--gpulint build/release/gpulint] [--all]

TABLE has a path below FOLDER and a label per line. A label is answered when the dialect found lists it under
`answers_to`. Rows labelled `other`, `unparsable` or `ff:...` are no training configs; of the rest, a file that was left
alone is right too when none of its keys states a batch, a learning rate, a precision, a device or a model.
Prints a Markdown table per label, the two rates, and the differences (with --all every one of them).
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

# Keys that state something about a run; what a fragment without any of them says, no rule asks about.
STATES = re.compile(
    r"""^[\s\-{,]*["']?-{0,2}(
        \w*batch_?size\w* | \w*batch | bs | tokens | \w*micro\w*batch\w*
      | \w*learning_?rate | \w*lr\d? | peak_lr
      | precision | \w*fp16\w* | \w*bf16\w* | \w*amp | \w*mixed_precision\w* | \w*dtype
      | devices | gpus | n_?gpus?\w* | num_gpus?\w* | num_processes | nproc\w* | num_nodes | world_size
      | model | model_name\w* | base_model\w* | backbone | arch\w* | hidden_size | num_layers
    )["']?\s*[:=]""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)


def labels_of_dialects(root):
    answers = {}
    for path in sorted((root / "dialects").glob("*.yaml")):
        found = re.search(r"^answers_to:\s*\[(.*?)\]", path.read_text(), re.MULTILINE | re.DOTALL)
        answers[path.stem] = {word.strip().strip("\"'") for word in found.group(1).split(",")} if found else set()
    return answers


def is_training(label):
    return label not in ("other", "unparsable") and not label.startswith("ff:")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--gpulint", default="build/release/gpulint")
    parser.add_argument("--all", action="store_true", help="print every difference, not the first 10 of each kind")
    arguments = parser.parse_args()

    answers = labels_of_dialects(pathlib.Path(__file__).resolve().parent.parent)
    output = subprocess.run([arguments.gpulint, str(arguments.folder), "--output", "json"],
                            capture_output=True, text=True, check=False).stdout
    found = {}
    for file in json.loads(output)["files"]:
        found[str(pathlib.Path(file["path"]).relative_to(arguments.folder))] = file
    rows = [line.split("\t") for line in arguments.table.read_text().splitlines() if "\t" in line]

    counts = collections.defaultdict(collections.Counter)
    differences = collections.defaultdict(list)
    for path, label in rows:
        file = found.get(path)
        if file is None:
            verdict = "not found"
        else:
            dialect = file.get("dialect") or ""
            if not is_training(label):
                verdict = "taken" if dialect else "left alone"
            elif label in answers.get(dialect, ()):
                verdict = "right"
            elif dialect:
                verdict = "other label"
            else:
                text = (arguments.folder / path).read_text(errors="replace")
                verdict = "missed" if STATES.search(text) else "fragment"
        counts[label][verdict] += 1
        if verdict in ("taken", "other label", "missed"):
            reason = file.get("reason") or file.get("dialect") or ""
            differences[verdict].append(f"{path} ({label}): {reason}")

    print("| label | files | right | fragment left alone | other label | missed | taken |\n|---|--:|--:|--:|--:|--:|--:|")
    for label, verdicts in sorted(counts.items(), key=lambda item: -sum(item[1].values())):
        cells = [verdicts[kind] for kind in ("right", "fragment", "other label", "missed", "taken")]
        print(f"| {label} | {sum(verdicts.values())} | " + " | ".join(str(cell) for cell in cells) + " |")
    training = [verdicts for label, verdicts in counts.items() if is_training(label)]
    others = [verdicts for label, verdicts in counts.items() if not is_training(label)]
    total = sum(sum(verdicts.values()) for verdicts in training)
    good = sum(verdicts["right"] + verdicts["fragment"] for verdicts in training)
    foreign = sum(sum(verdicts.values()) for verdicts in others)
    taken = sum(verdicts["taken"] for verdicts in others)
    print(f"\ntraining configs recognised: {good} of {total} ({100 * good / max(total, 1):.2f} %)")
    print(f"others taken for training configs: {taken} of {foreign} ({100 * taken / max(foreign, 1):.2f} %)")
    for kind, lines in differences.items():
        shown = lines if arguments.all else lines[:10]
        print(f"\n{kind}: {len(lines)}")
        for line in shown:
            print(f"  {line}")


if __name__ == "__main__":
    sys.exit(main())
