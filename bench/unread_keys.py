#!/usr/bin/env python3
"""How many of the keys that bear on a run gpulint does not understand, by dialect.

    bench/unread_keys.py FOLDER... [--words bench/bearing_words.tsv] [--dialect ID] [--top N] [--json FILE]

A key *bears* on a run where a word of the table is in its name, as a whole part of it (`lr` is in `base_lr`, not in `early`),
that is: on memory, time, precision, learning rate, data loading or parallelism; words of the area `-` take a key out again.
It is *unread* where `gpulint facts FILE --unread` lists it: no fact came from it, and the dialect does not name it either.
Files are read one by one, without the code around them. Of a file that is no training config of a known dialect (`generic`
keys are those of no framework), nothing is counted. --dialect prints that dialect's unread keys, the most frequent first.
"""

import argparse
import collections
import json
import pathlib
import re

import projects

GENERIC = ("generic", "")  # configs of no framework


def words_of(table):
    """What a name that bears has, and what one that does not has."""
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:] if line]
    pattern = "(^|_)({})s?(_|\\d|$)"
    return [re.compile(pattern.format("|".join(re.escape(row[0]) for row in rows if (row[1] == "-") == is_out)))
            for is_out in (False, True)]


def bears(words, key):
    """Whole parts: plurals too, and what is written in CamelCase."""
    plain = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", key).lower().replace("-", "_")
    return bool(words[0].search(plain)) and not words[1].search(plain)


def last(path):
    return path.rsplit(".", 1)[-1]


def leaves(value, path=""):
    """Dotted paths of the settings of a config; a list of plain values is one."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, f"{path}.{key}" if path else str(key))
    elif path and not (isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value)):
        yield path


def settings_of(path):
    import yaml  # only this measurement needs it

    class Loader(yaml.SafeLoader):
        """Tags of other programs are plain values."""

    def plain(loader, _suffix, node):
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node)
        return loader.construct_sequence(node) if isinstance(node, yaml.SequenceNode) else loader.construct_scalar(node)

    Loader.add_multi_constructor("", plain)
    try:
        text = path.read_text(errors="replace")
        documents = [json.loads(text)] if path.suffix == ".json" else list(yaml.load_all(text, Loader))
    except (ValueError, yaml.YAMLError, TypeError, RecursionError):
        return []
    return [each for document in documents for each in leaves(document)]


def counted(gpulint, words, root, path):
    """(dialect, keys that bear, unread ones) of one file; None of what is no config."""
    answer, _ = projects.answer_of(gpulint, root, ["facts", str(path.relative_to(root)), "--unread", "--no-code"])
    dialect = (answer or {}).get("dialect") or ""
    if dialect in GENERIC:
        return None
    keys = [each for each in settings_of(path) if bears(words, last(each))]
    unread = [each["key"] for each in answer.get("unread", []) if bears(words, last(each["key"]))]
    return dialect, keys, unread


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--words", type=pathlib.Path, default=pathlib.Path(__file__).with_name("bearing_words.tsv"))
    parser.add_argument("--dialect", help="print the unread keys of this dialect")
    parser.add_argument("--top", type=int, default=60, help="how many of them")
    projects.add_common_arguments(parser)
    arguments = parser.parse_args()

    gpulint = str(pathlib.Path(arguments.gpulint).resolve())
    words = words_of(arguments.words)
    files = [(folder, path) for folder in projects.folders_of(arguments.folders)
             for path in sorted(folder.rglob("*")) if path.suffix in (".yaml", ".yml", ".json") and path.is_file()]
    rows = projects.in_parallel(arguments.jobs, lambda each: counted(gpulint, words, *each), files)
    totals, unread, examples = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)
    for row in rows:
        if row is None:
            continue
        dialect, keys, missed = row
        totals[dialect] += max(len(keys), len(missed))  # a file that only gpulint can parse has its unread ones
        unread[dialect] += len(missed)
        examples[dialect].update(missed)
    if arguments.dialect:
        for key, count in examples[arguments.dialect].most_common(arguments.top):
            print(f"{count:5} {key}")
        return
    order = sorted(totals, key=lambda each: -unread[each])
    table = [(each, totals[each], unread[each], projects.share(unread[each], totals[each])) for each in order]
    table.append(("all", sum(totals.values()), sum(unread.values()),
                  projects.share(sum(unread.values()), sum(totals.values()))))
    projects.print_table(("dialect", "keys that bear", "unread", "share"), table)
    if arguments.json:
        arguments.json.write_text(json.dumps({each: examples[each].most_common() for each in order}, indent=1) + "\n")


if __name__ == "__main__":
    main()
