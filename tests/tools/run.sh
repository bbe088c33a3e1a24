#!/bin/sh
# run.sh VENV SCRIPT ARGUMENTS…: a test in the environment of environment.sh; 77 where there is none.
venv=$1
shift
[ -x "$venv/bin/python" ] || { echo "skipped: no Python environment"; exit 77; }
exec "$venv/bin/python" "$@"
