#!/bin/sh
# emacs.sh GPULINT: Emacs, in batch, with eglot and gpulint as its language server. Exit code 77 (skipped) without them.
here=$(cd "$(dirname "$0")" && pwd)
command -v emacs >/dev/null || { echo "skipped: no emacs here"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/.git"
printf 'batch_size: 8\nnum_workers: 0\npersistent_workers: true\n' > "$folder/train.yaml"
printf 'host: guide-a10g-resnet50\n' > "$folder/.gpulint.yaml"
export GPULINT=$1 GPULINT_FOLDER=$folder
HOME=$folder timeout 60 emacs --batch --load "$here/emacs.el" 2>"$folder/messages"
code=$?
[ $code = 0 ] || [ $code = 77 ] || cat "$folder/messages"
exit $code
