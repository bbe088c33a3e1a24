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
