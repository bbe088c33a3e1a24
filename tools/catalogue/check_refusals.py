#!/usr/bin/env python3
"""Holds the refusals that rules and dialects cite against the packages they are cited from.

An error says that a run is refused. Its rule cites the code that does, as "PROJECT [releases], path/file.py, symbol: what", and a
dialect's `raises` as "package, path/file.py, symbol". Each cited file is looked up in a release of the package, with the symbol in it,
and the symbol has to raise, to assert or to end the program. Exit code 1 where one does not, or where an error cites nothing that can
be looked up.

    python3 tools/catalogue/check_refusals.py --cache ~/.cache/gpulint-catalogue --clone Megatron-LM=../Megatron-LM

A project that is in no package, or whose package lacks the file, is read from a git clone.
"""

import argparse
import ast
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import releases  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
# How citations name what the index calls otherwise.
PACKAGES = {
    "PyTorch": "torch", "DeepSpeed": "deepspeed", "LLaMA-Factory": "llamafactory", "TRL": "trl", "PEFT": "peft", "LitGPT": "litgpt",
    "Lightning": "pytorch-lightning", "Megatron-LM": "megatron-core", "Composer": "mosaicml", "NeMo": "nemo-toolkit",
}
# Budgets and code of the project itself: nothing refuses what does not fit.
UNCITED = {
    "vram-over-budget", "host-ram-over-budget", "cpu-offload-exceeds-ram", "full-state-dict-exceeds-ram", "shared-memory-too-small",
    "evaluation-batch-over-budget", "ema-copy-over-budget", "option-refused",
    # Cited by each dialect, and by the catalogue's tables.
    "value-refused", "key-refused",
    # C++ of PyTorch, of which its wheel has no text.
    "allocator-split-size-refused", "allocator-threshold-refused", "more-experts-per-token-than-experts",
}
# What stands between the files and the symbols of a citation.
GLUE = {"and", "or", "in", "py", "the", "of", "before", "src"}
CITATION = re.compile(r"^(?P<name>[A-Za-z][\w.-]*)(?P<releases>[^,]*), (?P<files>[\w./-]+\.py)(?P<rest>.*)$")
ENDS = (ast.Raise, ast.Assert)


def citations():
    """(rule or dialect, citation) of every refusal; rules with none are named with ""."""
    for path in sorted((ROOT / "rules").rglob("*.yaml")):
        text = path.read_text()
        if not re.search(r"^severity: error", text, re.M):
            continue
        block = re.search(r"^sources:\n((?:  - .*\n)+)", text, re.M)
        cited = [line.strip()[3:].strip('"') for line in block.group(1).splitlines()] if block else []
        usable = [each for each in cited if CITATION.match(each) and not each.startswith("gpulint")]
        yield from ((path.stem, each) for each in usable)
        if not usable:
            yield path.stem, ""
    for path in sorted((ROOT / "dialects").glob("*.yaml")):
        for cited in sorted(set(re.findall(r'raises: "([^"]+)"', path.read_text()))):
            yield f"dialect {path.stem}", cited


class Package:
    def __init__(self, name, cache, offline, clone=None):
        self.texts = {}
        if clone:
            self.version = "its clone"
            self.texts = releases.texts_at(clone, "HEAD", lambda path: path.endswith(".py"))
            return
        version = newest(name, cache, offline)
        self.version = version
        archive = releases.archive_of(name, version, cache, offline) if version else None
        if archive:
            self.texts = releases.texts_of(archive, lambda path: path.endswith(".py"))

    def named(self, file):
        """The file of a citation: projects keep theirs below src/, wheels do not."""
        file = file.removeprefix("src/").replace("lightning/pytorch/", "pytorch_lightning/")
        return next((path for path in self.texts if path == file or path.endswith("/" + file)), None)


def newest(package, cache, offline):
    folder = pathlib.Path(cache) / package
    if offline:
        found = [re.search(r"-(\d[\w.]*?)(-|\.tar|\.zip)", path.name) for path in sorted(folder.glob("*"))] if folder.is_dir() else []
        found = [each.group(1) for each in found if each]
        return max(found, key=lambda v: [int(n) for n in re.findall(r"\d+", v)], default=None)
    shown = subprocess.run([sys.executable, "-m", "pip", "index", "versions", package], capture_output=True, text=True)
    match = re.search(r"\((.+?)\)", shown.stdout)
    return match.group(1) if match else None


def ends_run(tree, symbols):
    """True where one of the symbols is defined and what it holds may end the run."""
    for node in ast.walk(tree):
        named = getattr(node, "name", None)
        if named in symbols and any(isinstance(each, ENDS) or is_error(each) for each in ast.walk(node)):
            return True
    return False


def is_error(node):
    called = node.func if isinstance(node, ast.Call) else None
    return getattr(called, "attr", getattr(called, "id", "")) in ("error", "exit", "divide", "ensure_divisibility", "CLI")


def judge(cited, package):
    match = CITATION.match(cited)
    path = package.named(match["files"])
    if path is None:
        return f"no {match['files']} in {package.version}"
    words = set(re.findall(r"[A-Za-z_]\w*", match["rest"].split(":")[0])) - GLUE
    try:
        tree = ast.parse(package.texts[path])
    except SyntaxError:
        return f"{path} cannot be read"
    if not words:
        return "" if any(isinstance(each, ENDS) for each in ast.walk(tree)) else f"{path} raises nothing"
    return "" if ends_run(tree, words) else f"{path} has nothing named {' or '.join(sorted(words))} that ends the run"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", required=True, help="folder for what is downloaded")
    parser.add_argument("--offline", action="store_true", help="look only at what the cache has")
    parser.add_argument("--clone", action="append", default=[], metavar="NAME=FOLDER", help="a clone to read a project from")
    arguments = parser.parse_args()
    clones = dict(each.split("=", 1) for each in arguments.clone)
    packages, verdicts, wrong = {}, {}, []
    for owner, cited in citations():
        if not cited:
            verdicts.setdefault(owner, []).append(None)
            continue
        name = CITATION.match(cited)["name"] if CITATION.match(cited) else cited.split(",")[0]
        if not CITATION.match(cited):
            wrong.append(f"{owner}: cannot be looked up: {cited}")
            continue
        package = PACKAGES.get(name, name).lower().replace("_", "-")
        if package not in packages:
            packages[package] = Package(package, arguments.cache, arguments.offline, clones.get(name))
        if not packages[package].texts:
            verdicts.setdefault(owner, []).append(None)
            print(f"not in the index or the cache: {package}, for {owner}")
            continue
        found = judge(cited, packages[package])
        verdicts.setdefault(owner, []).append(not found)
        if found:
            print(f"{owner}: {found} ({cited[:100]})")
    checked = [owner for owner, all_of in verdicts.items() if True in all_of]
    for owner, all_of in sorted(verdicts.items()):
        if True not in all_of and owner not in UNCITED:
            wrong.append(f"{owner}: no refusal that was found in a package")
    print(f"{len(checked)} of {len(verdicts)} rules and dialects with a refusal that stands in a package")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
