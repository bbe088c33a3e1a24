"""Our own files satisfy the schemas gpulint prints of them, and what the loaders refuse the schemas refuse too."""

import json
import pathlib
import tempfile

import jsonschema
import yaml

from common import Checks, arguments, need, run

FILES = {
    "rule": "rules/**/*.yaml",
    "dialect": "dialects/*.yaml",
    "gpu": "hardware_db/gpus/*.yaml",
    "host": "hardware_db/hosts/*.yaml",
    "model": "model_db/**/*.yaml",
    "architecture": "hardware_db/architectures/*.yaml",
    "fleet": "hardware_db/fleets/*.yaml",
    "optimizer": "knowledge/optimizers/*.yaml",
    "adapter": "knowledge/adapters/*.yaml",
    "implementation": "knowledge/implementations/*.yaml",
    "engine": "knowledge/engines/*.yaml",
    "words": "knowledge/words/*.yaml",
    "project": "examples/**/.gpulint.yaml",
}

REFUSED_PROJECTS = [
    "gpux: a10g",
    "headroom: 2",
    "facts: {per_device_batch_sise: 4}",
    "severity: {amp-disabled: fatal}",
    "disable: [no-such-rule]",
    "measurements: [{per_device_batch_size: 32, peak: 2.3}]",
    "overrides: [{gpu: a10g}]",
    "keys: {lr: no_such_fact}",
]


class Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):
    """YAML 1.2 booleans and no dates, as gpulint reads its own files."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers
            if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")]
    for first, resolvers in Loader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", __import__("re").compile("^(true|false)$"), list("tf"))


def text_keys(value):
    """JSON knows text keys only; `8: x` is the key "8"."""
    if isinstance(value, dict):
        return {("true" if k is True else "false" if k is False else str(k)): text_keys(v) for k, v in value.items()}
    return [text_keys(item) for item in value] if isinstance(value, list) else value


def first_error(validator, value):
    error = jsonschema.exceptions.best_match(validator.iter_errors(value))
    return "" if error is None else f"{'/'.join(map(str, error.path))}: {error.message[:200]}"


def main():
    options = arguments()
    checks = Checks()
    for kind, pattern in FILES.items():
        schema = json.loads(need(run([options.gpulint, "schema", kind])).stdout)
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        files = sorted(options.source.glob(pattern))
        checks.check(files, f"{pattern} matches no file")
        for path in files:
            value = text_keys(yaml.load(path.read_text(), Loader))
            error = first_error(validator, value)
            checks.check(not error, f"{path.relative_to(options.source)}: {error}")
            checks.check(first_error(validator, dict(value or {}, no_such_key=1)), f"{path}: an unknown key is accepted")
        if kind == "project":
            refused_by_both(checks, options, validator)
    checks.finish()


def refused_by_both(checks, options, validator):
    for text in REFUSED_PROJECTS:
        checks.check(first_error(validator, yaml.load(text, Loader)), f"the schema accepts {text!r}")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, ".gpulint.yaml").write_text(text + "\n")
            process = run([options.gpulint, "config", "verify", folder])
            checks.check(process.returncode == 2, f"config verify accepts {text!r}: {process.stdout}")


main()
