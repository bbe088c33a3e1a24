"""The completion scripts run in their shells; the manual page is read by a formatter."""

import pathlib
import shutil
import tempfile

from common import Checks, arguments, need, run


def bash_completes(script, words):
    """What Tab offers behind `words`."""
    line = " ".join(f"'{word}'" for word in words)
    program = (f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _gpulint; "
               "printf '%s\\n' \"${COMPREPLY[@]}\"")
    return need(run(["bash", "-c", program])).stdout.split()


def main():
    options = arguments()
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        scripts = {}
        for shell in ("bash", "zsh", "fish"):
            scripts[shell] = pathlib.Path(folder, shell)
            scripts[shell].write_text(need(run([options.gpulint, "completions", shell])).stdout)
            if shutil.which(shell) and shell != "fish":
                process = run([shell, "-n", scripts[shell]])
                checks.check(process.returncode == 0, f"{shell}: {process.stderr}")
            elif shutil.which(shell):
                process = run([shell, "--no-execute", scripts[shell]])
                checks.check(process.returncode == 0, f"{shell}: {process.stderr}")
            else:
                print(f"{shell} is not here: its script was not run")
        bash = scripts["bash"]
        checks.check(bash_completes(bash, ["gpulint", "esti"]) == ["estimate"], "bash: the command")
        checks.check("a10g" in bash_completes(bash, ["gpulint", "check", "--gpu", "a1"]), "bash: a GPU")
        checks.check("--gpu" in bash_completes(bash, ["gpulint", "x.yaml", "--g"]), "bash: options without a command")
        checks.check("amp-disabled" in bash_completes(bash, ["gpulint", "explain", "amp"]), "bash: a rule")
        checks.check(bash_completes(bash, ["gpulint", "check", "--output", "sa"]) == ["sarif"], "bash: a format")
        page = pathlib.Path(folder, "gpulint.1")
        page.write_text(need(run([options.gpulint, "man"])).stdout)
        for command in ("check", "estimate", "explain", "schema"):
            checks.check(f".SS gpulint {command}" in page.read_text(), f"man: {command} is missing")
        if shutil.which("mandoc"):
            checks.check(run(["mandoc", "-T", "lint", "-W", "error", page]).returncode == 0, "mandoc refuses the page")
        elif shutil.which("groff"):
            process = run(["groff", "-man", "-ww", "-z", page])
            checks.check(process.returncode == 0 and not process.stderr, f"groff: {process.stderr}")
        else:
            print("neither mandoc nor groff is here: the page was not formatted")
    checks.finish()


main()
