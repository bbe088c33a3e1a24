#!/usr/bin/env bash
# The driver API declared by hand against the toolkit's header: run_abi.sh COMPILER SOURCE_DIR
# Skipped (77) where no toolkit is installed: neither building nor testing needs one.
set -eu
compiler=$1 root=$2
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
include=$(dirname "$(dirname "$nvcc")")/include
if [ ! -f "$include/cuda.h" ]; then
  echo "skipped: no cuda.h" && exit 77
fi
"$compiler" -std=c++20 -fsyntax-only -isystem "$include" -I "$root/src" \
  "$root/tests/probe/driver_abi.cpp"

# Every symbol the loader asks for is one the driver's own link-time stub exports.
stub=$(dirname "$include")/lib64/stubs/libcuda.so
[ -f "$stub" ] || exit 0
exported=$(nm -D --defined-only "$stub")
for name in $(grep -ohE '"cu[A-Z][A-Za-z0-9_]+"' "$root/src/device/driver.cpp" | tr -d '"'); do
  grep -qw "$name" <<<"$exported" || { echo "not exported: $name" && exit 1; }
done
