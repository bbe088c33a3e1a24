#!/usr/bin/env bash
# What a pull request changes, as the body of a comment, and whether it passes the limits asked for. The exit code is handed to
# the last step.
set -euo pipefail
body=${RUNNER_TEMP:-/tmp}/gpulint-diff.md
arguments=(--fail-on "${INPUT_FAIL_ON:-warning}" --output "markdown:$body")
[ -z "${INPUT_GPU:-}" ] || arguments+=(--gpu "$INPUT_GPU")
[ -z "${INPUT_MAX_VRAM_INCREASE:-}" ] || arguments+=(--max-vram-increase "$INPUT_MAX_VRAM_INCREASE")
[ -z "${INPUT_MAX_COST_INCREASE:-}" ] || arguments+=(--max-cost-increase "$INPUT_MAX_COST_INCREASE")
[ "${INPUT_NEW_FINDINGS_ONLY:-}" != true ] || arguments+=(--new-findings-only)
rm -f "$body"
code=0
gpulint diff "$BASE_SHA" "${arguments[@]}" || code=$?
if [ "$code" -gt 1 ] && [ -z "${INPUT_MAX_VRAM_INCREASE:-}${INPUT_MAX_COST_INCREASE:-}" ] && [ "${INPUT_NEW_FINDINGS_ONLY:-}" != true ]; then
  echo "::warning::there is no comparison with the base; check out with fetch-depth: 0"
  exit 0
fi
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
[ ! -f "$body" ] || echo "body=$body" >>"$GITHUB_OUTPUT"
