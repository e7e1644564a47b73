#!/bin/sh
# Compile a Fortran program and run it under the interposer: fortran.sh mpich|openmpi INTERPOSER.
# 77: there is no Fortran compiler for this MPI, or no mpiexec.
mpi=$1 interposer=$2
here=$(cd "$(dirname "$0")" && pwd)
command -v gfortran "mpifort.$mpi" "mpiexec.$mpi" > /dev/null || exit 77
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" && "mpifort.$mpi" -fallow-argument-mismatch "$here/collectives.f90" -o collectives ||
  exit 1
case $mpi in
  mpich) set -- -n 4 -genv LD_PRELOAD "$interposer" ;;
  openmpi) set -- --oversubscribe --mca btl self,vader -n 4 -x "LD_PRELOAD=$interposer" ;;
esac
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 MPJ_INTERPOSE_REPORT=1
text=$(timeout 100 "mpiexec.$mpi" "$@" ./collectives 2>&1)
status=$?
echo "$text"
[ $status = 0 ] && echo "$text" | grep -q 'all right' || exit 1
for name in barrier bcast allgatherv allreduce scan; do
  echo "$text" | grep -q "mpj: $name  *4 " || exit 1
done
