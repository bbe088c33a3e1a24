#!/usr/bin/env python3
"""Writes knowledge/catalogue/ from released packages: which keys each framework takes, by release.

    python3 tools/catalogue/make.py --cache ~/.cache/gpulint-catalogue [--only trl,peft]
        [--checkout megatron-lm=../Megatron-LM@COMMIT]

Packages are downloaded with pip into the cache, opened as archives and read as syntax trees: nothing is installed,
imported or run.
"""

import argparse
import ast
import datetime
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import extract  # noqa: E402
import merge  # noqa: E402
import releases as packages  # noqa: E402
import source_tree  # noqa: E402
import sources  # noqa: E402
import write  # noqa: E402


def files_defining(tree, name, part):
    pattern = re.compile(rf"^\s{{0,8}}(?:class|def) {re.escape(name)}\b", re.MULTILINE)
    paths = [path for path in tree.texts if part in path and path.endswith(".py")]
    found = [path for path in paths if pattern.search(tree.texts[path])]
    return sorted(found, key=lambda p: (p.count("/"), p))


def read_fields(extractor, tree, spec, tables):
    for path in files_defining(tree, spec.name, spec.file):
        table = extractor.fields(path, spec.name)
        if table and (table.keys or table.extends):
            tables[spec.table or spec.name] = table
            return


def read_all_fields(extractor, tree, spec, tables):
    together = extract.Table()
    for path in sorted(p for p in tree.texts if p.endswith(spec.file)):
        module = tree.module(path)
        for node in module.body if module is not None else ():
            if isinstance(node, ast.ClassDef) and extract.is_fields(node, tree, path):
                table = extractor.fields(path, node.name)
                together.file = together.file or table.file
                for name, key in table.keys.items():
                    known = together.keys.get(name)
                    # What two classes call by one name may be two things.
                    together.keys[name] = key if known in (None, key) else extract.Key()
    if together.keys:
        tables[spec.table] = together


def read_calls(extractor, tree, spec, tables):
    for name in spec.names:
        for path in files_defining(tree, name, spec.file):
            table = extractor.signature(path, name, spec.skip)
            if table:
                table.call = not spec.table
                tables[spec.table or name] = table
                break


def read_release(package, texts):
    """{table: extract.Table} of one release."""
    tree = source_tree.SourceTree(texts)
    extractor = extract.Extractor(tree, package.outside)
    tables = {}
    for spec in package.reads:
        if isinstance(spec, sources.Fields):
            read_fields(extractor, tree, spec, tables)
        elif isinstance(spec, sources.AllFields):
            read_all_fields(extractor, tree, spec, tables)
        elif isinstance(spec, sources.Call):
            read_calls(extractor, tree, spec, tables)
        elif isinstance(spec, sources.Arguments):
            paths = sorted(p for p in texts if p.endswith(".py") and any(part in p for part in spec.files))
            table = extractor.arguments(paths)
            if table:
                tables[spec.table] = table
        elif isinstance(spec, sources.Defaults):
            for path in sorted(p for p in texts if p.endswith(spec.file)):
                tables[spec.table] = extract.yaml_keys(texts[path])
                tables[spec.table].file = path
    for path, name in extractor.wanted:  # grows while it is walked
        if name not in tables:
            table = extractor.fields(path, name)
            if table:
                tables[name] = table
    for table in tables.values():
        for key in package.always:
            table.keys[key] = extract.Key()
    for spot, (file, enum) in package.choices.items():
        table, _, key = spot.partition(".")
        path = next((p for p in texts if p.endswith(file)), None)
        members = tree.members(path, enum) if path else None
        if members and table in tables and key in tables[table].keys:
            tables[table].keys[key].choices = tuple(members.values())
            tables[table].keys[key].checked = True
            tables[table].keys[key].types = frozenset({"choice"})
    return tables


def merged_tables(package, read):
    """`read`: the tables of each release, in order."""
    tables = {}
    for name in sorted({name for release in read for name in release}):
        having = [(i, release[name]) for i, release in enumerate(read) if name in release]
        keys = merge.merge_keys([(i, table.keys) for i, table in having])
        for key, now in package.renamed.items():
            if key in keys and not keys[key].now:
                keys[key].now = now
        for key in keys.values():
            if key.now not in keys:
                key.now = ""
            # A class that nobody reads into a table of its own is any mapping.
            if key.latest.table and not any(key.latest.table in release for release in read):
                key.latest.table = ""
        newest = having[-1][1]
        tables[name] = {
            "first": having[0][0],
            "last": having[-1][0],
            "file": newest.file,
            "extends": sorted(set(newest.extends)),
            "open": any(table.is_open for _, table in having),
            "call": getattr(newest, "call", False),
            "keys": keys,
        }
    return tables


def make_from_checkout(package, folder, commit, target):
    """One "release": the commit that is checked out."""
    wanted = (package.folder or package.name) + "/"
    texts = packages.texts_below(folder, lambda name: name.startswith(wanted) and name.endswith(".py"))
    tables = merged_tables(package, [read_release(package, texts)])
    where = f"{package.name} at commit {commit}"
    text = write.file_text(package, [commit[:12]], tables, datetime.date.today().isoformat(), where)
    (target / f"{package.name}.yaml").write_text(text)
    return sum(len(table["keys"]) for table in tables.values())


def make(package, cache, offline, target):
    folder = package.folder or package.name.replace("-", "_")
    read, releases = [], []
    for version in package.releases:
        archive = packages.archive_of(package.name, version, cache, offline)
        if archive is None:
            print(f"{package.name} {version}: no archive", file=sys.stderr)
            continue
        texts = packages.texts_of(
            archive, lambda name: name.startswith(folder + "/") and name.endswith((".py", "default.yaml"))
        )
        tables = read_release(package, texts)
        if tables:
            read.append(tables)
            releases.append(version)
    if not read:
        return 0
    tables = merged_tables(package, read)
    where = f"{package.name} {releases[0]} to {releases[-1]}, the packages of the Python index"
    text = write.file_text(package, releases, tables, datetime.date.today().isoformat(), where)
    (target / f"{package.name}.yaml").write_text(text)
    return sum(len(table["keys"]) for table in tables.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", required=True, help="folder for the packages, outside of the repository")
    parser.add_argument("--only", default="", help="packages, separated by commas")
    parser.add_argument("--offline", action="store_true", help="read what the cache has, download nothing")
    parser.add_argument(
        "--checkout",
        action="append",
        default=[],
        metavar="PACKAGE=FOLDER@COMMIT",
        help="sources that are not in the index, and the commit they were checked out at",
    )
    arguments = parser.parse_args()
    checkouts = dict(text.split("=", 1) for text in arguments.checkout)
    target = pathlib.Path(__file__).resolve().parents[2] / "knowledge" / "catalogue"
    target.mkdir(exist_ok=True)
    only = set(filter(None, arguments.only.split(",")))
    for package in sources.PACKAGES:
        if package.name in checkouts:
            folder, _, commit = checkouts[package.name].rpartition("@")
            print(f"{package.name}: {make_from_checkout(package, folder, commit, target)} keys")
        elif package.releases and (not only or package.name in only):
            print(f"{package.name}: {make(package, arguments.cache, arguments.offline, target)} keys")


if __name__ == "__main__":
    main()
