#!/usr/bin/env python3
"""packaging/release.py DIST URL: what a release consists of, made of the wheels in the folder DIST and written beside them.

gpulint-<target>.tar.gz   the program of each wheel with its licences; of Windows a .zip
gpulint.rb                the Homebrew formula with the checksums of these
install.sh                the installer, which fetches them from URL
gpulint.cdx.json          what is linked in (CycloneDX 1.5)
NOTES.md                  the newest section of CHANGELOG.md
SHA256SUMS                of all these and the wheels

URL is the folder the files will be found under, with the version in it. A wheel of an older version in DIST is an error.
"""

import gzip
import hashlib
import io
import json
import pathlib
import re
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# What the tag of a wheel says first decides which tarball its program goes into. Of Linux the static program is taken: it runs
# beside every C library.
TARGETS = {
    "musllinux_1_1_x86_64": "linux-x86_64",
    "musllinux_1_1_aarch64": "linux-aarch64",
    "macosx_11_0_x86_64": "macos-x86_64",
    "macosx_11_0_arm64": "macos-arm64",
    "win_amd64": "windows-x86_64",
}


def version_of_project():
    return re.search(r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text(), re.M).group(1)


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def add_file(tar, name, data, mode):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), mode
    tar.addfile(entry, io.BytesIO(data))


def write_tarball(wheel, path):
    """The same bytes for the same wheel: no times, no users."""
    with zipfile.ZipFile(wheel) as archive, open(path, "wb") as file:
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
            for name in sorted(archive.namelist()):
                if name.endswith(".data/scripts/gpulint"):
                    add_file(tar, "gpulint", archive.read(name), 0o755)
                elif ".dist-info/licenses/" in name:
                    add_file(tar, f"licenses/{pathlib.PurePosixPath(name).name}", archive.read(name), 0o644)


def write_zip(wheel, path):
    """What Windows opens by itself, of the same bytes for the same wheel."""
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(archive.namelist()):
            if name.endswith(".data/scripts/gpulint.exe"):
                packed.writestr(zipfile.ZipInfo("gpulint.exe"), archive.read(name), zipfile.ZIP_DEFLATED)
            elif ".dist-info/licenses/" in name:
                packed.writestr(zipfile.ZipInfo(f"licenses/{pathlib.PurePosixPath(name).name}"), archive.read(name), zipfile.ZIP_DEFLATED)


def write_tarballs(dist, version):
    wheels = sorted(dist.glob("gpulint-*.whl"))
    foreign = [each.name for each in wheels if not each.name.startswith(f"gpulint-{version}-")]
    if foreign:
        sys.exit(f"not of version {version}: {', '.join(foreign)}")
    made = {}
    for wheel in wheels:
        target = TARGETS.get(wheel.name[:-len(".whl")].split("-")[-1].split(".")[0])
        if target:
            windows = target.startswith("windows")
            made[target] = dist / f"gpulint-{target}.{'zip' if windows else 'tar.gz'}"
            (write_zip if windows else write_tarball)(wheel, made[target])
    return wheels, made


def fill(template, target, values):
    text = template.read_text()
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    left = re.findall(r"@[A-Z0-9_]+@", text)
    if left:
        sys.exit(f"{template.name} needs {', '.join(sorted(set(left)))}: a wheel is missing in the folder")
    target.write_text(text)


def write_bill(path, version):
    linked = json.loads((HERE / "linked.json").read_text())
    path.write_text(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "name": "gpulint", "version": version,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": [{"type": "library", **{key: each[key] for key in ("name", "version") if key in each},
                        "licenses": [{"expression": each["license"]}]} for each in linked],
    }, indent=2) + "\n")


def notes():
    """The first section of the changelog without its heading."""
    sections = re.split(r"^## .*\n", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)
    return sections[1].strip() + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    dist, url = pathlib.Path(sys.argv[1]), sys.argv[2].rstrip("/")
    version = version_of_project()
    wheels, tarballs = write_tarballs(dist, version)
    sums = {f"SHA256_{target.replace('-', '_').upper()}": checksum(path) for target, path in tarballs.items()}
    fill(HERE / "homebrew/gpulint.rb.in", dist / "gpulint.rb", {"VERSION": version, "URL": url, **sums})
    fill(HERE / "install.sh.in", dist / "install.sh", {"URL": url})
    write_bill(dist / "gpulint.cdx.json", version)
    (dist / "NOTES.md").write_text(notes())
    files = [*wheels, *tarballs.values(), *(dist / name for name in ("gpulint.rb", "install.sh", "gpulint.cdx.json"))]
    (dist / "SHA256SUMS").write_text("".join(f"{checksum(each)}  {each.name}\n" for each in files))
    print(f"gpulint {version}: {len(wheels)} wheels, {len(tarballs)} tarballs")


main()
