#!/usr/bin/env bash
# Keeps one comment of the pull request up to date: found by its marker, written anew, or left alone
# where the change touches no config and there is no comment yet. A pull request from a fork has a token that may not write:
# that is a warning.
set -euo pipefail
marker=$(head -n 1 "$BODY")
comments="repos/$REPOSITORY/issues/$PULL_REQUEST/comments"

cannot() {
  echo "::warning::the comment on the pull request was not written: ${1//$'\n'/ }"
  exit 0
}

listed=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"${marker//\"/\\\"}\")) | .id" 2>&1) || cannot "$listed"
known=$(head -n 1 <<<"$listed")
if [ -n "$known" ]; then
  answer=$(gh api --method PATCH "repos/$REPOSITORY/issues/comments/$known" -F "body=@$BODY" 2>&1) || cannot "$answer"
elif grep -q '^|' "$BODY"; then
  answer=$(gh api --method POST "$comments" -F "body=@$BODY" 2>&1) || cannot "$answer"
fi
