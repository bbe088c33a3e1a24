"""One table out of those of several releases: since when and until when each key is taken."""

import dataclasses


@dataclasses.dataclass
class Merged:
    since: int = 0  # index of the first release that has it
    until: int = 0  # and of the last
    latest: object = None  # as the last release has it
    types: frozenset = frozenset()
    choices: dict = dataclasses.field(default_factory=dict)  # choice -> [first, last]
    checked: bool = True
    low: object = None
    high: object = None
    deprecated: int = -1  # index of the first release that says so
    now: str = ""
    defaults: list = dataclasses.field(default_factory=list)  # [value, first, last], up to the last release


def compared_default(value):
    """What a default is compared by: ("switch", True), ("number", 0.5), ("word", "adamw"); None where it is no plain value."""
    text = str(value).strip().strip("'\"")
    if text.lower() in ("true", "false"):
        return "switch", text.lower() == "true"
    try:
        return "number", float(text)
    except ValueError:
        is_word = isinstance(value, str) and text.lower() not in ("", "none", "null", "???")
        return ("word", text) if is_word else None


def add_default(entry, index, value):
    """Keeps the unbroken run of plain defaults of one kind: `32` and `32-true`, or a value after none, may mean the same."""
    compared = compared_default(value)
    before = compared_default(entry.defaults[-1][0]) if entry.defaults else None
    if compared is None:
        entry.defaults = []
    elif compared == before:
        entry.defaults[-1][2] = index
    elif before and compared[0] == before[0] and entry.defaults[-1][2] + 1 == index:
        entry.defaults.append([value, index, index])
    else:
        entry.defaults = [[value, index, index]]


def merge_keys(releases):
    """`releases`: (index, {name: Key}) in order. Gaps are closed: between two releases that take a key, it is taken."""
    merged = {}
    for index, keys in releases:
        for name, key in keys.items():
            entry = merged.get(name)
            if entry is None:
                entry = merged[name] = Merged(since=index, low=key.low, high=key.high)
                entry.all_choose = True
            entry.until, entry.latest = index, key
            entry.types |= key.types
            add_default(entry, index, key.default)
            entry.all_choose &= bool(key.choices) and not key.types - {"choice", "bool"}
            entry.checked &= key.checked
            for choice in key.choices:
                entry.choices.setdefault(str(choice), [index, index])[1] = index
            entry.low = None if key.low is None or entry.low is None else min(entry.low, key.low)
            entry.high = None if key.high is None or entry.high is None else max(entry.high, key.high)
            if key.deprecated and entry.deprecated < 0:
                entry.deprecated = index
            entry.now = key.now or entry.now
    for entry in merged.values():
        if not entry.all_choose:
            entry.choices = {}
            if "choice" in entry.types:  # a word in some releases
                entry.types |= {"str"}
    return merged
