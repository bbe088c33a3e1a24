#!/usr/bin/env python3
"""scripts/hardware_check against the fake card: run_hardware.py GPULINT FAKE_DRIVER FAKE_CUBLASLT FAKE_NCCL

All passes, a figure that is moved fails, time that runs out is taken up again, and a machine without a card says so.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FAILURES = []
# What a machine of tests need not have; everything else has to pass against the fakes.
MAY_SKIP = {"torch_rates", "torch_memory", "sanitizer", "kernels", "largest_batch"}


def expect(name, good, shown=""):
    if not good:
        FAILURES.append(name)
        print(f"FAIL: {name}\n{shown}", flush=True)


# The program is run from another folder.
PROGRAM, DRIVER, LIBRARY, NCCL = (pathlib.Path(each).resolve() for each in sys.argv[1:5])


def run(folder, *words, driver=True):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("CUDA_", "LD_LIBRARY", "VIRTUAL_ENV"))}
    environment.update(LD_LIBRARY_PATH=str(folder / ("driver" if driver else "none")), FAKE_SHARED=str(folder / "card"), FAKE_NODE="devices=4",
                       FAKE_SLOW_CALL="cuCtxSynchronize:300,nvmlDeviceGetPowerUsage:4000")
    command = [ROOT / "scripts/hardware_check", PROGRAM, "--cublaslt", LIBRARY, "--nccl", NCCL, "--out", folder / "kept.json", *words]
    return subprocess.run([str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "driver").mkdir()
    shutil.copy(DRIVER, folder / "driver/libcuda.so.1")
    (folder / "driver/libnvidia-ml.so.1").symlink_to("libcuda.so.1")
    (folder / "driver").chmod(0o755)
    folder.chmod(0o755)
    (folder / "card").write_bytes(b"")
    (folder / "card").chmod(0o666)
    expected = ROOT / "tests/probe/hardware_expected.json"
    with_expected = ["--expected", expected]
    try:
        ended = run(folder, *with_expected, driver=False)
        expect("a machine without a driver has nothing to check", ended.returncode == 4 and "no_driver" in ended.stderr, ended.stderr)

        ended = run(folder, *with_expected, "--limit", "0")
        expect("without time nothing is begun", ended.returncode == 3 and "the same command goes on" in ended.stdout, ended.stdout)
        ended = run(folder, *with_expected, "--only", "identity")
        expect("one check runs alone", ended.returncode == 0 and "PASS  identity.sm_count" in ended.stdout, ended.stdout)

        ended = run(folder, *with_expected)
        expect("the fake card passes", ended.returncode == 0, "\n".join(line for line in ended.stdout.splitlines() if "PASS" not in line)
               + ended.stderr)
        expect("what was finished is kept", "kept  identity: PASS" in ended.stdout)
        kept = json.loads((folder / "kept.json").read_text(encoding="utf-8"))
        claims = [each["id"] for each in json.loads((ROOT / "bench/hardware/claims.json").read_text(encoding="utf-8"))]
        expect("every claim has its result", sorted(kept["claims"]) == sorted(claims))
        skipped = {claim for claim, found in kept["claims"].items() if found["verdict"] == "SKIP"}
        expect("only what needs other programs is skipped", skipped <= MAY_SKIP, str(skipped))
        if skipped:
            print("skipped, as their programs are missing:", " ".join(sorted(skipped)))

        figures = json.loads(expected.read_text(encoding="utf-8"))
        moved = folder / "moved.json"
        for each in figures["figures"].values():
            for end in ("low", "high"):
                if end in each:
                    each[end] = each[end] * 3 + 1
            if "high" not in each:
                each["low"] += 1e6
        moved.write_text(json.dumps(figures), encoding="utf-8")
        ended = run(folder, "--expected", moved, "--out", folder / "moved-kept.json", "--only", "memory_rates", "--only", "identity",
                    "--only", "memory_totals", "--only", "library_products", "--only", "own_products", "--only", "launches",
                    "--only", "ceilings", "--only", "host_copies", "--only", "links", "--only", "collectives")
        lines = json.loads((folder / "moved-kept.json").read_text(encoding="utf-8"))["claims"]
        passed = [line["name"] for found in lines.values() for line in found["lines"]
                  if line["verdict"] == "PASS" and line["name"] in figures["figures"]]
        expect("every figure fails when what is expected of it moves", ended.returncode == 1 and passed in ([], ["cold_upload"]), str(passed))
        pages(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("all passed" if not FAILURES else f"{len(FAILURES)} failed")
    return 1 if FAILURES else 0


def pages(folder):
    """What a kept run makes of the pages, without a real one."""
    sys.path.insert(0, str(ROOT / "bench/hardware"))
    import matrix
    runs = folder / "runs"
    runs.mkdir()
    run_kept = json.loads((folder / "kept.json").read_text(encoding="utf-8"))
    (runs / "one.json").write_text(json.dumps(run_kept), encoding="utf-8")
    try:
        matrix.load(runs)
        expect("a run on the fake driver is never kept", False)
    except SystemExit as refused:
        expect("a run on the fake driver is never kept", "fake driver" in str(refused), str(refused))
    run_kept["about"].update(hardware=True, driver="1.2", device="Some Card")
    run_kept["date"] = "2026-01-02"
    run_kept["claims"]["launches"] = {"verdict": "FAIL", "seconds": 1, "lines": [
        {"name": "launch", "verdict": "FAIL", "found": 1.5, "expected": "2 to 3"}]}
    (runs / "one.json").write_text(json.dumps(run_kept), encoding="utf-8")
    kept = matrix.load(runs)
    claims = json.loads((ROOT / "bench/hardware/claims.json").read_text(encoding="utf-8"))
    table = matrix.table(claims, kept)
    expect("a passed check is said with card, driver and date", "passed (Some Card, driver 1.2, 2026-01-02)" in table, table)
    expect("a failed one says what it found", "**failed**: launch 1.5 for 2 to 3 (Some Card" in table, table)
    expect("one line says where all of it ran", matrix.validated(kept).startswith("validated on Some Card, driver 1.2, 2026-01-02, 1 of "),
           matrix.validated(kept))
    expect("without a run nothing is validated", matrix.validated([]) == matrix.NOTHING)


sys.exit(main())
