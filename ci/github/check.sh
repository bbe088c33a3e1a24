#!/usr/bin/env bash
# Lints; annotations and the job summary are written by gpulint itself. The exit code is handed to the
# last step, so that the report is uploaded and the comment written also when there are findings.
set -euo pipefail
sarif=${RUNNER_TEMP:-/tmp}/gpulint.sarif
arguments=(--fail-on "${INPUT_FAIL_ON:-warning}" --output text --output "sarif:$sarif")
[ -z "${INPUT_GPU:-}" ] || arguments+=(--gpu "$INPUT_GPU")
# Words of an input are separated by blanks; nothing in them is expanded or run.
read -r -a more <<<"${INPUT_ARGUMENTS:-}"
read -r -a paths <<<"${INPUT_PATHS:-.}"
code=0
gpulint check "${arguments[@]}" ${more[@]+"${more[@]}"} "${paths[@]}" || code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
[ ! -f "$sarif" ] || echo "sarif=$sarif" >>"$GITHUB_OUTPUT"
