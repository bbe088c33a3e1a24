#!/usr/bin/env python3
"""packaging/addresses.py ROOT URL REF: writes where the project lies into what a wheel of the checkout ROOT says of itself.

URL is the repository's address, REF the tag that is built. pyproject.toml gets [project.urls], and links of README.md to other
files lead to URL, because the index shows the page without them. The checkout itself holds no address, so that a fork is free.
"""

import pathlib
import re
import sys


def add_urls(pyproject, url, ref):
    text = pyproject.read_text()
    if "[project.urls]" in text:
        sys.exit(f"{pyproject} has [project.urls] already")
    pyproject.write_text(text + f"""
[project.urls]
Source = "{url}"
Documentation = "{url}/blob/{ref}/README.md"
Changelog = "{url}/blob/{ref}/CHANGELOG.md"
Issues = "{url}/issues"
""")


def link_to(readme, url, ref):
    def absolute(link):
        kind = "tree" if link[1].endswith("/") else "blob"
        return f"]({url}/{kind}/{ref}/{link[1]})"
    readme.write_text(re.sub(r"\]\((?![a-z]+:|#)([^)\s]+)\)", absolute, readme.read_text()))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    root, url, ref = pathlib.Path(sys.argv[1]), sys.argv[2].rstrip("/"), sys.argv[3]
    add_urls(root / "pyproject.toml", url, ref)
    link_to(root / "README.md", url, ref)


main()
