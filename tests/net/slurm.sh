#!/bin/sh
# Run a command under a Slurm of its own: a controller and one node, on this machine.
#
#   slurm.sh PLUGIN command args...
# 77: Slurm, or its plugin for PLUGIN (pmi2, pmix), is not here.
plugin=$1
shift
out=$(mktemp -d) || exit 1
end()
{
  [ -s "$out/node.pid" ] && kill "$(cat "$out/node.pid")"
  [ -s "$out/controller.pid" ] && kill "$(cat "$out/controller.pid")"
  wait
  rm -rf "$out"
}
trap end EXIT
for program in slurmctld slurmd srun; do
  command -v $program > "$out/where" || exit 77
done
port=$((20000 + $$ % 10000 * 2))
host=$(hostname -s)
mkdir "$out/state" "$out/spool"
export SLURM_CONF="$out/slurm.conf"
cat > "$SLURM_CONF" << END
ClusterName=mpj
SlurmctldHost=$host(127.0.0.1)
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=$host Default=YES OverSubscribe=FORCE:64
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$out/state
SlurmdSpoolDir=$out/spool
SlurmctldPidFile=$out/controller.pid
SlurmdPidFile=$out/node.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
END
srun --mpi=list 2>&1 | grep -qw "$plugin" || exit 77
slurmctld -D > "$out/controller" 2>&1 &
slurmd -D -N "$host" > "$out/node" 2>&1 &
for i in $(seq 300); do
  [ "$(sinfo -h -o %t 2> "$out/why")" = idle ] && break
  [ "$i" = 300 ] && cat "$out/controller" "$out/node" "$out/why" && exit 77
  sleep 0.1
done
for i in 1 2 3; do # a task that Slurm itself could not start says nothing of us
  "$@" > "$out/text" 2>&1
  code=$?
  grep -q 'task [0-9]* launch failed' "$out/text" || break
done
cat "$out/text"
exit $code
