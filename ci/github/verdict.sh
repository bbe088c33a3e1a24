#!/usr/bin/env bash
# Ends the action: with what the change brings alone where that was asked for, else with the worse of check and diff.
set -euo pipefail
code=${CHECK_CODE:-2}
if [ -n "${DIFF_CODE:-}" ]; then
  if [ "${INPUT_NEW_FINDINGS_ONLY:-}" = true ] && [ "$code" -le 1 ]; then code=0; fi
  [ "$DIFF_CODE" -le "$code" ] || code=$DIFF_CODE
fi
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
