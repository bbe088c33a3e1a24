"""One program for models that differ in numbers only: the numbers that differ become its dimensions."""

import re

_NUMBER = re.compile(r"(?<![\w.\-])\d+(?:\.\d+)?(?![\w.])")
_WORDS = {"out": "width", "size": "extent", "sizes": "extent", "repeat": "layers", "groups": "group_count",
          "kernel": "kernel_size", "stride": "step", "padding": "border", "image_size": "image_size",
          "hidden": "units", "factor": "scale_factor", "rate": "rate", "probability": "rate"}  # fmt: skip


def split_numbers(text):
    """The text without its numbers, and the numbers."""
    return _NUMBER.sub("#", text), _NUMBER.findall(text)


def key_before(text, at):
    """The argument a number belongs to."""
    keys = re.findall(r"(\w+): ", text[:at].rsplit("\n", 1)[-1])
    return _WORDS.get(keys[-1].removesuffix("_") if keys else "", "extent") if keys else "extent"


def merge(texts):
    """(family text, one dict of dimensions per text) for texts of one skeleton.

    The line `dimensions:` of a text is kept apart; comments above it are dropped.
    """
    heads, bodies = zip(*(head_and_body(text) for text in texts))
    numbers = [split_numbers(body)[1] for body in bodies]
    columns = list(zip(*numbers))
    names, used = {}, set(re.findall(r"\w+", bodies[0]))
    parts, last = [], 0
    for column, found in zip(columns, _NUMBER.finditer(bodies[0])):
        parts.append(bodies[0][last : found.start()])
        last = found.end()
        if len(set(column)) == 1:
            parts.append(found[0])
            continue
        if column not in names:
            base = name = key_before(bodies[0], found.start())
            count = 1
            while name in used:
                count += 1
                name = f"{base}_{count}"
            used.add(name)
            names[column] = name
        parts.append(names[column])
    body = "".join([*parts, bodies[0][last:]])
    shared = dict(heads[0])
    own = []
    for i, head in enumerate(heads):
        values = {key: value for key, value in head.items() if value != shared[key]}
        values |= {name: column[i] for column, name in names.items()}
        own.append(values)
    varied = {name: "~" for name in names.values()}
    dimensions = ", ".join(f"{k}: {v}" for k, v in {**shared, **varied}.items())
    return f"dimensions: {{{dimensions}}}\n{body}", own


def head_and_body(text):
    line, body = text[text.index("dimensions:") :].split("\n", 1)
    inner = line.removeprefix("dimensions: {").removesuffix("}")
    return dict(item.split(": ") for item in inner.split(", ") if item), body


def groups(texts):
    """Indices of texts with the same skeleton, in order of the first."""
    found = {}
    for index, text in enumerate(texts):
        found.setdefault(split_numbers(text)[0], []).append(index)
    return list(found.values())
