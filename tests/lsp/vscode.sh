#!/bin/sh
# vscode.sh GPULINT FOLDER: the tests of editors/vscode with the real server, built in FOLDER. Exit code 77 (skipped) where
# Node or the packages are not to be had.
gpulint=$1
folder=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
command -v npm >/dev/null || { echo "skipped: no npm here"; exit 77; }
mkdir -p "$folder/editors/vscode"
cp "$source/CMakeLists.txt" "$source/LICENSE" "$folder/"
cd "$folder/editors/vscode" || exit 1
rm -rf out dist src test scripts
for each in package.json package-lock.json tsconfig.json README.md .vscodeignore src test scripts; do
  cp -R "$source/editors/vscode/$each" . || exit 1
done
cmp -s package-lock.json installed.json || {
  npm ci --ignore-scripts --no-audit --no-fund --silent || { echo "skipped: npm cannot install (no network?)"; exit 77; }
  cp package-lock.json installed.json
}
export GPULINT="$gpulint"
npm run --silent compile && npm run --silent package && test -s gpulint.vsix && npm test --silent
