#!/bin/sh
# neovim.sh GPULINT: Neovim, headless, with gpulint as its language server. Exit code 77 (skipped) without nvim.
here=$(cd "$(dirname "$0")" && pwd)
command -v nvim >/dev/null || { echo "skipped: no nvim here"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/.git"
printf 'batch_size: 8\nnum_workers: 0\npersistent_workers: true\n' > "$folder/train.yaml"
printf 'host: guide-a10g-resnet50\n' > "$folder/.gpulint.yaml"
export GPULINT=$1 GPULINT_FOLDER=$folder
HOME=$folder XDG_STATE_HOME=$folder XDG_CACHE_HOME=$folder \
  timeout 30 nvim --headless -u NONE -i NONE -n -c "luafile $here/neovim.lua" 2>&1
code=$?
echo
exit $code
