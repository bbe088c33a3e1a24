#!/usr/bin/env python3
"""Writes knowledge/catalogue/ from released packages: which keys each framework takes, by release.

    python3 tools/catalogue/make.py --cache ~/.cache/gpulint-catalogue [--only trl,peft]
        [--clone detectron2=../detectron2]

Packages are downloaded with pip into the cache, opened as archives and read as syntax trees: nothing is installed,
imported or run.
"""

import argparse
import ast
import datetime
import itertools
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
            name = spec.table or spec.name
            tables[name] = joined(tables[name], table) if spec.table and name in tables else table
            return


def joined(one, other):
    """What either of two classes takes."""
    for name, key in other.keys.items():
        known = one.keys.get(name)
        # What two classes call by one name may be two things.
        one.keys[name] = key if known in (None, key) else extract.Key()
    one.extends += [name for name in other.extends if name not in one.extends]
    one.is_open |= other.is_open
    one.file = one.file or other.file
    return one


def read_all_fields(extractor, tree, spec, tables):
    together = extract.Table()
    for path in sorted(p for p in tree.texts if p.endswith(spec.files)):
        module = tree.module(path)
        for node in module.body if module is not None else ():
            if isinstance(node, ast.ClassDef) and extract.is_fields(node, tree, path):
                joined(together, extractor.fields(path, node.name))
    if spec.names_only:
        together.keys = {name: extract.Key() for name in together.keys}
    if together.keys:
        tables[spec.table] = joined(tables[spec.table], together) if spec.table in tables else together


def read_calls(extractor, tree, spec, tables):
    for name in spec.names:
        for path in files_defining(tree, name, spec.file):
            table = extractor.signature(path, name, spec.skip)
            if table:
                table.call = not spec.table
                known = tables.get(spec.table)
                tables[spec.table or name] = joined(known, table) if known else table
                break


def read_all_calls(extractor, tree, spec, tables):
    for path in sorted(p for p in tree.texts if spec.file in p and p.endswith(".py")):
        module = tree.module(path)
        for node in module.body if module is not None else ():
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name.startswith("_"):
                continue
            table = extractor.signature(path, node.name) if re.search(spec.like, node.name) else None
            if table and node.name in tables and tables[node.name].keys != table.keys:
                tables[node.name].is_open = True  # one of two of that name
            elif table:
                table.call = True
                tables[node.name] = table


def read_arguments(extractor, tree, spec, tables):
    paths = sorted(p for p in tree.texts if p.endswith(".py") and any(part in p for part in spec.files))
    for name, table in extractor.arguments(paths, spec.table).items():
        if spec.names_only:
            table.keys = {key: extract.Key() for key in table.keys}
        tables[name] = joined(tables[name], table) if name in tables else table


def read_chosen(extractor, tree, spec, tables):
    paths = sorted(p for p in tree.texts if p.endswith(".py") and any(part in p for part in spec.files))
    table = extractor.chosen(paths, spec.call)
    if table.keys:
        tables[spec.table] = joined(tables[spec.table], table) if spec.table in tables else table


def read_defaults(extractor, tree, spec, tables):
    for path in sorted(p for p in tree.texts if p.endswith(spec.file)):
        for name, table in extract.yaml_tables(tree.texts[path], spec.table, path, spec.skip).items():
            tables[name] = joined(tables[name], table) if name in tables else table


def read_nodes(extractor, tree, spec, tables):
    for path in sorted(p for p in tree.texts if p.endswith(spec.file)):
        tables.update(extractor.nodes(path, spec.name, spec.table))


READERS = {
    sources.Fields: read_fields,
    sources.AllFields: read_all_fields,
    sources.Call: read_calls,
    sources.AllCalls: read_all_calls,
    sources.Arguments: read_arguments,
    sources.Chosen: read_chosen,
    sources.Defaults: read_defaults,
    sources.Nodes: read_nodes,
}


def read_release(package, texts):
    """{table: extract.Table} of one release."""
    tree = source_tree.SourceTree(texts)
    extractor = extract.Extractor(tree, package.outside, package=package.name)
    tables = {}
    for spec in package.reads:
        READERS[type(spec)](extractor, tree, spec, tables)
    for path, name in extractor.wanted:  # grows while it is walked
        if name not in tables:
            table = extractor.fields(path, name)
            if table:
                tables[name] = table
    for table in tables.values():
        for key in package.always:
            table.keys[key] = extract.Key()
    for name, keys in package.beside.items():
        for key in keys if name in tables else ():
            tables[name].keys[key] = extract.Key()
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
            "open": [i for i, table in having if table.is_open],
            "call": getattr(newest, "call", False),
            "keys": keys,
        }
    return tables


READ = (".py", ".yaml", ".yml")


def archives(package, cache, offline):
    """(release, texts) of what the index has."""
    folder = (package.folder or package.name.replace("-", "_")) + "/"
    for version in package.releases:
        archive = packages.archive_of(package.name, version, cache, offline)
        if archive is None:
            print(f"{package.name} {version}: no archive", file=sys.stderr)
            continue
        yield version, packages.texts_of(archive, lambda name: name.startswith(folder) and name.endswith(READ))


def commits(package, clone):
    """(release, texts) of commits of a clone."""
    for release, commit in package.commits.items():
        yield release, packages.texts_at(
            clone, commit, lambda name: name.startswith(package.folder) and name.endswith(READ)
        )


def all_together(read):
    """The tables of all releases as those of one."""
    tables = {}
    for release in read:
        for name, table in release.items():
            tables[name] = joined(tables[name], table) if name in tables else table
    return tables


def make(package, texts_of_releases, target):
    read, releases = [], []
    for version, texts in texts_of_releases:
        tables = read_release(package, texts)
        if tables:
            read.append(tables)
            releases.append(version)
    if not read:
        return 0
    if package.together:
        read = [all_together(read)]
    tables = merged_tables(package, read)
    indexed = [release for release in releases if release not in package.commits]
    where = [f"{package.name} {indexed[0]} to {indexed[-1]}, the packages of the Python index"] if indexed else []
    where += [f"{package.repository} at {commit[:12]} ({release})" for release, commit in package.commits.items()]
    text = write.file_text(package, releases[-len(read):], tables, datetime.date.today().isoformat(), where)
    path = target / f"{package.name}.yaml"
    path.write_text(text)
    return sum(len(table["keys"]) for table in tables.values())


def add_needs(package, target):
    """What each release asks for of what projects pin beside it, written into the file that is there."""
    path = target / f"{package.name}.yaml"
    releases = [release for release in package.releases if f'"{release}"' in path.read_text()]
    path.write_text(write.with_needs(path.read_text(), {each: packages.least_beside(package.name, each) for each in releases}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", required=True, help="folder for the packages, outside of the repository")
    parser.add_argument("--only", default="", help="packages, separated by commas")
    parser.add_argument("--offline", action="store_true", help="read what the cache has, download nothing")
    parser.add_argument(
        "--clone",
        action="append",
        default=[],
        metavar="PACKAGE=FOLDER",
        help="a git clone of a project that is not in the index; the commits that are read stand in sources.py",
    )
    parser.add_argument("--needs", action="store_true", help="only ask again which torch and Python the releases need")
    arguments = parser.parse_args()
    clones = dict(text.split("=", 1) for text in arguments.clone)
    target = pathlib.Path(__file__).resolve().parents[2] / "knowledge" / "catalogue"
    target.mkdir(exist_ok=True)
    only = set(filter(None, arguments.only.split(",")))
    for package in sources.PACKAGES:
        if only and package.name not in only:
            continue
        if arguments.needs:
            add_needs(package, target)
            continue
        if package.commits and package.name not in clones:
            print(f"{package.name}: left as it is; it needs --clone {package.name}=FOLDER, a clone of {package.repository}")
            continue
        texts = itertools.chain(
            archives(package, arguments.cache, arguments.offline), commits(package, clones.get(package.name))
        )
        print(f"{package.name}: {make(package, texts, target)} keys")
        if not arguments.offline and package.releases:
            add_needs(package, target)


if __name__ == "__main__":
    main()
