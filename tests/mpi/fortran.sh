#!/bin/sh
# Compile a Fortran program and run it under the interposer:
#   fortran.sh mpich|openmpi INTERPOSER PROGRAM served...
# PROGRAM.f90 is in this folder; it calls each of the collectives that are served 4 times or more.
# 77: there is no Fortran compiler for this MPI, or no mpiexec.
mpi=$1 interposer=$2 program=$3
shift 3
served=$*
here=$(cd "$(dirname "$0")" && pwd)
command -v gfortran "mpifort.$mpi" "mpiexec.$mpi" > /dev/null || exit 77
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" && "mpifort.$mpi" -fallow-argument-mismatch "$here/$program.f90" -o "$program" ||
  exit 1
case $mpi in
  mpich) set -- -n 4 -genv LD_PRELOAD "$interposer" ;;
  openmpi) set -- --oversubscribe --mca btl self,vader -n 4 -x "LD_PRELOAD=$interposer" ;;
esac
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 MPJ_INTERPOSE_REPORT=1
text=$(timeout 100 "mpiexec.$mpi" "$@" "./$program" 2>&1)
status=$?
echo "$text"
[ $status = 0 ] && echo "$text" | grep -q 'all right' || exit 1
if [ "$program" = modern ]; then # two forms at four ranks, never served
  for name in allgather allgatherv alltoall alltoallv alltoallw; do
    echo "$text" | grep -Eq "mpj: neighbor_$name  *0 .* 8\$" || exit 1
  done
fi
for name in $served; do
  echo "$text" | grep -Eq "mpj: $name  *([4-9]|[1-9][0-9]+) " || exit 1
done
