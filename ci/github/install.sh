#!/usr/bin/env bash
# Installs gpulint from a wheel: one an earlier run has kept in the folder WHEELS, else that of the Python index, else one
# compiled from the files of this action, which takes minutes and is kept. FOLDER of the action as $1.
set -euo pipefail
source=$1
wheels=${WHEELS:?a folder that is cached}
version=$(sed -n 's/^version = "\([^"]*\)".*/\1/p' "$source/pyproject.toml")
# A Python that belongs to the system refuses packages; this one is ours.
python3 -m venv "$RUNNER_TEMP/gpulint-venv"
bin=$RUNNER_TEMP/gpulint-venv/bin
[ -d "$bin" ] || bin=$RUNNER_TEMP/gpulint-venv/Scripts
pip() { "$bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
mkdir -p "$wheels"
kept=$(find "$wheels" -name 'gpulint-*.whl' | head -n 1)
if [ -z "$kept" ]; then
  if pip download --no-deps --only-binary :all: --dest "$wheels" "gpulint==$version" 2>/dev/null; then
    echo "gpulint $version is on the Python index"
  else
    echo "::notice::gpulint $version is not on the Python index: it is compiled once, and kept for later runs"
    pip wheel --no-deps --wheel-dir "$wheels" "$source"
  fi
fi
pip install --no-deps --no-index "$(find "$wheels" -name 'gpulint-*.whl' | head -n 1)"
echo "$bin" >>"$GITHUB_PATH"
