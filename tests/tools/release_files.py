"""What packaging/release.py makes of wheels: the installer installs the program of this machine and nothing that was changed on
the way, and the formula names what is there. The wheels are stand-ins around the built program."""

import hashlib
import json
import os
import pathlib
import re
import sys
import tarfile
import tempfile
import zipfile

from common import Checks, arguments, need, run

TAGS = ("musllinux_1_1_x86_64", "musllinux_1_1_aarch64", "macosx_11_0_x86_64", "macosx_11_0_arm64", "win_amd64")


def make_wheel(folder, version, tag, program):
    with zipfile.ZipFile(folder / f"gpulint-{version}-py3-none-{tag}.whl", "w") as wheel:
        wheel.write(program, f"gpulint-{version}.data/scripts/gpulint{'.exe' if tag.startswith('win') else ''}")
        wheel.writestr(f"gpulint-{version}.dist-info/licenses/LICENSE", "Apache\n")


def install(folder, home, **more):
    environment = dict(os.environ, HOME=str(home), **more)
    environment.pop("GPULINT_BIN", None)
    return run(["sh", folder / "install.sh"], env=environment)


def check_installer(checks, dist, home, version):
    first = install(dist, home)
    checks.check(first.returncode == 0, f"install.sh fails: {first.stderr}")
    program = home / ".local/bin/gpulint"
    checks.check(program.is_file() and need(run([program, "--version"])).stdout == version, "what is installed does not run")
    checks.check("PATH" in first.stdout, "the folder is not on the PATH, and nobody is told")
    for tarball in dist.glob("*.tar.gz"):
        with open(tarball, "ab") as file:
            file.write(b"x")
    program.write_text("old")
    changed = install(dist, home)
    checks.check(changed.returncode != 0 and "checksum" in changed.stderr, "a changed tarball is installed")
    checks.check(program.read_text() == "old", "a refused installation touches the program")
    missing = install(dist, home, GPULINT_URL="file:///nowhere")
    checks.check(missing.returncode != 0 and "cannot be fetched" in missing.stderr, f"a missing release: {missing.stderr}")


def check_addresses(checks, source, folder):
    """The index shows the README without the files it links to, so its links are absolute there, and metadata name the project."""
    for name in ("pyproject.toml", "README.md"):
        (folder / name).write_text((source / name).read_text())
    add = [sys.executable, source / "packaging/addresses.py", folder, "https://example.org/team/gpulint/", "v1.2.3"]
    need(run(add))
    urls = (folder / "pyproject.toml").read_text().split("[project.urls]\n", 1)[1]
    checks.check('Source = "https://example.org/team/gpulint"\n' in urls, f"[project.urls] says {urls}")
    readme = (folder / "README.md").read_text()
    checks.check("](https://example.org/team/gpulint/blob/v1.2.3/docs/install.md)" in readme, "a link is left as it was")
    checks.check("](https://example.org/team/gpulint/tree/v1.2.3/examples/)" in readme, "a link to a folder is left as it was")
    left = re.findall(r"\]\((?!https://)[^)]*\)", readme)
    checks.check(not left, f"these links lead nowhere on the index: {left}")
    checks.check(run(add).returncode != 0, "addresses are written twice")


def main():
    options = arguments()
    checks = Checks()
    version = need(run([options.gpulint, "--version"])).stdout
    number = version.split()[1]
    release = [sys.executable, options.source / "packaging/release.py"]
    with tempfile.TemporaryDirectory() as folder:
        dist, home = pathlib.Path(folder) / "dist", pathlib.Path(folder) / "home"
        dist.mkdir()
        home.mkdir()
        check_addresses(checks, options.source, home)
        make_wheel(dist, number, TAGS[0], options.gpulint)
        incomplete = run([*release, dist, dist.as_uri()])
        checks.check(incomplete.returncode != 0 and "a wheel is missing" in incomplete.stderr, f"it is enough: {incomplete.stdout}")
        elsewhere = pathlib.Path(folder) / "program"  # that nothing runs here
        elsewhere.write_bytes(b"of another machine\n")
        for tag in TAGS[1:]:
            make_wheel(dist, number, tag, elsewhere)
        need(run([*release, dist, dist.as_uri()]))
        before = (dist / "SHA256SUMS").read_text()
        need(run([*release, dist, dist.as_uri()]))
        checks.check((dist / "SHA256SUMS").read_text() == before, "the same wheels make other files")
        for line in before.splitlines():
            digest, name = line.split("  ")
            checks.check(hashlib.sha256((dist / name).read_bytes()).hexdigest() == digest, f"{name} has another checksum")
        with tarfile.open(dist / "gpulint-macos-arm64.tar.gz") as tar:
            checks.check(tar.getnames() == ["gpulint", "licenses/LICENSE"], f"the tarball holds {tar.getnames()}")
        with zipfile.ZipFile(dist / "gpulint-windows-x86_64.zip") as packed:
            checks.check(packed.namelist() == ["gpulint.exe", "licenses/LICENSE"], f"the zip holds {packed.namelist()}")
        formula = (dist / "gpulint.rb").read_text()
        for url, digest in re.findall(r'url "([^"]+)"\s+sha256 "(\w{64})"', formula):
            checks.check(f"{digest}  {url.rsplit('/', 1)[1]}" in before, f"the formula's {url} is not in the release")
        checks.check(formula.count("sha256") == 4, "the formula is not for four machines")
        bill = json.loads((dist / "gpulint.cdx.json").read_text())
        checks.check(bill["metadata"]["component"]["version"] == number and bill["components"], "the bill of materials is empty")
        checks.check((dist / "NOTES.md").read_text().strip(), "a release without notes")
        check_installer(checks, dist, home, version)
        make_wheel(dist, "0.0.1", TAGS[0], options.gpulint)
        checks.check(run([*release, dist, dist.as_uri()]).returncode != 0, "a wheel of another version is taken")
    checks.finish()


main()
