#!/bin/sh
# What MPJ_INTERPOSE leaves to MPJ, and what MPJ_INTERPOSE_REPORT says of counted.c at two ranks:
#   report.sh mpich|openmpi INTERPOSER program
# 77: that mpiexec is not here.
mpi=$1 interposer=$2 program=$3
command -v "mpiexec.$mpi" > /dev/null || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# job CHOICE CHOICE: two ranks, each with its own MPJ_INTERPOSE ("all": without it). What they
# print, to text.
job() {
  first=$1 second=$2
  case $mpi in
    mpich) set -- mpiexec.mpich ;;
    openmpi) set -- mpiexec.openmpi --oversubscribe --mca btl self,vader ;;
  esac
  rank=0
  for choice in "$first" "$second"; do
    set -- "$@" -n 1 env LD_PRELOAD="$interposer" MPJ_INTERPOSE_REPORT="$report"
    [ "$choice" = all ] || set -- "$@" MPJ_INTERPOSE="$choice"
    set -- "$@" "$program"
    [ $rank = 1 ] || set -- "$@" :
    rank=1
  done
  text=$(timeout 60 "$@" 2>&1) && echo "$text" | grep -q 'all right' && return
  fail "the job ($first, $second) failed"
}
fail() {
  echo "$text"
  echo "wrong: $1"
  exit 1
}
# says NAME SERVED BYTES NOT_CHOSEN NO_COMMUNICATOR NOT_YET UNSEEN WRONG [NEVER]: the report's line.
says() {
  echo "$text" | grep -Eq "^mpj: $1 +$2 +$3 +[0-9.]+ +$4 +$5 +$6 +$7 +$8 +${9:-0}\$" || fail "$*"
}

report=1
job all all
says bcast 10 4000 0 0 0 0 2
says allreduce 12 960 0 0 2 0 0
says barrier 4 0 0 0 0 0 0
says neighbor_alltoall 0 0 0 0 0 0 0 2
[ "$(echo "$text" | grep -c '^mpj: ')" = 5 ] || fail 'a line for what was not called'

job bcast,scan bcast,scan
says bcast 10 4000 0 0 0 0 2
says allreduce 0 0 10 0 0 0 0
says barrier 0 0 4 0 0 0 0

job all barrier # what one rank leaves out, nobody serves
says bcast 0 0 12 0 0 0 0
says barrier 4 0 0 0 0 0 0

job bcast,bogus bcast,bogus
says bcast 10 4000 0 0 0 0 2
[ "$(echo "$text" | grep -c "names 'bogus', which is no collective")" = 1 ] || fail 'bogus'

job none none
says bcast 0 0 12 0 0 0 0
echo "$text" | grep -q '^mpj: nothing was served: all calls were passed on' || fail 'nothing served'

job '' '' # set, but empty: all
says bcast 10 4000 0 0 0 0 2
says allreduce 12 960 0 0 2 0 0

report=0
job all all
echo "$text" | grep -q mpj: && fail 'a report that nobody wanted'
exit 0
