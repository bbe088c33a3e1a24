"""The hooks, with the real pre-commit in a real repository: too large a batch is refused, the mended commit passes, and
a file that is not a training config costs nothing."""

import os
import pathlib
import statistics
import sys
import tempfile
import time

from common import Checks, arguments, build_environment, copy_checkout, need, run

# ResNet-50 at 224 pixels without mixed precision: 512 samples need about three times what an A10G has.
TOO_LARGE = "model: resnet50\nimage_size: 224\nbatch_size: 512\namp: false\noptimizer: sgd\n"
FITS = "model: resnet50\nimage_size: 224\nbatch_size: 64\namp: true\noptimizer: sgd\n"


def git(folder, *words, **options):
    identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"]
    return run(["git", *identity, *words], cwd=folder, **options)


def make_hook_repository(source, folder):
    """The checkout as the repository pre-commit clones the hook from; returns its revision."""
    copy_checkout(source, folder)
    need(git(folder, "init", "-q"))
    need(git(folder, "add", "-A"))
    need(git(folder, "commit", "-q", "-m", "The hook"))
    return need(git(folder, "rev-parse", "HEAD")).stdout.strip()


def make_team_repository(folder, hook, revision):
    folder.mkdir()
    need(git(folder, "init", "-q"))
    (folder / ".gpulint.yaml").write_text("gpu: a10g\n")
    (folder / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {hook}\n    rev: {revision}\n    hooks:\n      - id: gpulint\n      - id: gpulint-config-verify\n")


def seconds_of(command, folder):
    def once():
        begin = time.perf_counter()
        run(command, cwd=folder)
        return time.perf_counter() - begin
    return statistics.median(once() for _ in range(15))


def main():
    options = arguments()
    checks = Checks()
    tools = pathlib.Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        hook, team, home = folder / "hook", folder / "team", folder / "pre-commit-home"
        environment = build_environment(folder)
        environment.update({"PRE_COMMIT_HOME": str(home), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"})
        environment.pop("GIT_DIR", None)
        make_team_repository(team, hook, make_hook_repository(options.source, hook))
        need(run([tools / "pre-commit", "install", "--install-hooks"], cwd=team, env=environment))

        (team / "train.yaml").write_text(TOO_LARGE)
        need(git(team, "add", "-A"))
        refused = git(team, "commit", "-q", "-m", "Raise the batch", env=environment)
        shown = refused.stdout + refused.stderr
        checks.check(refused.returncode != 0, f"the batch that cannot fit was committed: {shown}")
        checks.check("error[vram-over-budget]" in shown and "train.yaml:3" in shown, f"the finding is not shown: {shown}")

        (team / "train.yaml").write_text(FITS)
        need(git(team, "add", "-A"))
        accepted = git(team, "commit", "-q", "-m", "Lower the batch", env=environment)
        checks.check(accepted.returncode == 0, f"the mended config is refused: {accepted.stdout}{accepted.stderr}")

        (team / "compose.yaml").write_text("services: {web: {image: nginx}}\n")
        (team / "template.yaml").write_text("{{- if .Values.x }}\na: [1\n{{- end }}\n")
        (team / "notes.json").write_text('{"a": 1,}\n')
        need(git(team, "add", "-A"))
        unrelated = git(team, "commit", "-q", "-m", "Something else", env=environment)
        checks.check(unrelated.returncode == 0, f"files of others are blamed: {unrelated.stdout}{unrelated.stderr}")

        started = next(home.glob("repo*/py_env*/bin/gpulint"))
        checks.check(started.read_bytes()[:4] == b"\x7fELF", "the hook starts no native program")
        bare = seconds_of([options.gpulint, "check", "--force-exclude", "train.yaml"], team)
        hooked = seconds_of([started, "check", "--force-exclude", "train.yaml"], team)
        begin = time.perf_counter()
        run([tools / "pre-commit", "run", "gpulint", "--files", "train.yaml"], cwd=team, env=environment)
        whole = time.perf_counter() - begin
        print(f"one file: the hook's program {hooked * 1e3:.1f} ms, the built one {bare * 1e3:.1f} ms "
              f"({hooked / bare:.2f} x); with pre-commit itself {whole * 1e3:.0f} ms")
    checks.finish()


main()
