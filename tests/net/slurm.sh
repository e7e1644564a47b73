#!/bin/sh
# Run a command under a Slurm of its own: a controller and one node, on this machine.
#
#   slurm.sh PLUGIN command args...
# 77: Slurm, or its plugin for PLUGIN (pmi2, pmix), is not here, or does not start.
plugin=$1
shift
out=$(mktemp -d) || exit 1
controller='' node=''

alive() # process id
{
  [ -n "$1" ] && kill -0 "$1" 2> "$out/why"
}

# What is still there after 5 seconds is killed: a test ends, whatever Slurm does.
stop()
{
  for daemon in $node $controller; do
    kill "$daemon" 2> "$out/why"
  done
  for i in $(seq 50); do
    alive "$node" || alive "$controller" || break
    sleep 0.1
  done
  for daemon in $node $controller; do
    kill -KILL "$daemon" 2> "$out/why"
    wait "$daemon" 2> "$out/why" # or the shell says who was killed
  done
  controller='' node=''
}

end()
{
  stop
  rm -rf "$out"
}
trap end EXIT
trap 'exit 143' TERM INT

PATH=$PATH:/usr/sbin:/sbin # daemons are there, for whoever's path it is
for program in slurmctld slurmd srun; do
  command -v $program > "$out/where" || exit 77
done
host=$(hostname -s)

# One attempt at a Slurm that is ready for jobs, on ports that no client is given by
# the system (those are above 32768).
start() # attempt
{
  port=$((20000 + ($$ + $1 * 1009) % 6000 * 2))
  rm -rf "$out/state" "$out/spool"
  : > "$out/node"
  mkdir "$out/state" "$out/spool"
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
  slurmctld -D > "$out/controller" 2>&1 &
  controller=$!
  # Asked while no controller listens, sinfo takes 9 seconds to say so, scontrol none.
  for i in $(seq 100); do
    alive "$controller" || return 1
    timeout 5 scontrol ping 2> "$out/why" | grep -q 'is UP' && break
    sleep 0.1
  done
  slurmd -D -N "$host" > "$out/node" 2>&1 &
  node=$!
  for i in $(seq 100); do
    alive "$controller" && alive "$node" || return 1
    [ "$(timeout 5 sinfo -h -o %t 2> "$out/why")" = idle ] && return 0
    sleep 0.1
  done
  return 1
}

export SLURM_CONF="$out/slurm.conf"
for attempt in 1 2 3; do
  start $attempt && break
  echo "Slurm does not start, attempt $attempt:"
  tail -n 3 "$out/controller" "$out/node"
  stop
  [ $attempt = 3 ] && exit 77
done
srun --mpi=list 2>&1 | grep -qw "$plugin" || exit 77
for i in 1 2 3; do # a task that Slurm itself could not start says nothing of us
  "$@" > "$out/text" 2>&1
  code=$?
  grep -q 'task [0-9]* launch failed' "$out/text" || break
done
cat "$out/text"
exit $code
