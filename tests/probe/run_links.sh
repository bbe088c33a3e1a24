#!/usr/bin/env bash
# Several cards and several processes: run_links.sh GPULINT FAKE_DRIVER FAKE_CUBLASLT FAKE_NCCL PLANTED
set -u
gpulint=$1 fake=$2 cublaslt=$3 nccl=$4 planted=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
mkdir "$folder/tree" "$folder/driver" "$folder/shared" "$folder/libraries"
export XDG_CONFIG_HOME=$folder/settings
unset CI VIRTUAL_ENV CONDA_PREFIX
failures=0
output=""
code=0
fail() {
  printf 'FAIL: %s\n  exit code %s, output: %s\n' "$1" "$code" "$output"
  failures=$((failures + 1))
}
cp "$fake" "$folder/driver/libcuda.so.1"
ln -s libcuda.so.1 "$folder/driver/libnvidia-ml.so.1"
packages=$folder/env/lib/python3.11/site-packages/nvidia
install -D -m 755 "$nccl" "$packages/nccl/lib/libnccl.so.2"
install -D -m 755 "$cublaslt" "$packages/cu13/lib/libcublasLt.so.13"

links() { # [VARIABLE=value...] -- arguments
  local settings=()
  while [ "$1" != -- ]; do settings+=("$1") && shift; done
  shift
  output=$(cd "$folder/tree" && env "LD_LIBRARY_PATH=$folder/driver" FAKE_NODE=devices=4 "${settings[@]}" \
    "$gpulint" confirm --links --deadline "${deadline:-200}" "$@" 2>&1)
  code=$?
}
expect() { # name, exit code, text that the output holds
  [ "$code" = "$2" ] && [[ $output == *"$3"* ]] || fail "$1"
  [ ! -e "$folder/tree/planted-library-was-loaded" ] || fail "$1: the planted library was loaded"
}

links "VIRTUAL_ENV=$folder/env" FAKE_NODE=devices=8 --
expect "the first line says what was never tried" 0 "not yet validated on hardware"
expect "the environment's NCCL is found as PyTorch finds it" 0 "NCCL          NCCL 2.27.5, $packages/nccl/lib/libnccl.so.2; 8 ranks"
expect "copies over NVLink are judged" 0 "nvlink_copy   confirmed"
expect "collectives are judged" 0 "all_reduce    confirmed"
links "VIRTUAL_ENV=$folder/env" FAKE_NODE=devices=8,slow_from=2,slow_to=5,slow_link=2 -- --output json
expect "a slow link is named, and is exit code 1" 1 '0000:92:00.0 to 0000:95:00.0: 200 GB/s over 18 NVLinks, 50 % below'
expect "JSON has a versioned schema" 1 '"schema": "gpulint.confirm-links/1"'
links "VIRTUAL_ENV=$folder/env" FAKE_NODE=devices=4,slow_device=3,slow_kernels=1.5 --
expect "a slow card is named" 1 "stands out    0000:93:00.0: copy 2667 GB/s, 33 % below its siblings' 4000 GB/s"
links "VIRTUAL_ENV=$folder/env" FAKE_NODE=devices=4,xid_device=1,ecc_device=2 --
expect "a card with errors is named" 1 "0000:92:00.0: 3 memory errors that could not be corrected"
expect "an error of the driver is named" 1 "0000:81:00.0: the driver reported XID 79"
links "VIRTUAL_ENV=$folder/env" FAKE_NCCL_BANDWIDTH=90e9 --
expect "slow collectives contradict the estimate" 1 "all_reduce    contradicted"

# What a config's ranks exchange.
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
links "VIRTUAL_ENV=$folder/env" -- train.yaml --gpus 4
expect "gradients of data parallelism" 0 "exchange_gradients confirmed"
links "VIRTUAL_ENV=$folder/env" FAKE_NCCL_BANDWIDTH=90e9 -- train.yaml --gpus 4
expect "a slow link takes longer than predicted" 1 "exchange_gradients contradicted"
links "VIRTUAL_ENV=$folder/env" -- train.yaml --gpus 4 --set sharding_stage=3
expect "weights of full sharding" 0 "exchange_weights confirmed"
links "VIRTUAL_ENV=$folder/env" -- train.yaml --gpus 4 --set tensor_parallel_size=4
expect "activations of tensor parallelism" 0 "exchange_activations confirmed"
links "VIRTUAL_ENV=$folder/env" -- train.yaml
expect "one rank exchanges nothing" 0 "not judged    exchanges: the config's ranks exchange nothing"
links "VIRTUAL_ENV=$folder/env" -- train.yaml --gpus 8 --nodes 2
expect "what crosses machines is not judged by one" 0 "exchange_gradients: it crosses machines"

# What the links carried is kept, and the time of a step is predicted with it.
rm -rf "$XDG_CONFIG_HOME"
predicted() { # how many GPUs, further arguments
  output=$(cd "$folder/tree" && "$gpulint" estimate train.yaml --gpu h200-sxm --gpus "$@" 2>&1)
  code=$?
}
links "VIRTUAL_ENV=$folder/env" -- --no-save
[ ! -e "$XDG_CONFIG_HOME" ] || fail "--no-save kept something"
links "VIRTUAL_ENV=$folder/env" FAKE_NCCL_BANDWIDTH=300e9 --
expect "what the links carried is kept" 0 "saved to $XDG_CONFIG_HOME/gpulint/measured/links-nvidia-h200-"
predicted 4 --measured
expect "a step between as many GPUs is predicted with it" 0 "over the links as measured"
predicted 8 --measured
expect "a step between more of them is not" 0 "over NVLink"
predicted 4
expect "without --measured the database's counts" 0 "over NVLink"
output=$("$gpulint" list gpus 2>&1)
code=$?
expect "list gpus shows it" 0 ": 4 GPUs exchange 283 GB/s, NCCL 2.27.5"
links "VIRTUAL_ENV=$folder/env" -- train.yaml --gpus 4
expect "a measurement is not held against the one before" 0 "exchange_gradients confirmed"

# Where NCCL comes from, and where it does not.
cp "$planted" "$folder/tree/libnccl.so.2"
links LD_LIBRARY_PATH="$folder/driver:." --
expect "an unsafe entry is left out" 0 "it is left out"
[[ $output != *"NCCL   "* ]] || fail "a library of the working directory was loaded"
install -m 755 "$nccl" "$folder/libraries/libnccl.so.2"
links LD_LIBRARY_PATH="$folder/driver:$folder/libraries" --
expect "LD_LIBRARY_PATH names one" 0 "NCCL 2.27.5, $folder/libraries/libnccl.so.2"
chmod 777 "$folder/libraries/libnccl.so.2"
links LD_LIBRARY_PATH="$folder/driver:$folder/libraries" --
expect "what others may write to is refused" 0 "libnccl.so.2: its group or everybody may write to it"
links -- --nccl "$folder/none.so"
expect "a named one that is not there is said" 0 "$folder/none.so: no such file"

# A card that hangs in the middle: what was known is said.
deadline=6 links "VIRTUAL_ENV=$folder/env" FAKE_HANGING_CALL=cuMemcpyPeerAsync --
expect "a hang costs what comes after it" 3 "cut off       the driver did not answer within 6000 ms"
expect "what was measured before the hang is reported" 3 "copy 4000 GB/s"

# Four processes of two machines, a card each.
job() { # where they meet
  local rank
  for rank in 3 2 1 0; do
    (cd "$folder/tree" && [ "$rank" != "${killed:-}" ] || export FAKE_NCCL_DIES_IN=ncclAllGather
      cd "$folder/tree" && env "LD_LIBRARY_PATH=$folder/driver" FAKE_NODE=devices=2 RANK=$rank \
      WORLD_SIZE=4 LOCAL_RANK=$((rank % 2)) LOCAL_WORLD_SIZE=2 SLURMD_NODENAME=node$((rank / 2)) \
      TORCHELASTIC_RUN_ID=7 "$gpulint" confirm --links --deadline 200 --nccl "$nccl" --meet "$1" \
      >"$folder/rank$rank" 2>&1; echo $? >"$folder/code$rank") &
  done
  wait
  output=$(cat "$folder/rank0")
  code=$(cat "$folder/code0")
}
for where in "$folder/shared" "localhost:$((20000 + $$ % 20000))"; do
  job "$where"
  expect "four processes meet at $where" 0 "4 ranks on 2 machines"
  expect "their collectives are timed" 0 "all_to_all    bus bandwidth"
  [ ! -s "$folder/rank2" ] || fail "another process repeats it: $(cat "$folder/rank2")"
done
[ -z "$(ls -A "$folder/shared")" ] || fail "the meeting left files behind"
# One of them is killed in the middle: the others say so long before the deadline.
for where in "$folder/shared" "localhost:$((20000 + ($$ + 7) % 20000))"; do
  began=$SECONDS
  killed=3 job "$where"
  expect "a killed process is noticed by the first, which met at $where" 3 "cut off       process 3 of the job ended"
  grep -q "process 3 of the job ended" "$folder/rank1" || fail "another process is not told: $(cat "$folder/rank1")"
  [ $((SECONDS - began)) -lt 60 ] || fail "a killed process was noticed after $((SECONDS - began)) s"
done
links "VIRTUAL_ENV=$folder/env" RANK=0 WORLD_SIZE=2 --
expect "a job that says nowhere where to meet is told how to" 0 "--meet names a folder"

# Without a card.
output=$(cd "$folder/tree" && LD_LIBRARY_PATH=/nowhere "$gpulint" confirm --links 2>&1) code=$?
expect "no card is one line" 4 no_driver
for wrong in "--host" "--report $folder/x" "--find-batch train.yaml" "--sustain 3"; do
  # shellcheck disable=SC2086
  links -- $wrong
  expect "--links excludes $wrong" 2 "--links: "
done
links -- --merge "$folder/shared"
expect "--links measures" 2 "--links: "
output=$("$gpulint" confirm --meet here 2>&1) code=$?
expect "--meet needs --links" 2 "--meet: add --links"

if [ "$failures" = 0 ]; then echo "all passed"; else exit 1; fi
