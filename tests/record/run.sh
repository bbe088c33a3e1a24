#!/bin/sh
# gpulint.record, where a Python with PyTorch 2.4 or newer is at hand; 77 tells CTest that the test was left out.
#   run.sh GPULINT
for python in "${GPULINT_TORCH_PYTHON:-python3}" python3 /usr/bin/python3; do
  if "$python" -c 'import torch, sys; sys.exit(tuple(map(int, torch.__version__.split("+")[0].split(".")[:2])) < (2, 4))' 2>/dev/null; then
    exec "$python" "$(dirname "$0")/test_record.py" "$1"
  fi
done
echo "skipped: no Python with PyTorch 2.4 or newer"
exit 77
