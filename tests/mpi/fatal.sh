#!/bin/sh
# The first wrong call, of a negative count, ends a job, with the interposer as without.
#
#   fatal.sh mpich|openmpi INTERPOSER program
# What each rank prints goes to a file: a launcher may drop the last words of a job that aborts.
# 77: that mpiexec is not here.
mpi=$1 interposer=$2 program=$3
here=$(dirname "$0")
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
OUT=$out LD_PRELOAD= INTERPOSER=$interposer "$here/launch.sh" "$mpi" 2 \
  sh -c 'LD_PRELOAD=$INTERPOSER exec "$0" fatal > "$OUT/$$" 2>&1' "$program" > "$out/job" 2>&1
code=$?
[ $code = 77 ] && exit 77
case $mpi in
openmpi) [ $code = 2 ] ;; # the class, MPI_ERR_COUNT; its launcher may spoil the words
*) [ $code != 0 ] && grep -q 'Invalid count' "$out"/[0-9]* ;;
esac && grep -q before "$out"/[0-9]* && ! grep -q after "$out"/[0-9]* && exit 0
echo "exit code $code"
cat "$out"/*
exit 1
