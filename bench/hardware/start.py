"""What a check begins with: the card, what is expected of it, and a Python with PyTorch."""

import json
import os
import pathlib
import shutil
import sys

import native
from session import HERE, START, Unusable


def find_program(named, root):
    candidates = [named] if named else [root / "build/release/gpulint", shutil.which("gpulint")]
    for each in candidates:
        if each and pathlib.Path(each).is_file():
            return pathlib.Path(each).resolve()
    raise Unusable("no gpulint: name it, as in scripts/hardware_check build/release/gpulint")


def find_torch(session):
    """The first Python whose torch has a GPU; None without one."""
    pythons = [session.options.python, *(os.path.join(os.environ[folder], "bin/python")
                                         for folder in ("VIRTUAL_ENV", "CONDA_PREFIX") if folder in os.environ),
               sys.executable, shutil.which("python3"), shutil.which("python"), "/opt/conda/bin/python", "/usr/bin/python3"]
    seen = set()
    why = "no Python has torch"
    for python in pythons:
        if not python or python in seen or not os.path.exists(python):
            continue
        seen.add(python)
        ended = session.run([python, HERE / "torch_side.py", "info"], timeout=4 * START)
        try:
            found = json.loads(ended.output)
        except ValueError:
            continue
        if found["device"]:
            return {**found, "python": python}, ""
        why = f"the torch {found['torch']} of {python} sees no GPU"
    return None, why


def expectations(session):
    name = session.options.expected
    path = pathlib.Path(name) if name else HERE / "expected" / f"{session.device.get('gpu')}.json"
    if not path.is_file():
        if name:
            raise Unusable(f"{path}: no such file")
        return {"name": None}
    found = json.loads(path.read_text(encoding="utf-8"))
    return {**found, "name": path.stem}


def look(session):
    """Finds the card; a machine without one cannot be checked."""
    session.torch, session.no_torch = find_torch(session)
    report = session.confirm("--no-library", timeout=3 * START)
    if report.get("status") == "unavailable":
        raise Unusable(f"{report['reason']}: {report['message']}; {report['remedy']}")
    if report.get("status") != "ok":
        raise Unusable(f"gpulint confirm: {report.get('message')}")
    session.device, session.memory = report["device"], report["memory"]
    session.first = report
    session.expected = expectations(session)
    try:
        native.Nvml(session.device["pci_bus_id"]).close()
    except native.NativeError as error:
        print(f"NVML is not to be had from Python: {error}; what needs it is skipped", flush=True)
