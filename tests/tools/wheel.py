"""`pip install .` of a clean checkout gives the native binary, small and needing nothing but the C library, and the Python
package that records networks."""

import os
import pathlib
import re
import sys
import tempfile
import venv
import zipfile

from common import Checks, arguments, build_environment, copy_checkout, need, run

LARGEST_WHEEL = 12_000_000  # bytes
C_LIBRARY = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2",
             "ld-linux-aarch64.so.1"}


def needed_libraries(program):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", need(run(["readelf", "-d", program])).stdout))


def main():
    options = arguments()
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        source = folder / "checkout"
        copy_checkout(options.source, source)
        environment = build_environment(folder)
        venv.create(folder / "venv", with_pip=True)
        pip = folder / "venv/bin/pip"
        need(run([pip, "wheel", "--no-deps", "-w", folder / "wheels", source], env=environment))
        wheel = next((folder / "wheels").glob("*.whl"))
        checks.check(wheel.stat().st_size < LARGEST_WHEEL, f"{wheel.name} has {wheel.stat().st_size} bytes")
        names = zipfile.ZipFile(wheel).namelist()
        checks.check([n for n in names if n.endswith(".data/scripts/gpulint")], f"no program in {names}")
        others = [n for n in names if ".dist-info/" not in n and not n.endswith("/scripts/gpulint") and not n.startswith("gpulint/")]
        checks.check(not others, f"more than the program and its package: {others}")
        checks.check("gpulint/tracing/recorder.py" in names, f"no recorder in {names}")

        licences = {pathlib.PurePosixPath(n).name for n in names if "/licenses/" in n}
        linked = {"LICENSE", "CLI11.txt", "fmt.txt", "nlohmann_json.txt", "yaml-cpp.txt"}
        checks.check(linked <= licences, f"the licences of what is linked in are missing: {linked - licences}")

        need(run([pip, "install", "--no-index", wheel], env=environment))
        program = folder / "venv/bin/gpulint"
        checks.check(program.read_bytes()[:4] == b"\x7fELF", "what pip installed is not a native program")
        version = need(run([program, "--version"], cwd=folder)).stdout
        checks.check(version == run([options.gpulint, "--version"]).stdout, f"--version says {version!r}")
        python = folder / "venv/bin/python"
        checks.check(need(run([python, "-m", "gpulint", "--version"], cwd=folder)).stdout == version, "python -m gpulint is another")
        checks.check("--batch" in need(run([folder / "venv/bin/gpulint-record", "--help"], cwd=folder)).stdout, "no gpulint-record")
        checks.check(f"-{version.split()[1]}-py3-none-" in wheel.name, f"{wheel.name} is not of {version!r}")
        for each in (program, options.gpulint):
            if "libasan" in need(run(["readelf", "-d", each])).stdout:
                continue
            checks.check(needed_libraries(each) <= C_LIBRARY, f"{each} needs {needed_libraries(each)}")
            symbols = need(run(["readelf", "-W", "--dyn-syms", each])).stdout
            checks.check(" arc4random" not in symbols and " hypot" not in symbols, f"{each} asks for a newer glibc than it has to")
        tools = pathlib.Path(sys.executable).parent
        shown = need(run([tools / "auditwheel", "show", wheel]))
        tag = re.search(r'"(manylinux_[0-9_]+_\w+)"', shown.stdout)
        checks.check(tag, f"auditwheel grants no tag: {shown.stdout}")
        # As scripts/wheel publishes it.
        environment["PATH"] = f"{tools}{os.pathsep}{environment['PATH']}"
        need(run([tools / "auditwheel", "repair", "-w", folder / "dist", wheel], env=environment))
        published = next((folder / "dist").glob("*.whl")).name
        checks.check(tag and tag.group(1) in published, f"{published} does not carry the tag granted")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB; auditwheel grants {tag and tag.group(1)}")
        print("needs", ", ".join(sorted(needed_libraries(program))))
    checks.finish()


main()
