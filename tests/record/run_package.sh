#!/bin/sh
# The Python package where no PyTorch is needed; 77 tells CTest that the test was left out.
#   run_package.sh GPULINT
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
exec python3 "$(dirname "$0")/test_package.py" "$1"
