#!/usr/bin/env python3
"""Folds model files that tools/trace_model.py wrote before it folded what occurs again beside modules.

    tools/fold_model.py model_db/recorded/timm/*.yaml

Rewrites `define` and `program` of each file in place and leaves the other lines as they are; the program runs
the same operators. Needs PyYAML.
"""

import pathlib
import re
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "packaging" / "python"))

from gpulint.tracing import statements, write  # noqa: E402


def model_of(text):
    data = yaml.load(text, yaml.BaseLoader)
    model = statements.Model(set(data["dimensions"] or {}))
    for name, definition in (data.get("define") or {}).items():
        parameters = {k: None if v == "~" else v for k, v in (definition.get("parameters") or {}).items()}
        model.definitions[name] = statements.Definition(parameters, definition["body"])
    model.program = data["program"]
    return model


def folded(text):
    """The text of a model file with its program folded."""
    begin = re.search(r"^(define|program):\n", text, re.MULTILINE).start()
    program = text.index("\nprogram:\n") + len("\nprogram:\n")
    end = re.search(r"^\w", text[program:], re.MULTILINE)
    rest = text[program + end.start() :] if end else ""
    return text[:begin] + "\n".join(write.folded_lines(model_of(text))) + "\n" + rest


def main():
    for path in map(pathlib.Path, sys.argv[1:]):
        text = path.read_text()
        path.write_text(folded(text))


if __name__ == "__main__":
    main()
