#!/bin/sh
# Redistribute random matrices by ScaLAPACK, and by MPJ in its place: gemr2d.sh mpich|openmpi LIBRARY
# PROGRAM RANKS ROUNDS; or, without ROUNDS, run a program that counts what MPJ does. 77: the MPI's
# launcher is not here.
mpi=$1 library=$2 program=$3 ranks=$4 rounds=$5
command -v "mpiexec.$mpi" > /dev/null || exit 77
if [ "$mpi" = mpich ]; then
  run() { env="$1"; shift; timeout 100 mpiexec.mpich -n "$ranks" ${env:+-genv LD_PRELOAD "$env"} "$@"; }
else
  run() {
    env="$1"; shift
    timeout 100 mpiexec.openmpi --allow-run-as-root --oversubscribe -n "$ranks" \
      ${env:+-x LD_PRELOAD="$env"} "$@"
  }
fi
if [ -z "$rounds" ]; then
  run "$library" "$program"
  exit
fi
export MPJ_INTERPOSE_REPORT=1
run "" "$program" 1 3 alone || exit 1
said=$(run "$library" "$program" 1 "$rounds" served 2>&1)
status=$?
echo "$said"
[ $status = 0 ] && echo "$said" | grep -q "p?gemr2d: $((6 * rounds)) calls served, 0 passed"
