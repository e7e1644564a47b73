#!/bin/sh
# A job on several "hosts" of this machine (hosts.sh):
#
#   network.sh HOSTS RANKS check program [WAYS]  shared memory within, the network between; or
#                                          WAYS, as "shm+mpi", to the same end: over UCX MPICH
#                                          itself may never come out of MPI_Finalize
#   network.sh HOSTS RANKS kill program    the last rank kills itself
#   network.sh HOSTS RANKS cut program     the last host's link is cut
#   network.sh HOSTS RANKS unmet program   the last rank kills itself before it has met any other
#   network.sh HOSTS RANKS apart program   the last host's link is cut before any rank has met another
#   network.sh HOSTS RANKS part program    all links of the last host are cut, for a while. No rank
#                                          ends in it: MPICH's launcher tells the host's others of
#                                          an end, and they would ask it, whom they cannot reach,
#                                          which ranks are left, and wait for the answer
#   network.sh HOSTS RANKS exit program args...   must exit with 0 within HOSTS_SECONDS (90)
# All other ranks must hear of a failure within 5 s. 77: not permitted here.
hosts=$1 ranks=$2 what=$3 program=$4 job=
here=$(dirname "$0")
tag=mpj$$
out=$(mktemp -d) || exit 1
trap '[ "$job" ] && kill "$job" 2> /dev/null; "$here/hosts.sh" down "$hosts" $tag; rm -rf "$out"' EXIT
: > "$out/said"
command -v mpiexec.mpich > "$out/where" || exit 77
command -v ip > "$out/where" || exit 77
"$here/hosts.sh" up "$hosts" $tag || exit 77

fail()
{
  echo "$1"
  cat "$out/text" "$out/said" "$out/errors"
  exit 1
}

# The lines that show what is wanted, for 30 s at most.
await() # number of lines, pattern
{
  for i in $(seq 300); do
    [ "$(cat "$out/text" "$out/said" | grep -c "$2")" = "$1" ] && return
    sleep 0.1
  done
  fail "not $1 lines like '$2'"
}

case $what in
check)
  ways=${5-shm+ucx}
  set -- check "$ways"
  ;;
exit)
  shift 4
  timeout "${HOSTS_SECONDS:-90}" "$here/hosts.sh" run "$hosts" "$ranks" $tag "$program" "$@" \
    > "$out/text" 2> "$out/errors" || fail "the job failed"
  exit 0
  ;;
kill) set -- wait $((ranks - 1)) "$out/said" ;;
cut | part) set -- wait -1 "$out/said" ;;
unmet) set -- unmet $((ranks - 1)) "$out/said" ;;
apart) set -- unmet -1 "$out/said" ;;
esac
case $what in unmet | apart) export MPJ_CONNECT=first ;; esac
export UNMET_GO="$out/go"
[ "$what" != part ] || export RUNNING_LEAVES="$out/mended"
timeout 60 "$here/hosts.sh" run "$hosts" "$ranks" $tag "$program" "$@" \
  > "$out/text" 2> "$out/errors" &
job=$!
case $what in
apart)
  await "$ranks" '^begun'
  "$here/hosts.sh" cut "$hosts" $tag
  : > "$out/go"
  await "$ranks" '^rank [0-9]*: MPJ_ERR_PEER after [0-4]\.'
  ;;
check) await "$ranks" "^rank [0-9]* of $ranks by $ways: good" ;;
kill | unmet)
  await $((ranks - 1)) '^rank [0-9]*: MPJ_ERR_PEER after [0-4]\.'
  await $((ranks - 1)) '^rank [0-9]*: left'
  ;;
cut | part)
  await "$ranks" '^begun'
  "$here/hosts.sh" "$what" "$hosts" $tag
  await "$ranks" '^rank [0-9]*: MPJ_ERR_PEER after [0-4]\.'
  await "$ranks" '^rank [0-9]*: left'
  [ "$what" = cut ] && exit 0
  "$here/hosts.sh" mend "$hosts" $tag
  : > "$out/mended"
  wait "$job" # and leave no process behind
  job=
  ;;
esac
exit 0
