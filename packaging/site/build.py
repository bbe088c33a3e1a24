"""The documentation as a site: the pages of docs/ as they are, with search, and each rule's page with what the program prints.

build.py --source ROOT --gpulint PROGRAM --out FOLDER [--version-url URL]: FOLDER gets sources/, mkdocs.yml and html/. Any
warning of MkDocs, a link that leads nowhere among them, is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Pages outside of docs/ that the site has, under which name.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "editors/vscode/README.md": "vscode.md",
}
NAVIGATION = [
    ("Home", "index.md"),
    ("Begin", ["install.md", "local.md", "hook.md", "github.md", "gitlab.md", "editors.md", "vscode.md", "playground.md"]),
    ("Use", ["runs.md", "launch.md", "fit.md", "diff.md", "fixes.md", "suppression.md", "outputs.md", "confirm.md"]),
    ("Teach", ["dialects.md", "models.md", "knowledge.md", "expressions.md"]),
    ("Rules", ["rules/README.md", "rules/symbols.md"]),
    ("Understand", ["estimator.md", "accuracy.md", "history.md", "precision.md", "found.md", "glossary.md", "architecture.md"]),
    ("Take part", ["contributing.md", "changelog.md"]),
]
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")


def site_name(path: str) -> str | None:
    """What a file of the repository is called in the site; None for what is not in it."""
    if path in PAGES:
        return PAGES[path]
    return path.removeprefix("docs/") if path.startswith("docs/") and path.endswith(".md") else None


def relinked(text: str, page: str) -> str:
    """`page`: its path in the repository. A link to a file that is no page keeps its words alone."""
    here = site_name(page)
    assert here is not None

    def link(match: re.Match[str]) -> str:
        target, anchor = match.group(2), match.group(3) or ""
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        found = site_name(posixpath.normpath(posixpath.join(posixpath.dirname(page), target)))
        if found is None:
            return "]{.file}"
        return f"]({posixpath.relpath(found, posixpath.dirname(here) or '.')}{anchor})"

    text = LINK.sub(link, text)
    return re.sub(r"\[([^\]]*)\]\{\.file\}", r"\1", text)


def title_of(path: Path) -> str:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip().replace("`", "")
    return path.stem


def printed(gpulint: str, rule: str) -> str:
    """What the program says of the rule's first sample; "" where it says nothing of it."""
    explained = json.loads(subprocess.run([gpulint, "explain", rule, "--output", "json"], check=True, capture_output=True, text=True).stdout)
    for sample in explained["rule"]["reported"]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**sample["siblings"], sample["file"]: sample["config"]}.items():
                target = Path(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
            if sample["project"]:
                Path(folder, ".gpulint.yaml").write_text(sample["project"], encoding="utf-8")
            words = [gpulint, "check", "--select", rule, "--quiet", "--exit-zero", "--color", "never", sample["file"]]
            for option in ("gpu", "host"):
                if sample[option]:
                    words += [f"--{option}", sample[option]]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
            if done.stdout.strip() and done.returncode == 0:
                return f"$ gpulint {' '.join(words[9:] + [words[8]])}\n{done.stdout.rstrip()}\n"
    return ""


def write_pages(source: Path, out: Path, gpulint: str) -> int:
    shown = 0
    pages = [page for page in [*PAGES, *sorted(f"docs/{p.relative_to(source / 'docs')}" for p in (source / "docs").rglob("*.md"))]]
    for page in pages:
        text = relinked((source / page).read_text(encoding="utf-8"), page)
        name = site_name(page)
        assert name is not None
        rule = Path(page).stem
        if name.startswith("rules/") and rule not in ("README", "symbols"):
            output = printed(gpulint, rule)
            if output:
                shown += 1
                text = text.replace("## Samples\n", f"## What it prints\n\n```text\n{output}```\n\n## Samples\n", 1)
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return shown


def navigation(sources: Path) -> list[object]:
    listed: set[str] = set()
    nav: list[object] = []
    for title, entries in NAVIGATION:
        if isinstance(entries, str):
            listed.add(entries)
            nav.append({title: entries})
            continue
        listed.update(entries)
        items: list[object] = [{title_of(sources / entry): entry} for entry in entries]
        if title == "Rules":
            items += [{p.stem: f"rules/{p.name}"} for p in sorted((sources / "rules").glob("*.md")) if p.stem not in ("README", "symbols")]
        nav.append({title: items})
    for page in sorted(sources.glob("*.md")):
        if page.name not in listed:
            sys.exit(f"site: {page.name} stands in no part of the navigation; add it in packaging/site/build.py")
    return nav


def configuration(out: Path) -> dict[str, object]:
    return {
        "site_name": "gpulint",
        "site_description": "Reads deep-learning training configs and says what will crash, waste the GPU or train worse",
        "docs_dir": str(out / "sources"),
        "site_dir": str(out / "html"),
        "use_directory_urls": False,
        "theme": {
            "name": "material",
            "font": False,
            "features": ["navigation.tabs", "navigation.indexes", "navigation.top", "search.highlight", "content.code.copy"],
            "palette": [
                {"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "blue grey", "toggle": {"icon": "material/weather-night", "name": "dark"}},
                {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "blue grey", "toggle": {"icon": "material/weather-sunny", "name": "light"}},
            ],
        },
        "plugins": ["search"],
        "markdown_extensions": ["admonition", "attr_list", "tables", {"toc": {"permalink": True}}, "pymdownx.superfences", {"pymdownx.highlight": {"use_pygments": True}}],
        "validation": {"links": {"anchors": "warn", "not_found": "warn", "unrecognized_links": "warn"}, "nav": {"omitted_files": "warn"}},
        "nav": navigation(out / "sources"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--gpulint", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    out = given.out.resolve()
    shutil.rmtree(out / "sources", ignore_errors=True)
    shown = write_pages(given.source.resolve(), out / "sources", os.path.abspath(given.gpulint))
    # JSON is YAML.
    (out / "mkdocs.yml").write_text(json.dumps(configuration(out), indent=1), encoding="utf-8")
    mkdocs = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", str(out / "mkdocs.yml")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    if subprocess.run(mkdocs, env=environment).returncode != 0:
        sys.exit("site: MkDocs warned; see above")
    pages = sum(1 for _ in (out / "html").rglob("*.html"))
    print(f"{pages} pages in {out / 'html'}, {shown} of them with a rule's output")


if __name__ == "__main__":
    main()
