#!/bin/sh
# Start net_job by one launcher and look at what its ranks say.
#
#   launchers.sh LAUNCHER RANKS TRANSPORT program      all is well, over TRANSPORT
#   launchers.sh LAUNCHER RANKS kill program           the last rank kills itself; the
#                                                      others hear of it in 5 s
#   launchers.sh LAUNCHER RANKS blind program          the same, where pidfd_open is refused
#   launchers.sh LAUNCHER RANKS lack program           a rank, the first or the last, finds no
#                                                      memory somewhere in MPJ_Init: all ranks
#                                                      get an error, in time
#   launchers.sh LAUNCHER RANKS again program          a rank's child executes the program again, and
#                                                      is told so; the ranks are well
# LAUNCHER: mpich, openmpi, plain, srun-pmi2 or srun-pmix (within slurm.sh), or the path of mpjrun.
# 77: it is not here.
export LSAN_OPTIONS="suppressions=$(dirname "$0")/leaks.supp:print_suppressions=0"
launcher=$1 ranks=$2 what=$3 program=$4
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
ls /dev/shm > "$out/before"

start() # arguments of the program
{
  case $launcher in
  mpich)
    command -v mpiexec.mpich > "$out/where" || exit 77
    # A shell around each rank: mpiexec lets the others on a node live after an exit
    # code, not after a signal.
    timeout 60 mpiexec.mpich -disable-auto-cleanup -n "$ranks" \
      sh -c '"$0" "$@"; exit $?' "$program" "$@"
    ;;
  openmpi)
    command -v mpiexec.openmpi > "$out/where" || exit 77
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
      timeout 60 mpiexec.openmpi --oversubscribe -n "$ranks" "$program" "$@"
    ;;
  srun-*)
    timeout -k 5 60 srun --quiet --mpi="${launcher#srun-}" --kill-on-bad-exit=0 --oversubscribe --overcommit \
      -n "$ranks" "$program" "$@"
    ;;
  plain) timeout 60 "$program" "$@" ;;
  *) timeout 60 "$launcher" -n "$ranks" "$program" "$@" ;;
  esac > "$out/text" 2> "$out/errors"
}

fail()
{
  echo "$1"
  cat "$out/text" "$out/errors"
  exit 1
}

if [ "$what" = lack ]; then
  for victim in 0 $((ranks - 1)); do
    n=1 # the first request is for what speaks to the launcher
    until [ "$(grep -c ': MPJ_SUCCESS' "$out/text" 2> "$out/none")" = "$ranks" ]; do
      [ $n -lt 60 ] || fail "rank $victim always lacks memory"
      start lack $victim $n || fail "rank $victim had memory $n times, and that did not end well"
      [ "$(grep -c '^rank' "$out/text")" = "$ranks" ] || fail "not all ranks were told"
      told=$(grep -cE ': (MPJ_ERR_NO_MEM|MPJ_ERR_PEER|MPJ_ERR_UNSUPPORTED): ' "$out/text")
      [ "$told" = "$ranks" ] || [ "$told" = 0 ] || fail "$told of $ranks ranks were told"
      n=$((n + 1))
      # Where even messages find no memory the greeting of the others takes its time, 10 s.
      [ "$MPJ_TRANSPORT" = ucx ] && [ $n -gt 12 ] && break
    done
    [ $n -gt 4 ] || fail "rank $victim never lacked memory"
    : > "$out/text"
  done
elif [ "$what" = kill ] || [ "$what" = blind ]; then
  [ "$what" = blind ] && set blind || set --
  start wait $((ranks - 1)) "$out/said" "$@"
  cat "$out/said" >> "$out/text"
  told=$(grep -c '^rank [0-9]*: MPJ_ERR_PEER after [0-4]\.' "$out/said")
  [ "$told" = $((ranks - 1)) ] || fail "$told of $((ranks - 1)) ranks were told in time"
  left=$(grep -c '^rank [0-9]*: left' "$out/said")
  [ "$left" = $((ranks - 1)) ] || fail "$left of $((ranks - 1)) ranks could leave"
  grep -qE "rank $((ranks - 1))[^0-9]" "$out/text" || fail "the rank that died is not named"
elif [ "$what" = again ]; then
  start again || fail "the job failed"
  grep -q '^child: MPJ_ERR_' "$out/text" || fail "the child is not told"
  [ "$(grep -c "^rank [0-9]* of $ranks by .*: good" "$out/text")" = "$ranks" ] || fail "not all are well"
else
  start check || fail "the job failed"
  good=$(grep -c "^rank [0-9]* of $ranks by $what: good" "$out/text")
  [ "$good" = "$ranks" ] || fail "$good of $ranks ranks are well over $what"
  [ -s "$out/errors" ] && fail "something was said on standard error"
fi
ls /dev/shm > "$out/after"
comm -13 "$out/before" "$out/after" | grep -i mpj && fail "something is left in /dev/shm"
exit 0
