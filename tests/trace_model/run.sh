#!/bin/sh
# tools/trace_model.py, where a Python with PyTorch is at hand; 77 tells CTest that the test was left out.
#   run.sh GPULINT
for python in "${GPULINT_TORCH_PYTHON:-python3}" python3 /usr/bin/python3; do
  if "$python" -c 'import torch' 2>/dev/null; then
    exec "$python" "$(dirname "$0")/test_trace_model.py" "$1"
  fi
done
echo "skipped: no Python with PyTorch"
exit 77
