"""Released packages as texts: fetched with pip, opened as archives, never installed or imported."""

import collections.abc
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

# A wheel for any machine will do: only its Python files are read.
PLATFORMS = ("any", "manylinux2014_x86_64", "manylinux_2_24_x86_64", "manylinux_2_28_x86_64", "macosx_11_0_arm64", "macosx_14_0_arm64")


def archive_of(package, version, cache, offline):
    """Path of the wheel, else the source archive, of one release."""
    folder = pathlib.Path(cache) / package
    stem = re.sub(r"[-_.]+", "[-_.]", package)
    pattern = re.compile(rf"{stem}-{re.escape(version)}(-.*\.whl|\.tar\.gz|\.zip)$", re.IGNORECASE)

    def found():
        files = sorted(folder.iterdir()) if folder.is_dir() else []
        return next((path for path in files if pattern.match(path.name)), None)

    path = found()
    if path or offline:
        return path
    wheel = ["--only-binary", ":all:", "--python-version", "3.11"]
    for platform in PLATFORMS:
        wheel += ["--platform", platform]
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder)]
    subprocess.run([*command, *wheel, f"{package}=={version}"], capture_output=True)
    return found() or unpacked_source(command, f"{package}=={version}", folder / f"{package}-{version}.tar.gz")


# What a project pins beside a package, and what the package's own releases ask for.
BESIDE = ("torch", "python")


def least_beside(package, version):
    """{"torch": "1.9", "python": "3.7"}: the oldest that a release asks for; {} where nobody says, or it has no wheel."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet"]
    command += ["--report", "-", "--only-binary", ":all:", "--target", tempfile.gettempdir()]
    for python in ("3.11", "3.8"):
        shown = subprocess.run([*command, "--python-version", python, f"{package}=={version}"], capture_output=True, text=True)
        if shown.returncode == 0:
            break
    else:
        return {}
    metadata = json.loads(shown.stdout)["install"][0]["metadata"]
    least = {}
    # "torch (>=1.9.*)"; some name it as an extra of theirs alone: 'torch>=2.2; extra == "torch"'.
    stated = [re.match(r"torch\s*\(?([^;)]*)\)?\s*(;.*)?$", text) for text in metadata.get("requires_dist", [])]
    stated = sorted((match for match in stated if match), key=lambda match: bool(match.group(2)))
    for name, text in (("torch", stated[0].group(1) if stated else ""), ("python", metadata.get("requires_python", ""))):
        bound = re.search(r"(?:>=|~=|==)\s*([0-9]+(?:\.[0-9]+)*)", text)
        if bound:
            least[name] = bound.group(1)
    return least


def unpacked_source(command, requirement, target):
    """The source archive of a release that has no wheel.

    pip asks the package for its metadata, which may fail where its build needs what is not installed; what pip had
    unpacked by then is all that is wanted.
    """
    with tempfile.TemporaryDirectory() as scratch:
        command = [*command, "--no-binary", ":all:", "--no-build-isolation", "--no-clean"]
        subprocess.run([*command, requirement], capture_output=True, env={**os.environ, "TMPDIR": scratch})
        for unpacked in pathlib.Path(scratch).glob("pip-download-*/*_*"):
            if unpacked.is_dir():
                with tarfile.open(target, "w:gz") as archive:
                    archive.add(unpacked, arcname=target.name.removesuffix(".tar.gz"))
    return target if target.exists() else None


class WheelTexts(collections.abc.Mapping):
    """Files of a wheel, unpacked when they are asked for: most never are."""

    def __init__(self, archive, wanted):
        self._archive = zipfile.ZipFile(archive)
        # "openrlhf-0.11.2.data/purelib/openrlhf/a.py" is openrlhf/a.py once it is installed.
        members = {re.sub(r"^[^/]+\.data/(purelib|platlib)/", "", name): name for name in self._archive.namelist()}
        self._members = {name: member for name, member in members.items() if wanted(name)}
        self._texts = dict.fromkeys(self._members)

    def __getitem__(self, name):
        if self._texts[name] is None:
            self._texts[name] = self._archive.read(self._members[name]).decode("utf-8", "replace")
        return self._texts[name]

    def __iter__(self):
        return iter(self._texts)

    def __len__(self):
        return len(self._texts)


def texts_of(archive, wanted):
    """{path in the package: text} of the files that `wanted(path)` names."""
    if archive.name.endswith((".whl", ".zip")):
        return WheelTexts(archive, wanted)
    texts = {}
    with tarfile.open(archive) as opened:
        for member in opened:
            # "deepspeed-0.16.9/src/deepspeed/a.py" is deepspeed/a.py once it is installed.
            name = member.name.partition("/")[2].removeprefix("src/")
            if member.isfile() and wanted(name):
                texts[name] = opened.extractfile(member).read().decode("utf-8", "replace")
    return texts


def texts_at(clone, commit, wanted):
    """The same for a commit of a git clone, of a project that is not in the index."""
    git = ["git", "-C", str(clone)]
    listed = subprocess.run([*git, "ls-tree", "-r", "--name-only", commit], capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.splitlines() if wanted(name)]
    return GitTexts(git, commit, names)


class GitTexts(collections.abc.Mapping):
    """Files of a commit, read when they are asked for."""

    def __init__(self, git, commit, names):
        self._git, self._commit = git, commit
        self._texts = dict.fromkeys(names)

    def __getitem__(self, name):
        if self._texts[name] is None:
            shown = subprocess.run([*self._git, "show", f"{self._commit}:{name}"], capture_output=True, check=True)
            self._texts[name] = shown.stdout.decode("utf-8", "replace")
        return self._texts[name]

    def __iter__(self):
        return iter(self._texts)

    def __len__(self):
        return len(self._texts)
