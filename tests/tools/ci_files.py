"""The files for GitHub and GitLab satisfy those services' schemas, and the scripts of the action do what they say with a
`gh` that records its calls."""

import os
import pathlib
import re
import stat
import sys
import tempfile

import yaml

from common import Checks, arguments, need, run


def check_schemas(checks, source):
    tool = pathlib.Path(sys.executable).parent / "check-jsonschema"
    for schema, file in (("vendor.github-actions", "action.yml"), ("vendor.github-workflows", "ci/github/release.yml"),
                         ("vendor.gitlab-ci", "ci/gitlab/gpulint.gitlab-ci.yml")):
        process = run([tool, "--builtin-schema", schema, source / file])
        checks.check(process.returncode == 0, f"{file}: {process.stdout}")
    hooks = yaml.safe_load((source / ".pre-commit-hooks.yaml").read_text())
    process = run([pathlib.Path(sys.executable).parent / "pre-commit", "validate-manifest", source / ".pre-commit-hooks.yaml"])
    checks.check(process.returncode == 0, f".pre-commit-hooks.yaml: {process.stdout}{process.stderr}")
    return hooks


def check_options_exist(checks, options, hooks):
    """Whatever the hooks and jobs say, this gpulint understands."""
    texts = [hook["entry"] for hook in hooks]
    texts += [(options.source / name).read_text()
              for name in ("ci/gitlab/gpulint.gitlab-ci.yml", "ci/github/check.sh", "ci/github/comment.sh")]
    for text in texts:
        for command in re.findall(r"gpulint (check|diff|config verify)\b", text):
            helped = need(run([options.gpulint, *command.split(), "--help"])).stdout
            line = next(line for line in text.splitlines() if f"gpulint {command}" in line)
            for option in re.findall(r"(?<!\S)--[a-z-]+", line):
                checks.check(option in helped, f"`gpulint {command}` has no {option}")


def fake_program(folder, name, text):
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def check_action(checks, options):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "train.yaml").write_text("batch_size: 64\nlearning_rate: 1e-3\nnum_workers: 0\nprefetch_factor: 2\n")
        (folder / "gpulint").symlink_to(options.gpulint)
        environment = dict(os.environ, PATH=f"{folder}{os.pathsep}{os.environ['PATH']}", RUNNER_TEMP=str(folder),
                           GITHUB_OUTPUT=str(folder / "output"), INPUT_PATHS="train.yaml", INPUT_FAIL_ON="note")
        need(run([options.source / "ci/github/check.sh"], cwd=folder, env=environment))
        written = (folder / "output").read_text()
        checks.check("exit-code=1" in written and "sarif=" in written, f"check.sh hands on {written!r}")
        checks.check((folder / "gpulint.sarif").is_file(), "check.sh leaves no SARIF")
        check_comment(checks, options, folder, environment)


def check_comment(checks, options, folder, environment):
    calls = folder / "calls"
    (folder / "gpulint").unlink()
    fake_program(folder, "gpulint", 'for a; do case $a in markdown:*) printf "<!-- gpulint diff -->\\n| a |\\n" >"${a#markdown:}";; esac; done\n')
    environment |= {"GH_TOKEN": "x", "BASE_SHA": "HEAD", "PULL_REQUEST": "7", "REPOSITORY": "team/project"}
    for known, expected in (("", "--method POST repos/team/project/issues/7/comments"),
                            ("42", "--method PATCH repos/team/project/issues/comments/42")):
        fake_program(folder, "gh", f'case "$*" in *--paginate*) echo "{known}";; *) echo "$@" >>"{calls}";; esac\n')
        calls.write_text("")
        need(run([options.source / "ci/github/comment.sh"], cwd=folder, env=environment))
        checks.check(expected in calls.read_text(), f"comment.sh calls {calls.read_text()!r}")


def main():
    options = arguments()
    checks = Checks()
    hooks = check_schemas(checks, options.source)
    check_options_exist(checks, options, hooks)
    check_action(checks, options)
    checks.finish()


main()
