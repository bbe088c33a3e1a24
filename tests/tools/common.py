"""What the tests of this folder share."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77


def arguments(*more):
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpulint", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    for name in more:
        parser.add_argument(name, default="")
    return parser.parse_args()


class Checks:
    """Counts what was checked; `finish` prints the count and ends the test."""

    def __init__(self):
        self.done = 0
        self.failures = []

    def check(self, condition, message):
        self.done += 1
        if not condition:
            self.failures.append(message)
            print("FAILED:", message)

    def finish(self):
        print(f"{self.done - len(self.failures)} passed, {len(self.failures)} failed")
        sys.exit(1 if self.failures or self.done == 0 else 0)


def run(command, **options):
    """The completed process, its output as text; never fails by itself."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([str(word) for word in command], text=True, **options)


def need(process):
    """The same process, which must have ended well."""
    if process.returncode != 0:
        sys.exit(f"{process.args}: exit {process.returncode}\n{process.stdout}\n{process.stderr}")
    return process


def copy_checkout(source, target):
    """The files git would check out, with the edits of the working tree; no build folders."""
    listed = run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    if listed.returncode != 0:  # a tarball
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("build", ".git"))
        return
    for name in filter(None, listed.stdout.split("\0")):
        if (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name, follow_symlinks=False)


def build_environment(root):
    """Variables under which pip's build of a checkout below `root` reuses compiled objects."""
    environment = dict(os.environ)
    environment.update({"SKBUILD_CMAKE_DEFINE": "GPULINT_WERROR=ON", "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    # By the names CMake finds: the cache tells c++ and g++ apart.
    environment.setdefault("CC", "cc")
    environment.setdefault("CXX", "c++")
    if shutil.which("ccache"):
        environment.update({"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CMAKE_C_COMPILER_LAUNCHER": "ccache",
                            "CCACHE_BASEDIR": str(root), "CCACHE_NOHASHDIR": "1"})
    return environment
