#!/usr/bin/env bash
# The host probe as people run it: it ends in time, leaves nothing behind, and says what it lacks.
#   run_host.sh <gpulint>
set -uo pipefail
gpulint=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
check() { # name, command...
  local name=$1
  shift
  if ! "$@"; then
    echo "FAIL: $name"
    failures=$((failures + 1))
  fi
}
has() { grep -qF -- "$1" "$2"; }
is_empty_file() { [ ! -s "$1" ]; }
is_empty() { [ -z "$(ls -A "$1")" ]; }

mkdir "$work/data" "$work/project"
cat > "$work/project/train.yaml" << 'YAML'
model: resnet50
image_size: 64
batch_size: 32
num_workers: 100000
learning_rate: 0.1
optimizer: sgd
YAML
cd "$work/project" || exit 1

"$gpulint" confirm --host --data-path "$work/data" --output json:"$work/report.json" --output text train.yaml > "$work/text" 2> "$work/errors"
check "more workers than CPUs are contradicted" test $? -eq 1
check "no message on standard error" is_empty_file "$work/errors"
check "the report names its schema" has '"schema": "gpulint.confirm-host/1"' "$work/report.json"
check "memory is measured" has '"name": "memory_copy"' "$work/report.json"
check "the verdict is printed" has 'workers            contradicted' "$work/text"
check "no temporary file stays" is_empty "$work/data"

# Killed at any moment, it leaves nothing either.
"$gpulint" confirm --host --data-path "$work/data" --output json > /dev/null 2>&1 &
child=$!
sleep 2
kill -9 "$child"
wait "$child" 2> /dev/null
sleep 1
check "a killed run leaves no file" is_empty "$work/data"

"$gpulint" confirm --data-path "$work/data" > "$work/text" 2>&1
check "--data-path without --host is wrong usage" test $? -eq 2
"$gpulint" confirm --host --merge "$work/data" > "$work/text" 2>&1
check "--host and --merge exclude each other" test $? -eq 2
"$gpulint" confirm --host missing.yaml > "$work/text" 2>&1
check "a config that is not there is wrong usage, before anything is measured" test $? -eq 2

[ "$failures" -eq 0 ] && echo "all passed"
exit "$((failures > 0))"
