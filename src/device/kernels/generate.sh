#!/usr/bin/env bash
# The PTX beside the .cu sources, at the lowest ISA version and target that carry it:
#   generate.sh            writes NAME.ptx here (needs nvcc 13.0)
#   generate.sh --check    compares them with the sources and assembles them; 77 without nvcc 13.0
# nvcc names its own version and target; what it wrote needs less, and ptxas proves that. PTX 6.0
# runs on drivers from r384 on, 7.0 from r450, 8.0 from r525, 8.4 from r550 on (CUDA release notes).
# The hashes in names of local symbols are of the folder, so they are set to zero.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if ! "$nvcc" --version 2>/dev/null | grep -q 'release 13\.0'; then
  echo "skipped: other releases of nvcc than 13.0 write other text" && exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

generate() { # name, architecture nvcc knows, ISA version, target
  "$nvcc" -ptx -O3 --std=c++17 -arch="compute_$2" -o "$scratch/$1.raw" "$here/$1.cu"
  sed -E -e '/^[[:space:]]*(\/\/|$)/d' -e 's/^[[:space:]]+//' \
    -e "s/^\.version .*/.version $3/" -e "s/^\.target .*/.target $4/" \
    -e 's/(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}(_[0-9]+_[a-z0-9_]+_cu_)[0-9a-f]{8}/\100000000\200000000/g' \
    "$scratch/$1.raw" | sed -e "1i // Generated from $1.cu by generate.sh; do not edit." \
    >"$scratch/$1.ptx"
}
assemble() { # name, architectures
  for architecture in $2; do
    "$(dirname "$nvcc")/ptxas" "-arch=sm_$architecture" -o "$scratch/$1.cubin" "$scratch/$1.ptx"
  done
}
generate memory 75 6.0 sm_60
generate fp32 75 6.0 sm_60
generate tensor 80 7.0 sm_80
generate wide 80 7.0 sm_80
generate fp8 89 8.4 sm_89
generate hopper 90a 8.0 sm_90a
generate hopper_tma 90a 8.0 sm_90a
assemble memory "75 80 86 89 90 100 120"
assemble fp32 "75 80 86 89 90 100 120"
assemble tensor "80 86 89 90 100 120"
assemble wide "80 86 89 90 100 120"
assemble fp8 "89 90 100 120"
assemble hopper "90a"
assemble hopper_tma "90a"
for name in memory fp32 tensor wide fp8 hopper hopper_tma; do
  if [ "${1:-}" = --check ]; then
    cmp "$scratch/$name.ptx" "$here/$name.ptx"
  else
    cp "$scratch/$name.ptx" "$here/$name.ptx"
  fi
done
