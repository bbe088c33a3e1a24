#!/usr/bin/env bash
# kill -9 at any moment leaves no measuring process and whole files: run_killed.sh GPULINT FAKE_DRIVER
# (what a real card then has free is hardware_check's question: a fake's memory ends with its process)
set -u
gpulint=$1 fake=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tree" "$folder/driver"
cp "$fake" "$folder/driver/libcuda.so.1"
ln -s libcuda.so.1 "$folder/driver/libnvidia-ml.so.1"
export XDG_CONFIG_HOME=$folder/settings LD_LIBRARY_PATH=$folder/driver FAKE_SHARED=$folder/card
unset CI
kept=$XDG_CONFIG_HOME/gpulint/measured
failures=0
fail() {
  printf 'FAIL: %s\n' "$1"
  failures=$((failures + 1))
}
# Processes with the fake card open.
measuring() { grep -ls "$folder/card" /proc/[0-9]*/maps 2>/dev/null | wc -l; }

(cd "$folder/tree" && "$gpulint" confirm --no-library --deadline 200 >/dev/null 2>&1) || fail "the fake card cannot be measured"
[ "$(find "$kept" -name '*.json' | wc -l)" = 1 ] || fail "nothing was kept"
hits=0
for moment in 0.02 0.05 0.1 0.15 0.2 0.3 0.4 0.6 0.8 1.2; do
  (cd "$folder/tree" && exec "$gpulint" confirm --no-library --deadline 200 >"$folder/out" 2>&1) &
  program=$!
  sleep "$moment"
  kill -9 "$program" 2>/dev/null && hits=$((hits + 1))
  wait "$program" 2>/dev/null
  for _ in $(seq 100); do
    [ "$(measuring)" = 0 ] && break
    sleep 0.05
  done
  [ "$(measuring)" = 0 ] || fail "killed after $moment s: the measuring process lives on"
  # A file is the old one or the new one, never half of one.
  said=$(cd "$folder/tree" && "$gpulint" list gpus 2>&1)
  [[ $said == *"driver 580.00-fake: CUDA 143156 MiB"* ]] || fail "killed after $moment s: what was kept is gone: $said"
  [[ $said != *refused* && $said != *"cut off"* ]] || fail "killed after $moment s: a broken file"
done
[ "$hits" -gt 0 ] || fail "no run was killed"
if [ "$failures" = 0 ]; then echo "all passed"; else exit 1; fi
