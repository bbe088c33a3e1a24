"""Every output format is read by an independent reader, and nothing a config holds can do harm in any of them."""

import html.parser
import json
import pathlib
import re
import tempfile
import xml.etree.ElementTree

import jsonschema

from common import Checks, arguments, need, run

FORMATS = ["text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "checkstyle", "rdjson", "markdown", "html"]

# What a config may hold to do harm: terminal escapes, workflow commands, markup, text that runs from right to left.
HOSTILE = {
    "escape": "\x1b]0;owned\x07\x1b[31m",
    "command": "::error file=a::owned%0A::set-output name=x::y",
    "markup": "<script>alert(1)</script> ]]> & \" ' ![x](y) | </details> <!-- -->",
    "emoji": "\U0001f525 réseau 模型",
    "right-to-left": "\u202egnp.exe\u202c \u05e9\u05dc\u05d5\u05dd",
    "line-ends": "a\\r\\n::warning::owned\\u2028b\\x85c",
}

# GitLab's contract of a Code Quality report, as far as it is documented.
CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 8},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path"],
                "properties": {"path": {"type": "string", "pattern": "^(?!/)(?!\\./)"}},
                "anyOf": [{"required": ["lines"]}, {"required": ["positions"]}],
            },
        },
    },
}


def hostile_folder(folder):
    """Configs that give findings whose messages quote what the config says."""
    for name, text in HOSTILE.items():
        quoted = json.dumps(text, ensure_ascii=False) if "\\" not in text else f'"{text}"'
        quoted = "".join(f"\\x{ord(c):02x}" if ord(c) < 32 else c for c in quoted)
        pathlib.Path(folder, f"{name}.yaml").write_text(
            f"model: {quoted}\nbatch_size: 64\nlearning_rate: {quoted}\nnum_workers: 0\nprefetch_factor: 4\n"
            f"optimizer: {quoted}\namp: false\nbatch_size: 32\nlr: 1e-3\nfp16: true\nbf16: true\n")
    pathlib.Path(folder, "broken\u202e.yaml").write_text("batch_size: [1\nlearning_rate: 1\n")


def harmless(checks, name, text):
    controls = {c for c in text if ord(c) < 32 and c not in "\n\t"} | {c for c in text if 0x7F <= ord(c) < 0xA0}
    checks.check(not controls, f"{name}: control characters {controls!r}")
    checks.check(not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029"),
                 f"{name}: characters that change the direction or end a line")


def workflow_commands(checks, text):
    for line in text.splitlines():
        # A command ends at its line's end and starts at a line's start: what a config says can do neither.
        checks.check(re.match(r"::(error|warning|notice) (file=[^:,]*,|title=gpulint::and )", line),
                     f"github: {line[:80]!r} is not an annotation of ours")


class Page(html.parser.HTMLParser):
    """Elements and addresses of a page, and whether every element that has to be closed is."""

    VOID = {"meta", "br", "path", "line", "rect"}

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.addresses, self.balanced = [], set(), [], True

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.addresses += [value for name, value in attributes if (name in ("src", "href", "action", "srcset") and not value.startswith("#")) or name.startswith("on")]
        if tag == "td":
            self.end_cell()
        if tag not in self.VOID:
            self.open.append(tag)

    def end_cell(self):
        """HTML lets the next cell, or the end of the row, end one."""
        if self.open and self.open[-1] == "td":
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if tag == "tr":
            self.end_cell()
        self.balanced &= bool(self.open) and self.open.pop() == tag


def read_page(checks, name, text):
    page = Page()
    page.feed(text)
    page.close()
    checks.check(page.balanced and not page.open, f"{name}: html elements are not nested: {page.open[-3:]}")
    checks.check(not page.tags & {"script", "iframe", "img", "link", "object", "form"}, f"{name}: html holds {page.tags}")
    checks.check(not page.addresses, f"{name}: html refers to {page.addresses[:3]}")
    checks.check("default-src 'none'" in text, f"{name}: html has no policy")


def read_all(checks, folder, options, name):
    texts = {}
    for form in FORMATS:
        process = run([options.gpulint, "check", "--gpu", "a10g", "--output", form, "."], cwd=folder)
        checks.check(process.returncode in (0, 1), f"{name} as {form}: exit {process.returncode}: {process.stderr}")
        texts[form] = process.stdout
        harmless(checks, f"{name} as {form}", process.stdout)
    workflow_commands(checks, texts["github"])
    json.loads(texts["json"])
    for line in texts["jsonl"].splitlines():
        json.loads(line)
    json.loads(texts["rdjson"])
    for form in ("junit", "checkstyle"):
        root = xml.etree.ElementTree.fromstring(texts[form])
        checks.check(root.tag in ("testsuites", "checkstyle"), f"{form}: root {root.tag}")
    checks.check("<script" not in texts["markdown"], "markdown: markup of a config survives")
    read_page(checks, name, texts["html"])
    quality = json.loads(texts["gitlab"])
    jsonschema.validate(quality, CODE_QUALITY)
    prints = [issue["fingerprint"] for issue in quality]
    checks.check(len(prints) == len(set(prints)), f"{name}: gitlab fingerprints repeat")
    read_sarif(checks, options, json.loads(texts["sarif"]), name)
    return json.loads(texts["json"])


def read_sarif(checks, options, sarif, name):
    if options.sarif_schema:
        schema = json.loads(pathlib.Path(options.sarif_schema).read_text())
        validator = jsonschema.validators.validator_for(schema)(schema)
        error = jsonschema.exceptions.best_match(validator.iter_errors(sarif))
        checks.check(error is None, f"{name}: sarif schema: {error and error.message[:300]}")
    from sarif import sarif_file
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "report.sarif")
        path.write_text(json.dumps(sarif))
        read = sarif_file.SarifFile(str(path), sarif)
        checks.check(len(read.get_results()) == len(sarif["runs"][0]["results"]), f"{name}: sarif-tools reads another count")
        checks.check(len(read.get_records()) == len(sarif["runs"][0]["results"]), f"{name}: sarif-tools drops results")


def main():
    options = arguments("--sarif-schema")
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        hostile_folder(folder)
        report = read_all(checks, folder, options, "hostile configs")
        checks.check(report["summary"]["files"] >= len(HOSTILE), f"hostile configs: {report['summary']}")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "clean.yaml").write_text("hello: world\n")
        read_all(checks, folder, options, "nothing to report")
    report = read_all(checks, options.source / "examples", options, "examples")
    checks.check(report["findings"], "the examples give no finding")
    if not options.sarif_schema:
        print("the OASIS schema was not given: SARIF was read by sarif-tools only")
    checks.finish()


main()
