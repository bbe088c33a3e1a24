"""Every command that README, CONTRIBUTING, docs/ and the page of the extension show is run, in a small project like a reader's; where
the page shows what it prints, it prints just that. Of what cannot run here (words for the reader to fill in, measurements over
folders that are not part of the repository) the options have to be those that the program's help knows."""

import difflib
import os
import pathlib
import re
import shutil
import sys
import tempfile

from common import Checks, arguments, need, run

CONFIG = "model: resnet50\nimage_size: 224\nbatch_size: 64\namp: true\noptimizer: sgd\nlearning_rate: 0.1\nnum_workers: 4\n"

# Programs that a page may show and that are run elsewhere: by another test, by CI itself, or on other machines.
RUN_ELSEWHERE = {
    "scripts/test": "it runs this test",
    "scripts/playground": "a whole build of its own",
    "scripts/accuracy": "needs measured rows", "scripts/wheel": "tools.wheel",
    "pip": "tools.wheel", "pre-commit": "tools.pre_commit", "docker": "needs a container service",
    "cmake": "CI builds", "ctest": "it runs this test", "git": "not ours", "sudo": "not ours", "python3": "unit tests",
    "source": "the shell's", "man": "the system's", "mkdir": "the system's", "cd": "the shell's",
    "scripts/hardware_check": "hardware.check", "gpulint-record": "tests/record needs PyTorch", "fix_property": "built with the benchmarks", "npm": "tests/lsp/vscode.sh",
    "npx": "tests/lsp/vscode.sh", "code": "needs VS Code", "clang-format": "not ours", "tests/run_examples.sh": "a test of its own",
    "GPULINT_UPDATE=1": "writes into the checkout", "GPULINT_CORPUS=FOLDER": "it runs this test",
}
# First words by which a line set apart, or words in the text, are known as a command.
PROGRAMS = r"(?:gpulint(?:-record)?|srun|scripts/\w+|tests/\S+\.sh|(?:python3 )?(?:tools|bench)/\S+\.py|pip|cmake|clang-format|fix_property|GPULINT_\w+=\S+)"


def commands_of(text):
    """(command, what the page shows it prints or None) of one page, in its order."""
    pattern = rf"^```(\w*)\n(.*?)^```|^    ({PROGRAMS} [^\n]+)$|`([^`\n]+)`"
    for kind, fence, indented, inline in re.findall(pattern, text, re.M | re.S):
        if indented:
            yield re.split(r" \| reviewdog| {2,}#", indented)[0].rstrip(), None
        elif inline:
            if re.match(rf"{PROGRAMS} \S", inline):
                yield inline, None
        elif kind in ("", "console") and re.search(r"^\$ ", fence, re.M):
            for shown in re.split(r"^\$ ", fence, flags=re.M)[1:]:
                command, _, output = shown.partition("\n")
                yield command, output.strip("\n") or None
        elif kind in ("sh", "bash"):
            for line in fence.splitlines():
                if line.strip() and not line.startswith("#"):
                    yield line.split(" #")[0].strip(), None


def is_synopsis(command):
    """`gpulint explain RULE`: words for the reader to fill in."""
    return re.search(r"[\[\]…]|\.\.\.|(?<![\w=/.-])[A-Z][A-Z_|]+(?![\w./])|<\w+>", command) is not None


def needs_more_than_a_project(command):
    """Launchers of a cluster, folders that several machines share, the Python programs of tools/ and bench/, and commands that are only named."""
    return re.match(r"srun |(python3 )?(tools|bench)/|gpulint (estimate|fit|facts)$", command) is not None or " /shared/" in command


def help_of(options, command):
    """The help of a command's program; None where it is run elsewhere or prints none."""
    words = [word for word in command.split() if word not in ("srun", "python3")]
    if words[0].startswith(("tools/", "bench/")):
        process = run([sys.executable, options.source / words[0], "--help"])
        return process.stdout if process.returncode == 0 else None
    if words[0] != "gpulint":
        return None
    named = words[1] if len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]) else "check"
    process = run([options.gpulint, named, "--help"])
    return process.stdout if process.returncode == 0 else None


def check_options(checks, options, page, command):
    command = command.split(" | ")[0]
    shown = help_of(options, command)
    if shown is None:
        return
    checks.check(shown, f"{page}: `{command}`: there is no help")
    for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", command):
        checks.check(re.search(rf"(?<![\w-]){option}(?![\w-])", shown), f"{page}: `{command}`: the program has no {option}")


def make_project(folder, options):
    need(run(["git", "init", "-q", "-b", "main"], cwd=folder))
    shutil.copytree(options.source / "examples", folder / "examples")
    (folder / "configs/h100").mkdir(parents=True)
    for name in ("configs/train.yaml", "configs/h100/train.yaml", "train.yaml", "config.yaml", "buffer", "configs/base.yaml"):
        (folder / name).write_text(CONFIG)
    (folder / "train.sh").write_text("torchrun --nproc_per_node 4 train.py --batch_size 64 --lr 0.1\n")
    (folder / "config.py").write_text("batch_size = 64\nlearning_rate = 0.1\n")
    (folder / ".gpulint.yaml").write_text("gpu: a10g\n")
    (folder / "ds.json").write_text('{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}}\n')
    identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com"]
    need(run(["git", "add", "-A"], cwd=folder))
    for message in ("One", "Two"):
        need(run(["git", *identity, "commit", "-q", "--allow-empty", "-m", message], cwd=folder))
        need(run(["git", "tag", {"One": "v1.2", "Two": "v1.3"}[message]], cwd=folder))
    programs = folder / ".git/programs"
    programs.mkdir()
    (programs / "gpulint").symlink_to(options.gpulint)
    (folder / "scripts").mkdir()
    (folder / "scripts/lint").symlink_to(options.gpulint)
    environment = dict(os.environ, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}", NO_COLOR="1")
    environment.pop("GITHUB_ACTIONS", None)
    environment.pop("COLUMNS", None)
    return environment


def main():
    options = arguments()
    checks = Checks()
    pages = [options.source / name for name in ("README.md", "CONTRIBUTING.md", "editors/vscode/README.md")]
    pages += sorted((options.source / "docs").rglob("*.md"))
    seen = set()
    elsewhere = set()
    for page in pages:
        for command, shown in commands_of(page.read_text()):
            if (command, shown) in seen:
                continue
            seen.add((command, shown))
            if is_synopsis(command) or needs_more_than_a_project(command):
                check_options(checks, options, page.name, command)
                continue
            words = [word for word in command.split() if "=" not in word or word.startswith("-")]
            program = words[0] if words else command.split()[0]
            if program in RUN_ELSEWHERE:
                elsewhere.add(f"{program} ({RUN_ELSEWHERE[program]})")
                continue
            run_one(checks, options, page.name, command, shown)
    print("not run here:", ", ".join(sorted(elsewhere)))
    checks.finish()


def run_one(checks, options, page, command, shown):
    with tempfile.TemporaryDirectory() as folder:
        environment = make_project(pathlib.Path(folder), options)
        if command.startswith("gpulint init"):  # for projects that have none yet
            pathlib.Path(folder, ".gpulint.yaml").unlink()
        if "--baseline " in command:
            run([options.gpulint, ".", "--write-baseline"], cwd=folder, env=environment)
        command_line = command.replace("build/release/gpulint", "gpulint")
        expected = (0, 1, 4) if " confirm" in command else (0, 1)
        if command.startswith("gpulint watch"):  # runs until it is interrupted
            command_line, expected = f"timeout 2 {command_line}", (124,)
        process = run(["bash", "-c", command_line], cwd=folder, env=environment)
        checks.check(process.returncode in expected,
                     f"{page}: `{command}` ends with {process.returncode}: {process.stderr.strip()[:200]}")
        if shown is not None:
            printed = process.stdout.strip("\n")
            difference = "\n".join(difflib.unified_diff(shown.splitlines(), printed.splitlines(), "shown", "printed", lineterm=""))
            checks.check(printed == shown, f"{page}: `{command}` prints something else\n{difference}")


main()
