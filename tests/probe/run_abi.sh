#!/usr/bin/env bash
# What is declared by hand against its vendor's header: run_abi.sh COMPILER SOURCE_DIR
# Headers are looked for in the toolkit, the system's folder and the folders of GPULINT_ABI_INCLUDES (colons between). Skipped
# (77) where there is none: neither building nor testing needs one.
set -eu
compiler=$1 root=$2
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
include=$(dirname "$(dirname "$nvcc")")/include
IFS=: read -r -a folders <<<"$include:${GPULINT_ABI_INCLUDES:-}"
options=()
for folder in "${folders[@]}"; do [ -n "$folder" ] && options+=(-isystem "$folder"); done
checked=0
check() { # header, source
  for folder in "${folders[@]}" /usr/include; do
    [ -f "$folder/$1" ] || continue
    "$compiler" -std=c++20 -fsyntax-only "${options[@]}" -I "$root/src" -I "$root/tests" "$root/tests/probe/$2"
    checked=$((checked + 1))
    return
  done
  echo "not compared: no $1"
}
check cuda.h driver_abi.cpp
check nvml.h nvml_abi.cpp
check nccl.h nccl_abi.cpp
check cublasLt.h cublaslt_abi.cpp

# Every symbol the loader asks for is one the driver's own link-time stub exports.
stub=$(dirname "$include")/lib64/stubs/libcuda.so
if [ -f "$stub" ]; then
  exported=$(nm -D --defined-only "$stub")
  for name in $(grep -ohE '"cu[A-Z][A-Za-z0-9_]+"' "$root/src/device/driver.cpp" | tr -d '"'); do
    grep -qw "$name" <<<"$exported" || { echo "not exported: $name" && exit 1; }
  done
fi
[ "$checked" -gt 0 ] || { echo "skipped: no header of CUDA, NVML, NCCL or cuBLASLt" && exit 77; }
