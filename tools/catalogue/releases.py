"""Released packages as texts: fetched with pip, opened as archives, never installed or imported."""

import collections.abc
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

# A wheel for any machine will do: only its Python files are read.
PLATFORMS = ("any", "manylinux2014_x86_64", "manylinux_2_28_x86_64", "macosx_11_0_arm64", "macosx_14_0_arm64")


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
        self._texts = dict.fromkeys(name for name in self._archive.namelist() if wanted(name))

    def __getitem__(self, name):
        if self._texts[name] is None:
            self._texts[name] = self._archive.read(name).decode("utf-8", "replace")
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


def texts_below(folder, wanted):
    """The same for a checkout of a project that is not in the index."""
    root = pathlib.Path(folder)
    paths = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {path: (root / path).read_text("utf-8", "replace") for path in paths if wanted(path)}
