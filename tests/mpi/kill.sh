#!/bin/sh
# A rank dies while every message goes by MPI.
#
#   kill.sh spared RANKS program   MPICH's mpiexec lets the others live: all of them hear of it
#                                  in 5 s, by its number, and can leave. program: net/job.c
#   kill.sh between RANKS program OPERATION...  the same within active messages' operations
#                                  (coll/am_deaths.c), where the last rank shares a "host" with the
#                                  one before, who tells rank 0 on another one
#   kill.sh alone RANKS program OPERATION...  the same with nobody on its "host" to tell
#   kill.sh stopped RANKS program OPERATION... it is stopped there for 6 s, and not taken for dead
#   kill.sh MPI RANKS program args...  chaos kills rank 1 at work: the job fails, and soon
# Nothing of a job is left. 77: that mpiexec is not here.
mpi=$1 ranks=$2
here=$(dirname "$0")
out=$(mktemp -d) || exit 1
program=$out/$(basename "$3") # a name of this test's own, by which what is left is found
ln -s "$3" "$program" || exit 1
trap 'rm -rf "$out"' EXIT
export MPJ_TRANSPORT=mpi
export OMPI_MCA_btl_vader_backing_directory="$out" # where it leaves files of ranks that were killed

fail()
{
  echo "$1"
  cat "$out/text" "$out/said" "$out/left" 2>&1
  exit 1
}

nothing_left()
{
  for i in $(seq 50); do # mpiexec may still be about to kill them
    pgrep -f "^$program " > "$out/left" || return 0
    sleep 0.1
  done
  fail "processes are left"
}

case $mpi in
spared)
  command -v mpiexec.mpich > "$out/where" || exit 77
  # A shell around each rank: mpiexec lets the others live after an exit code, not after a signal;
  # and tells them by SIGUSR1.
  RUNNING_LEAVES=1 timeout 60 mpiexec.mpich -disable-auto-cleanup -n "$ranks" \
    sh -c 'trap : USR1; "$0" "$@"; exit $?' "$program" wait $((ranks - 1)) "$out/said" > "$out/text" 2>&1
  told=$(grep -c "^rank [0-9]*: MPJ_ERR_PEER after [0-4]\..*rank $((ranks - 1)),* \(which \)*ended" "$out/said")
  [ "$told" = $((ranks - 1)) ] || fail "$told of $((ranks - 1)) ranks were told in time"
  left=$(grep -c '^rank [0-9]*: left' "$out/said")
  [ "$left" = $((ranks - 1)) ] || fail "$left of $((ranks - 1)) ranks could leave"
  ;;
between | alone | stopped)
  shift 3
  each=1 how=kill
  [ "$mpi" = between ] && each=2
  [ "$mpi" = stopped ] && how=stop
  [ $how = stop ] || export RUNNING_LEAVES=1
  command -v mpiexec.mpich > "$out/where" && unshare --uts true || exit 77
  : > "$out/said"
  : > "$out/left"
  for operation; do
    BOARD=$$ MPJ_TRANSPORT=shm+mpi timeout 60 \
      mpiexec.mpich -disable-auto-cleanup -n "$ranks" "$here/hosts.sh" on $each \
      sh -c 'trap : USR1; "$0" "$@"; exit $?' "$program" $how "$operation" > "$out/text" 2>&1
    code=$?
    [ $how = stop ] && { [ $code = 0 ] && continue; fail "$operation: exit status $code"; }
    [ "$(grep -c '^survived' "$out/text")" = $((ranks - 1)) ] || fail "$operation: not all survived"
  done
  ;;
*)
  shift 3
  begun=$(date +%s)
  MPJ_CHAOS=kill=1,after=300 "$here/launch.sh" "$mpi" "$ranks" "$program" "$@" > "$out/text" 2>&1
  code=$?
  [ $code = 77 ] && exit 77
  [ $code = 0 ] && fail "nobody was killed"
  [ $(($(date +%s) - begun)) -lt 60 ] || fail "the job took too long to end"
  ;;
esac
nothing_left
exit 0
