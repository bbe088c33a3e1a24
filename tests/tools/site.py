"""The documentation builds as a site: no link that leads nowhere, a search index, and each rule's page with what it prints."""

import json
import pathlib
import sys
import tempfile

from common import Checks, arguments, run

given = arguments()
checks = Checks()
with tempfile.TemporaryDirectory() as folder:
    done = run([sys.executable, given.source / "packaging/site/build.py", "--source", given.source, "--gpulint", given.gpulint, "--out", folder])
    checks.check(done.returncode == 0, f"the site builds without warnings: {done.stdout}{done.stderr}")
    html = pathlib.Path(folder, "html")
    index = html / "search/search_index.json"
    checks.check(index.is_file() and len(json.loads(index.read_text())["docs"]) > 500, "the search knows the pages")
    rules = [page.stem for page in (given.source / "docs/rules").glob("*.md") if page.stem not in ("README", "symbols")]
    for rule in rules:
        page = html / "rules" / f"{rule}.html"
        checks.check(page.is_file() and "What it prints" in page.read_text(), f"the page of {rule} shows what it prints")
checks.finish()
