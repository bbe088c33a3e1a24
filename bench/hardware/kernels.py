#!/usr/bin/env python3
"""bench/hardware/kernels.py: what the machine code of our matrix products costs, without a GPU.

Compiles src/device/kernels/*.cu (nvcc and cuobjdump on the PATH: pip's nvidia-cuda-nvcc, -nvvm, -crt and -cuobjdump will do),
finds the main loop of each product and prints, for one pass over a slice and one multiprocessor: the cycles of its tensor or
floating-point instructions, of its shared memory and of its instruction issue; registers, spills, shared memory and warps. The
largest of the three bounds the product from below; nothing here has run on a device. Exit code 77 without the tools.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parent.parent.parent / "src" / "device" / "kernels"

# Multiply-adds a cycle and multiprocessor, by kind of instruction: NVIDIA's whitepapers of A100 (1,024 of 16 bits), GA102 and
# AD102 (512; half of it where GeForce accumulates in fp32), H100 (2,048 through wgmma of 16 bits, twice of fp8) and V100 (64).
SHARED_BYTES_A_CYCLE = 128
SCHEDULERS = 4


def products(name):
    """Multiply-adds of one instruction of a warp, or of a warpgroup for HGMMA."""
    shape = re.match(r"(HMMA|QMMA)\.(\d{4,5})", name)
    if shape:
        sizes = {"16816": 16 * 8 * 16, "1688": 16 * 8 * 8, "16832": 16 * 8 * 32}
        return sizes.get(shape.group(2), 0)
    wide = re.match(r"[HQ]GMMA\.(\d+)x(\d+)x(\d+)", name)
    if wide:
        return int(wide.group(1)) * int(wide.group(2)) * int(wide.group(3))
    return 32 if name.startswith("FFMA") else 0


def shared_bytes(name, line):
    """That one instruction of a warp moves to or from shared memory; what a copy brings is written to it too."""
    if name.startswith("LDSM"):
        return 32 * 16 if name.endswith(".4") else 32 * 4
    if name.startswith("LDGSTS"):
        return 32 * 16
    if name.startswith(("LDS", "STS")):
        return 32 * (16 if ".128" in name else 8 if ".64" in name else 4)
    shape = re.match(r"[HQ]GMMA\.(\d+)x(\d+)x", name)
    if shape:  # of the whole warpgroup: 32 bytes of depth of both operands
        return (int(shape.group(1)) + int(shape.group(2))) * 32
    return 0


def code_of(cubin):
    """Instructions by entry: [(address, name, line)]."""
    text = subprocess.run(["cuobjdump", "-sass", cubin], check=True, capture_output=True, text=True).stdout
    entries, current = {}, None
    for line in text.splitlines():
        if found := re.search(r"Function : (\w+)", line):
            current = entries.setdefault(found.group(1), [])
        found = re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\d+ )?\s*([A-Z0-9_.a-z]+)(.*?);", line)
        if found and current is not None:
            current.append((int(found.group(1), 16), found.group(2), line))
    return entries


def main_loop(code):
    """From the target of a branch backwards to the branch: the one with the most products."""
    best = []
    for place, (address, name, line) in enumerate(code):
        target = re.search(r"BRA (?:`\(.*\)|0x([0-9a-f]+))", line) if name == "BRA" else None
        if target is None or target.group(1) is None or int(target.group(1), 16) >= address:
            continue
        first = int(target.group(1), 16)
        loop = [each for each in code[: place + 1] if each[0] >= first]
        inside = sum(products(each[1]) > 0 for each in loop)
        known = sum(products(each[1]) > 0 for each in best)
        if inside > known or (inside == known and inside and len(loop) < len(best)):
            best = loop
    return best


def usage_of(cubin):
    text = subprocess.run(["cuobjdump", "-res-usage", cubin], check=True, capture_output=True, text=True)
    found = re.findall(r"Function (\w+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+)", text.stdout + text.stderr)
    return {name: (int(registers), int(stack), int(shared)) for name, registers, stack, shared in found}


# file, architecture, entry, rate of multiply-adds, warps of a block, warps that multiply, shared bytes asked for, bytes copied by
# boxes for each slice, blocks on a multiprocessor
TABLE = [
    ("memory", "80", "gpulint_gemm_fp32", 64, 8, 8, 0, 0, 2),
    ("fp32", "80", "gpulint_prefetch_gemm_fp32", 64, 8, 8, 0, 0, 2),
    ("fp32", "86", "gpulint_prefetch_gemm_fp32", 128, 8, 8, 0, 0, 2),
    ("tensor", "80", "gpulint_gemm_bf16", 1024, 8, 8, 0, 0, 2),
    ("wide", "80", "gpulint_wide_gemm_bf16", 1024, 8, 8, 98304, 0, 1),
    ("tensor", "86", "gpulint_gemm_bf16", 512, 8, 8, 0, 0, 2),
    ("wide", "86", "gpulint_wide_gemm_bf16", 512, 8, 8, 98304, 0, 1),
    ("hopper", "90a", "gpulint_wgmma_gemm_bf16", 2048, 8, 8, 196608, 0, 1),
    ("hopper_tma", "90a", "gpulint_tma_gemm_bf16", 2048, 9, 8, 196672, 49152, 1),
    ("hopper_tma", "90a", "gpulint_tma_gemm_fp8", 4096, 9, 8, 196672, 49152, 1),
]


def compiled(folder, name, architecture):
    cubin = folder / f"{name}.{architecture}.cubin"
    if not cubin.exists():
        subprocess.run(["nvcc", "-cubin", "-O3", "--std=c++17", f"-arch=sm_{architecture}", "-o", cubin, KERNELS / f"{name}.cu"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return cubin


def row(folder, file, architecture, entry, rate, warps, users, asked, boxes, blocks):
    cubin = compiled(folder, file, architecture)
    loop = main_loop(code_of(cubin)[entry])
    registers, stack, static = usage_of(cubin)[entry]
    by_group = any("GMMA" in name for _, name, _ in loop)
    shares = users // 4 if by_group else users  # who issues a product: warpgroups or warps
    math = sum(products(name) for _, name, _ in loop) * shares / rate
    moved = sum(shared_bytes(name, line) * (shares if "GMMA" in name else users) for _, name, line in loop) + boxes
    issue = len(loop) * users / SCHEDULERS
    memory = moved / SHARED_BYTES_A_CYCLE
    return (f"| `{entry}` | {architecture} | {math:.0f} | {memory:.0f} | {issue:.0f} "
            f"| {registers} | {stack} | {(asked or static) // 1024} KiB | {warps * blocks} |")


def main():
    if shutil.which("nvcc") is None or shutil.which("cuobjdump") is None:
        print("skipped: no nvcc and cuobjdump")
        return 77
    print("| kernel | sm | product | shared memory | issue | registers | spilt bytes | shared memory of a block | warps |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for line in TABLE:
            print(row(pathlib.Path(scratch), *line))
    return 0


if __name__ == "__main__":
    sys.exit(main())
