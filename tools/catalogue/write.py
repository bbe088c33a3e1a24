"""The catalogue's files, in the YAML that gpulint reads."""

import json
import re

PLAIN = re.compile(r"[A-Za-z_./][A-Za-z0-9_./+-]*$")
WORDS_OF_YAML = {"y", "n", "yes", "no", "true", "false", "on", "off", "null", "~"}


def scalar(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    text = str(value)
    if PLAIN.match(text) and text.lower() not in WORDS_OF_YAML:
        return text
    return json.dumps(text, ensure_ascii=True)


def plain_default(value):
    """A default that a reader can be shown: a number, a switch, a short word."""
    if isinstance(value, (bool, int, float)):
        return True
    return isinstance(value, str) and len(value) <= 40 and value.isascii() and value.isprintable()


def choice_text(choice, span, key, releases):
    text = str(choice)
    if span[0] > key.since:
        text += f" >={releases[span[0]]}"
    if span[1] < key.until:
        text += f" <={releases[span[1]]}"
    return json.dumps(text)


def key_text(key, releases, first, last):
    parts = []
    types = sorted(key.types - {"choice"})
    if types and types != ["any"]:
        parts.append(f"type: {types[0]}" if len(types) == 1 else f"type: [{', '.join(types)}]")
    if key.choices:
        listed = (choice_text(choice, span, key, releases) for choice, span in key.choices.items())
        parts.append(f"choices: [{', '.join(listed)}]")
        if key.checked:
            parts.append("checked: true")
    if isinstance(key.low, (int, float)):
        parts.append(f"low: {scalar(key.low)}")
    if isinstance(key.high, (int, float)):
        parts.append(f"high: {scalar(key.high)}")
    if key.latest.table:
        parts.append(f"table: {key.latest.table}")
    if plain_default(key.latest.default):
        parts.append(f"default: {scalar(key.latest.default)}")
    if len(key.defaults) > 1:
        former = (choice_text(str(value).lower() if isinstance(value, bool) else value, span, key, releases)
                  for value, *span in key.defaults[:-1])
        parts.append(f"was: [{', '.join(former)}]")
    if key.since > first:
        parts.append(f'since: "{releases[key.since]}"')
    if key.until < last:
        parts.append(f'until: "{releases[key.until]}"')
    if key.deprecated > first:
        parts.append(f'deprecated: "{releases[key.deprecated]}"')
    elif key.deprecated == first:
        parts.append(f'deprecated: "{releases[first]}"')
    if key.now:
        parts.append(f"now: {key.now}")
    return "{" + ", ".join(parts) + "}"


CONDA_NAMES = {"torch": ["pytorch", "torch"]}  # by which its files name a package of the index


def needs_lines(releases, needs):
    """Of each pinned package the oldest that is asked for, from which release on: steps alone are written."""
    lines = []
    for name in sorted({name for each in needs.values() for name in each}):
        steps, last = [], None
        for release in releases:
            least = needs.get(release, {}).get(name)
            if least and least != last:
                steps.append(f'"{release}": "{least}"')
                last = least
        lines += [f"  {each}: {{{', '.join(steps)}}}" for each in CONDA_NAMES.get(name, [name])]
    return ["needs:", *lines] if lines else []


def with_needs(text, needs):
    """A file of the catalogue with these in place of what it said."""
    lines = text.split("\n")
    head = lines.index("tables:")
    kept = [line for line in lines[:head] if line != "needs:" and not line.startswith("  ")]
    kept_sources = [line for line in lines[:head] if line.startswith("  - ")]
    releases = json.loads(next(line for line in kept if line.startswith("releases: ")).partition(": ")[2])
    at = kept.index("sources:")
    return "\n".join(kept[:at] + needs_lines(releases, needs) + ["sources:", *kept_sources] + lines[head:])


def file_text(package, releases, tables, today, where):
    lines = [
        "# Made by tools/catalogue/make.py; do not edit by hand (tools/README.md).",
        f"summary: keys that {package.name} takes, {releases[0]} to {releases[-1]}",
        f"read: {today}",
        f"releases: [{', '.join(json.dumps(r) for r in releases)}]",
    ]
    if package.also:
        lines.append(f"also: [{', '.join(package.also)}]")
    if package.modules:
        lines.append(f"modules: [{', '.join(json.dumps(m) for m in package.modules)}]")
    lines += ["sources:", *(f"  - {json.dumps(source)}" for source in where), "tables:"]
    written = {}  # what a table says -> its name
    for name, table in sorted(tables.items()):
        first, last = table["first"], table["last"]
        keys = [f"      {scalar(key)}: {key_text(table['keys'][key], releases, first, last)}" for key in sorted(table["keys"])]
        like = written.setdefault((first, last, *table["extends"], *keys), name)
        if like != name:  # classes that take the same
            table, keys = {**table, "extends": [f"{package.name}/{like}"]}, []
        lines.append(f"  {name}:")
        lines.append(f"    file: {table['file']}")
        if first > 0:
            lines.append(f'    since: "{releases[first]}"')
        if last < len(releases) - 1:
            lines.append(f'    until: "{releases[last]}"')
        if table["extends"]:
            lines.append(f"    extends: [{', '.join(table['extends'])}]")
        if table["open"]:
            lines.append("    open: true")
            if table["open"][0] > first:
                lines.append(f'    open_since: "{releases[table["open"][0]]}"')
            if table["open"][-1] < last:
                lines.append(f'    open_until: "{releases[table["open"][-1]]}"')
        if table["call"]:
            lines.append("    call: true")
        lines += ["    keys:", *keys] if keys else []
    return "\n".join(lines) + "\n"
