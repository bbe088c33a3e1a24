#!/bin/sh
# environment.sh VENV: a Python environment with the packages of requirements.txt, made once and
# again when the list changes. Exit code 77 (skipped) where Python or the packages are not to be had.
here=$(cd "$(dirname "$0")" && pwd)
venv=$1
cmp -s "$here/requirements.txt" "$venv/installed.txt" && exit 0
rm -rf "$venv"
python3 -m venv "$venv" || { echo "no python3 with venv here"; exit 77; }
"$venv/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt" || {
  echo "the packages cannot be installed (no network?)"
  rm -rf "$venv"
  exit 77
}
cp "$here/requirements.txt" "$venv/installed.txt"
