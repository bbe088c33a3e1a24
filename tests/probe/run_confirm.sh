#!/usr/bin/env bash
# The built program and the system's own library search: run_confirm.sh GPULINT FAKE_DRIVER PLANTED
set -u
gpulint=$1 fake=$2 planted=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tree" "$folder/tree/lib" "$folder/driver" "$folder/none"
failures=0
output=""
code=0

fail() {
  printf 'FAIL: %s\n  exit code %s, output: %s\n' "$1" "$code" "$output"
  failures=$((failures + 1))
}
confirm() { # [VARIABLE=value...] -- arguments
  local settings=()
  while [ "$1" != -- ]; do settings+=("$1") && shift; done
  shift
  output=$(cd "$folder/tree" && env "${settings[@]}" "$gpulint" confirm "$@" 2>&1)
  code=$?
}
expect() { # name, exit code, text that the output holds
  [ "$code" = "$2" ] && [[ $output == *"$3"* ]] || fail "$1"
  [ ! -e "$folder/tree/planted-library-was-loaded" ] || fail "$1: the planted library was loaded"
}

if readelf -d "$gpulint" 2>/dev/null | grep NEEDED | grep -qiE 'cuda|nvidia'; then
  fail "the program needs a CUDA library to start"
fi

for name in libcuda.so.1 libnvidia-ml.so.1; do
  cp "$planted" "$folder/tree/$name"
  cp "$planted" "$folder/tree/lib/$name"
  cp "$fake" "$folder/driver/$name"
done

confirm LD_LIBRARY_PATH= -- --output json
[ ! -e "$folder/tree/planted-library-was-loaded" ] || fail "the working directory was searched"
for entry in . lib :/usr/lib /usr/lib: "/usr/lib;lib" "$folder/tree/lib" "$folder/driver/../tree/lib"; do
  confirm "LD_LIBRARY_PATH=$entry" --
  expect "LD_LIBRARY_PATH=$entry is refused" 4 unsafe_library_path
  [ "$(wc -l <<<"$output")" = 1 ] || fail "LD_LIBRARY_PATH=$entry: more than one line"
done

# With an absolute folder outside of the linted files the driver is found: the fake one here.
confirm "LD_LIBRARY_PATH=$folder/driver" --
expect "the first line says what was never tried" 0 "not yet validated on hardware"
[ "$(head -n 1 <<<"$output")" = "not yet validated on hardware" ] || fail "another first line"
expect "the device is named" 0 "NVIDIA H200 (database: h200-sxm)"
confirm "LD_LIBRARY_PATH=$folder/driver" -- --output json
expect "JSON has a versioned schema" 0 '"schema": "gpulint.confirm/1"'
confirm -- train.yaml
expect "a config is refused until it can be measured" 2 "cannot be measured yet"

if [ "$failures" = 0 ]; then echo "all passed"; else exit 1; fi
