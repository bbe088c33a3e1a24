#!/usr/bin/env bash
# Keeps one comment of the pull request up to date: found by its marker, written anew, or left alone
# where the change touches no config and there is no comment yet.
set -euo pipefail
body=${RUNNER_TEMP:-/tmp}/gpulint-diff.md
arguments=(--output "markdown:$body")
[ -z "${INPUT_GPU:-}" ] || arguments+=(--gpu "$INPUT_GPU")
code=0
gpulint diff "$BASE_SHA" "${arguments[@]}" || code=$?
# 1 is a threshold passed: the comment says so, the check step decides.
[ "$code" -le 1 ] || exit "$code"
marker=$(head -n 1 "$body")
comments="repos/$REPOSITORY/issues/$PULL_REQUEST/comments"
known=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"${marker//\"/\\\"}\")) | .id" | head -n 1)
if [ -n "$known" ]; then
  gh api --method PATCH "repos/$REPOSITORY/issues/comments/$known" -F "body=@$body" >/dev/null
elif grep -q '^|' "$body"; then
  gh api --method POST "$comments" -F "body=@$body" >/dev/null
fi
