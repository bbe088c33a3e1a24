#!/usr/bin/env bash
# A real job: slurmctld and slurmd of this machine's packages, in a folder of their own, start four
# ranks that write reports, and four that meet: run_slurm.sh GPULINT FAKE_DRIVER FAKE_NCCL. Skipped (77) where Slurm is not
# installed, and for users other than root, who cannot run slurmd.
set -u
gpulint=$1 fake=$2 nccl=$3
for program in slurmctld slurmd srun scontrol; do
  command -v "$program" >/dev/null || { echo "skipped: no $program" && exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd needs root" && exit 77; }

folder=$(mktemp -d)
stop() {
  for daemon in slurmd slurmctld; do
    [ -f "$folder/$daemon.pid" ] && kill "$(cat "$folder/$daemon.pid")" 2>/dev/null
  done
  sleep 1
  rm -rf "$folder"
}
trap stop EXIT
mkdir "$folder/state" "$folder/spool" "$folder/driver" "$folder/work"
cp "$fake" "$folder/driver/libcuda.so.1"
ln -s libcuda.so.1 "$folder/driver/libnvidia-ml.so.1"
host=$(hostname -s)
cat >"$folder/slurm.conf" <<END
ClusterName=gpulint
SlurmctldHost=$host
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SlurmctldPort=27817
SlurmdPort=27818
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
NodeName=$host CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
export SLURM_CONF=$folder/slurm.conf
slurmctld && slurmd || { echo "skipped: Slurm does not start here" && exit 77; }
for _ in $(seq 100); do
  [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && break
  sleep 0.1
done
[ "$(sinfo -h -o %T 2>/dev/null)" = idle ] || { echo "skipped: the node does not come up" && exit 77; }

# shellcheck disable=SC2016  # the ranks expand it
LD_LIBRARY_PATH=$folder/driver timeout 60 srun --ntasks=4 --overcommit --chdir="$folder/work" bash -c \
  '[ "$SLURM_PROCID" = 2 ] && export FAKE_PCIE_LANES=4
   exec "$1" confirm --no-library --report "$2"' _ "$gpulint" "$folder/reports" >/dev/null
# 1: rank 2 contradicts what its narrow link promises.
[ $? -le 1 ] || { echo "FAIL: the job did not end well" && exit 1; }
merged=$(cd "$folder" && "$gpulint" confirm --merge "$folder/reports")
code=$?
wanted="outlier: node $host, rank 2: PCIe link x4, its siblings have x16
4 reports, 1 outlier, 0 skipped"
[ "$code" = 1 ] && [[ $merged == *"$wanted"* ]] || {
  printf 'FAIL: exit code %s, merged:\n%s\n' "$code" "$merged"
  exit 1
}

# Four ranks of one machine, a card each, whose collectives go over all of them.
mkdir "$folder/shared"
met=$(FAKE_NODE=devices=4 LD_LIBRARY_PATH=$folder/driver timeout 120 srun --ntasks=4 --overcommit --chdir="$folder/work" \
  "$gpulint" confirm --links --deadline 100 --nccl "$nccl" --meet "$folder/shared" 2>&1)
code=$?
[ "$code" = 0 ] && [[ $met == *"4 ranks on 1 machine"* ]] && [[ $met == *"all_reduce    bus bandwidth"* ]] || {
  printf 'FAIL: exit code %s, met:\n%s\n' "$code" "$met"
  exit 1
}
[ -z "$(ls -A "$folder/shared")" ] || { echo "FAIL: the meeting left files behind" && exit 1; }
echo "all passed"
