"""The files for GitHub and GitLab satisfy those services' schemas, and the scripts of the action do what they say with a
`gh` that records its calls."""

import os
import pathlib
import re
import stat
import sys
import tempfile
import time
import zipfile

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
              for name in ("ci/gitlab/gpulint.gitlab-ci.yml", "ci/github/check.sh", "ci/github/diff.sh")]
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
        check_diff(checks, options, folder, environment)
        check_comment(checks, options, folder, environment)
        check_verdict(checks, options, folder, environment)
        check_install(checks, options, folder, environment)


def outputs_of(folder, script, environment, codes=(0,)):
    """What a step hands on, and what it says in the log."""
    output = folder / "output"
    output.write_text("")
    process = run([script], cwd=folder, env=environment | {"GITHUB_OUTPUT": str(output)})
    if process.returncode not in codes:
        raise AssertionError(f"{script.name} ends with {process.returncode}: {process.stdout}{process.stderr}")
    return dict(line.split("=", 1) for line in output.read_text().splitlines()), process.stdout


def check_diff(checks, options, folder, environment):
    """Limits reach the program, and what it says of them reaches the last step; without any, no history is no failure."""
    calls = folder / "calls"
    script = options.source / "ci/github/diff.sh"
    environment = environment | {"BASE_SHA": "HEAD"}
    (folder / "gpulint").unlink()
    fake_program(folder, "gpulint", f'echo "$@" >"{calls}"; for a; do case $a in markdown:*) printf "<!-- gpulint diff -->\\n| a |\\n" '
                 '>"${a#markdown:}";; esac; done; exit 1\n')
    given, _ = outputs_of(folder, script, environment | {"INPUT_MAX_VRAM_INCREASE": "10%", "INPUT_MAX_COST_INCREASE": "$50",
                                                         "INPUT_NEW_FINDINGS_ONLY": "true"})
    checks.check(given.get("exit-code") == "1" and pathlib.Path(given.get("body", "")).is_file(), f"diff.sh hands on {given}")
    for words in ("--max-vram-increase 10%", "--max-cost-increase $50", "--new-findings-only", "--fail-on note"):
        checks.check(words in calls.read_text(), f"diff.sh calls {calls.read_text()!r}, without {words}")
    fake_program(folder, "gpulint", "exit 2\n")
    given, said = outputs_of(folder, script, environment)
    checks.check(not given and "::warning::" in said, f"without history diff.sh hands on {given}, says {said!r}")
    given, _ = outputs_of(folder, script, environment | {"INPUT_MAX_VRAM_INCREASE": "10%"})
    checks.check(given.get("exit-code") == "2", f"a limit that cannot be judged hands on {given}")


def check_comment(checks, options, folder, environment):
    calls = folder / "calls"
    body = folder / "gpulint-diff.md"
    body.write_text("<!-- gpulint diff -->\n| a |\n")
    environment = environment | {"GH_TOKEN": "x", "BODY": str(body), "PULL_REQUEST": "7", "REPOSITORY": "team/project"}
    script = options.source / "ci/github/comment.sh"
    for known, expected in (("", "--method POST repos/team/project/issues/7/comments"),
                            ("42", "--method PATCH repos/team/project/issues/comments/42")):
        fake_program(folder, "gh", f'case "$*" in *--paginate*) echo "{known}";; *) echo "$@" >>"{calls}";; esac\n')
        calls.write_text("")
        need(run([script], cwd=folder, env=environment))
        checks.check(expected in calls.read_text(), f"comment.sh calls {calls.read_text()!r}")
    # The token of a pull request from a fork may read, and may not write.
    refusal = "echo 'gh: Resource not accessible by integration (HTTP 403)' >&2; exit 1"
    for listing in ("exit 0", refusal):
        fake_program(folder, "gh", f'case "$*" in *--paginate*) {listing};; esac\n{refusal}\n')
        process = run([script], cwd=folder, env=environment)
        checks.check(process.returncode == 0 and "::warning::" in process.stdout and "403" in process.stdout,
                     f"after a 403 comment.sh ends with {process.returncode}: {process.stdout}{process.stderr}")


def check_verdict(checks, options, folder, environment):
    script = options.source / "ci/github/verdict.sh"
    # Codes of check and diff, whether only new findings count, and how the action ends.
    for check, diff, new_only, expected in (("0", "", "", 0), ("1", "", "", 1), ("0", "1", "", 1), ("1", "0", "", 1), ("1", "0", "true", 0),
                                            ("0", "1", "true", 1), ("2", "0", "true", 2), ("0", "2", "", 2), ("1", "", "true", 1)):
        words = {"CHECK_CODE": check, "DIFF_CODE": diff, "INPUT_NEW_FINDINGS_ONLY": new_only}
        given, _ = outputs_of(folder, script, environment | words, codes=(0, 1, 2))
        checks.check(given.get("exit-code") == str(expected), f"{words} end with {given}")


def make_wheel(wheels, program):
    """A stand-in of this version, whose program is `program`."""
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "gpulint-0.1.0-py3-none-any.whl", "w") as wheel:
        entry = zipfile.ZipInfo("gpulint-0.1.0.data/scripts/gpulint")
        entry.external_attr = 0o100755 << 16
        wheel.writestr(entry, program)
        wheel.writestr("gpulint-0.1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: gpulint\nVersion: 0.1.0\n")
        wheel.writestr("gpulint-0.1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("gpulint-0.1.0.dist-info/RECORD", "")


def check_hook_of_wheel(checks, options):
    """The hook that docs/hook.md shows for a wheel: installed without a compiler, and it refuses what does not fit."""
    shown = re.findall(r"^```yaml\n(repos:\n  - repo: local\n.*?)^```", (options.source / "docs/hook.md").read_text(), re.M | re.S)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make_wheel(folder / "wheels", options.gpulint.read_bytes())
        team = folder / "team"
        team.mkdir()
        (team / ".pre-commit-config.yaml").write_text(shown[0])
        (team / ".gpulint.yaml").write_text("gpu: a10g\n")
        (team / "train.yaml").write_text("model: resnet50\nimage_size: 224\nbatch_size: 512\namp: false\noptimizer: sgd\n")
        for words in (["init", "-q"], ["add", "-A"]):
            need(run(["git", *words], cwd=team))
        # pre-commit installs an empty package of its own beside; its build is not to ask an index either.
        environment = dict(os.environ, PRE_COMMIT_HOME=str(folder / "home"), PIP_NO_INDEX="1", PIP_FIND_LINKS=str(folder / "wheels"),
                           PIP_NO_BUILD_ISOLATION="false", VIRTUALENV_SETUPTOOLS="bundle", CXX="false", CC="false")
        begin = time.monotonic()
        process = run([pathlib.Path(sys.executable).parent / "pre-commit", "run", "--all-files"], cwd=team, env=environment)
        print(f"first use of the hook with a wheel: {time.monotonic() - begin:.1f} s")
        checks.check(process.returncode == 1 and "error[vram-over-budget]" in process.stdout, f"the hook of docs/hook.md: {process.stdout}")


def check_install(checks, options, folder, environment):
    """A wheel that an earlier run has kept is installed; nothing is fetched or compiled."""
    wheels = folder / "wheels"
    make_wheel(wheels, "#!python\nprint('the kept one')\n")
    path = folder / "path"
    environment = environment | {"WHEELS": str(wheels), "GITHUB_PATH": str(path), "PIP_NO_INDEX": "1"}
    need(run([options.source / "ci/github/install.sh", options.source], cwd=folder, env=environment))
    program = pathlib.Path(path.read_text().strip()) / "gpulint"
    checks.check(run([program]).stdout == "the kept one\n", f"install.sh puts {path.read_text()!r} on the path")


def main():
    options = arguments()
    checks = Checks()
    hooks = check_schemas(checks, options.source)
    check_options_exist(checks, options, hooks)
    check_action(checks, options)
    check_hook_of_wheel(checks, options)
    checks.finish()


main()
