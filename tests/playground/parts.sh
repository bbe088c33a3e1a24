#!/bin/sh
# parts.sh: checks the types of the playground's page and tests what it does without the linter, with the packages that
# `scripts/playground` installed. Exit code 77 (skipped) where it has not run here. `scripts/playground test` tests the rest.
root=$(cd "$(dirname "$0")/../.." && pwd)
packages=$root/build/playground/page/node_modules
command -v node >/dev/null || { echo "skipped: no Node here"; exit 77; }
[ -d "$packages" ] || { echo "skipped: scripts/playground has not installed the packages of the page"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cp -R "$root/editors/playground/." "$folder/" && ln -s "$packages" "$folder/node_modules" && cd "$folder" || exit 1
node node_modules/typescript/bin/tsc -p . && node scripts/test.mjs parts
