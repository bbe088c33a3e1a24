#!/usr/bin/env bash
# The built program and the system's own library search: run_confirm.sh GPULINT FAKE_DRIVER PLANTED
# FAKE_CUBLASLT
set -u
gpulint=$1 fake=$2 planted=$3 cublaslt=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tree" "$folder/tree/lib" "$folder/driver" "$folder/none"
export XDG_CONFIG_HOME=$folder/settings
unset CI
failures=0
output=""
code=0

fail() {
  printf 'FAIL: %s\n  exit code %s, output: %s\n' "$1" "$code" "$output"
  failures=$((failures + 1))
}
# A machine with a CUDA toolkit has a real library, which knows no fake driver.
library=--no-library
confirm() { # [VARIABLE=value...] -- arguments
  local settings=()
  while [ "$1" != -- ]; do settings+=("$1") && shift; done
  shift
  output=$(cd "$folder/tree" && env "${settings[@]}" "$gpulint" confirm $library "$@" 2>&1)
  code=$?
}
expect() { # name, exit code, text that the output holds
  [ "$code" = "$2" ] && [[ $output == *"$3"* ]] || fail "$1"
  [ ! -e "$folder/tree/planted-library-was-loaded" ] || fail "$1: the planted library was loaded"
}

if readelf -d "$gpulint" 2>/dev/null | grep NEEDED | grep -qiE 'cuda|nvidia'; then
  fail "the program needs a CUDA library to start"
fi

for name in libcuda.so.1 libnvidia-ml.so.1; do
  cp "$planted" "$folder/tree/$name"
  cp "$planted" "$folder/tree/lib/$name"
done
# One file under both names is loaded once: NVML sees the memory that CUDA took.
cp "$fake" "$folder/driver/libcuda.so.1"
ln -s libcuda.so.1 "$folder/driver/libnvidia-ml.so.1"

confirm LD_LIBRARY_PATH= -- --output json
[ ! -e "$folder/tree/planted-library-was-loaded" ] || fail "the working directory was searched"
for entry in . lib :/usr/lib /usr/lib: "/usr/lib;lib" "$folder/tree/lib" "$folder/driver/../tree/lib"; do
  confirm "LD_LIBRARY_PATH=$entry" --
  expect "LD_LIBRARY_PATH=$entry is left out" 4 "it is left out"
  expect "LD_LIBRARY_PATH=$entry leaves no driver" 4 "no_driver"
  [ ! -e "$folder/tree/planted-library-was-loaded" ] || fail "LD_LIBRARY_PATH=$entry: a planted library was loaded"
done
confirm "LD_LIBRARY_PATH=$folder/driver:" --
expect "a trailing colon does not hide the driver" 0 "NVIDIA H200 (database: h200-sxm)"

# With an absolute folder outside of the linted files the driver is found: the fake one here.
confirm "LD_LIBRARY_PATH=$folder/driver" --
expect "the first line says what was never tried" 0 "not yet validated on hardware"
[ "$(head -n 1 <<<"$output")" = "not yet validated on hardware" ] || fail "another first line"
expect "the device is named" 0 "NVIDIA H200 (database: h200-sxm)"
confirm "LD_LIBRARY_PATH=$folder/driver" -- --output json
expect "JSON has a versioned schema" 0 '"schema": "gpulint.confirm/1"'

# A config: its footprint is played on the fake card; without one, no GPU is the first thing said.
cat >"$folder/tree/train.yaml" <<'YAML'
output_dir: out
model_name_or_path: gpt2
per_device_train_batch_size: 8
gradient_accumulation_steps: 1
optim: adamw_torch
bf16: true
max_seq_length: 1024
packing: true
YAML
confirm "LD_LIBRARY_PATH=$folder/driver" -- train.yaml --no-save
[ "$(head -n 1 <<<"$output")" = "not yet validated on hardware" ] || fail "another first line"
expect "the config is named" 0 "config        train.yaml"
expect "its footprint was played" 0 "replay        fits: "
expect "the footprint is judged" 0 "footprint     confirmed: predicted "
expect "what it leaves is judged" 0 "headroom      confirmed: predicted "
confirm "LD_LIBRARY_PATH=$folder/driver" -- train.yaml --no-save --set +per_device_train_batch_size=4096
expect "what cannot fit is said by arithmetic" 0 "out_of_memory: by arithmetic, not tried"
confirm "LD_LIBRARY_PATH=$folder/driver" -- train.yaml --no-save --set expandable_segments=true
expect "expandable segments are played as pages" 0 " pages, "
confirm "LD_LIBRARY_PATH=$folder/driver" -- train.yaml --no-save --set sharding_stage=3 --gpus 8
expect "of several GPUs the most loaded process counts" 0 "the most loaded of 8 ranks"
expect "a lower bound is not played" 0 "not played    "
confirm "LD_LIBRARY_PATH=$folder/driver" CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=2G -- train.yaml --no-save
expect "an MPS limit is respected" 0 "replay        refused: CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"
confirm "LD_LIBRARY_PATH=$folder/driver" -- train.yaml --no-save --output json
expect "the footprint is in the JSON" 0 '"verdict": "fits"'
# A driver that hangs in the middle of the replay: the program ends all the same when it is told to.
(cd "$folder/tree" && exec env "LD_LIBRARY_PATH=$folder/driver" FAKE_HANGING_CALL=cuMemsetD32Async \
  "$gpulint" confirm train.yaml --no-save >"$folder/hung" 2>&1) &
hung=$!
for _ in $(seq 100); do # until the measuring process is there
  measuring=$(pgrep -P "$hung") && break
  sleep 0.05
done
kill -TERM "$hung"
wait "$hung"
code=$? output=$(cat "$folder/hung")
[ "$code" = 143 ] || fail "SIGTERM does not end a program whose driver hangs"
for _ in $(seq 100); do
  [ -d "/proc/$measuring" ] || break
  sleep 0.05
done
[ ! -d "/proc/$measuring" ] || fail "the measuring process outlived the program"
confirm LD_LIBRARY_PATH=/nowhere -- train.yaml
expect "without a device the config changes nothing" 4 no_driver
[ "$(wc -l <<<"$output")" = 1 ] || fail "a config without a device: more than one line"
confirm LD_LIBRARY_PATH=/nowhere -- missing.yaml
expect "no device is said before a missing config" 4 no_driver
expect "the missing config is said too" 4 missing.yaml
confirm "LD_LIBRARY_PATH=$folder/driver" -- missing.yaml
expect "with a device a missing config is wrong usage" 2 missing.yaml
[[ $output != *"H200"* ]] || fail "a device was measured for a config that cannot be read"
confirm -- --set per_device_batch_size=4
expect "a fact needs its config" 2 "name the config"
confirm -- train.yaml --merge "$folder/nowhere"
expect "a merge measures no config" 2 "leave out the config"

# The vendor's library: named, found in the environment, or refused.
library=
mkdir -p "$folder/env/lib/python3.11/site-packages/nvidia/cu13/lib" "$folder/tree/env"
wheel=lib/python3.11/site-packages/nvidia/cu13/lib/libcublasLt.so.13
install -m 755 "$cublaslt" "$folder/env/$wheel"
confirm "LD_LIBRARY_PATH=$folder/driver" -- --cublaslt "$folder/env/$wheel"
expect "a named library is timed" 0 "library       cuBLASLt 13.1.0, $folder/env/$wheel"
expect "its products are judged" 0 "library_gemm_bf16 confirmed"
confirm "LD_LIBRARY_PATH=$folder/driver" "VIRTUAL_ENV=$folder/env" --
expect "the environment's library is found" 0 "cuBLASLt 13.1.0, $folder/env/$wheel"
chmod 777 "$folder/env/$wheel"
confirm "LD_LIBRARY_PATH=$folder/driver" -- --cublaslt "$folder/env/$wheel"
expect "a library that others may write to is refused" 0 "its group or everybody may write to it"
confirm "LD_LIBRARY_PATH=$folder/driver" -- --no-library --cublaslt "$folder/env/$wheel"
expect "wanting none and naming one exclude each other" 2 "leave out --cublaslt"
library=--no-library

# A job of four processes: one card has a narrow link, one process finds no driver.
reports=$folder/jobs/42
for rank in 0 1 2; do
  lanes=16 && [ "$rank" = 1 ] && lanes=4
  (cd "$folder/tree" && env "LD_LIBRARY_PATH=$folder/driver" SLURM_PROCID=$rank SLURM_LOCALID=$rank \
    SLURMD_NODENAME=node$rank FAKE_PCIE_LANES=$lanes "$gpulint" confirm $library --report "$reports" >/dev/null) &
done
wait
confirm -- --merge "$reports"
expect "a narrow link stands out" 1 "outlier: node node1, rank 1: PCIe link x4, its siblings have x16"
expect "all reports are counted" 1 "3 reports, 1 outlier, 0 skipped"
confirm RANK=3 LD_LIBRARY_PATH=. -- --report "$reports"
expect "a rank that cannot measure ends as without --report" 4 no_driver
confirm -- --merge "$reports"
expect "a rank that could not measure stands out" 1 "rank 3: not measured: no_driver"
rm "$reports/confirm-rank-1.json" "$reports/confirm-rank-3.json"
printf '{' >"$reports/broken.json"
confirm -- --merge "$reports"
expect "siblings alike are clean, a broken file is named" 0 "skipped: broken.json: is not JSON"
confirm -- --merge "$reports" --output json
expect "the merge has a versioned schema" 0 '"schema": "gpulint.confirm-fleet/1"'
rm "$reports"/confirm-*
confirm -- --merge "$reports"
expect "a folder without a readable report is wrong usage" 2 "holds no readable report"
confirm -- --merge "$folder/nowhere"
expect "a missing folder is wrong usage" 2 nowhere
confirm -- --merge a --report b
expect "merging and reporting exclude each other" 2 "leave out one of them"
confirm "LD_LIBRARY_PATH=$folder/driver" -- --report /dev/null/x
expect "a report that cannot be written is an error" 2 "cannot make /dev/null"
[ -z "$(find "$folder" -name '*.tmp')" ] || fail "a temporary file was left"

# What was measured is kept for this user, and for nobody under CI.
kept=$(echo "$XDG_CONFIG_HOME"/gpulint/measured/nvidia-h200-143771-580.00-fake-????????-700w.json)
[ -f "$kept" ] || fail "the measurement was not saved"
list() { output=$(cd "$folder/tree" && env "$@" "$gpulint" list gpus 2>&1) code=$?; }
list X=
expect "list gpus shows measured beside the database's" 0 "driver 580.00-fake: CUDA 143156 MiB (database"
list CI=true
[[ $output != *580.00-fake* ]] || fail "a measurement was shown under CI=true"
sed -i 's/150109945856/1509/' "$kept"
list X=
expect "an impossible figure is refused" 0 "cuda_total is 1.51e+03, outside of 0.2 to 1.3"
rm "$kept"
confirm "LD_LIBRARY_PATH=$folder/driver" CI=true --
[ ! -e "$kept" ] || fail "a measurement was saved under CI=true"
confirm "LD_LIBRARY_PATH=$folder/driver" -- --no-save
[ ! -e "$kept" ] || fail "a measurement was saved in spite of --no-save"
confirm "LD_LIBRARY_PATH=$folder/driver" XDG_CONFIG_HOME=/dev/null --
expect "a measurement that cannot be saved does not hide the answer" 0 "cannot make /dev/null/gpulint"

if [ "$failures" = 0 ]; then echo "all passed"; else exit 1; fi
