#!/usr/bin/env bash
# Runs gpulint over every example and compares output and exit code with the file beside it.
#   tests/run_examples.sh GPULINT [--update]
# examples/<guide>/<config>.expected.txt holds what `gpulint --color never <config>` prints, run from the
# repository root, and ends with the exit code.
set -euo pipefail

gpulint=$(realpath "$1")
update=${2:-}
cd "$(dirname "$0")/.."

failed=0
count=0
for config in examples/*/*.yaml examples/*/*.env; do
  expected=${config%.*}.expected.txt
  code=0
  output=$("$gpulint" --color never "$config" 2>&1) || code=$?
  actual=$(printf '%s\n\nexit code %d' "$output" "$code")
  count=$((count + 1))
  if [[ $update == --update ]]; then
    printf '%s\n' "$actual" >"$expected"
  elif [[ ! -f $expected ]]; then
    echo "missing: $expected (run with --update, then read what it wrote)"
    failed=1
  elif ! diff -u --label "$expected" --label "now" "$expected" <(printf '%s\n' "$actual"); then
    failed=1
  fi
done
echo "$count examples compared"
exit $failed
