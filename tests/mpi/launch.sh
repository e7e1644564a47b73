#!/bin/sh
# Start a program by the mpiexec of its MPI, MPI's own messages on this machine alone.
#
#   launch.sh mpich|openmpi RANKS program args...
# 77: that mpiexec is not here.
mpi=$1 ranks=$2
shift 2
command -v "mpiexec.$mpi" > /dev/null || exit 77
case $mpi in
mpich) exec timeout 290 mpiexec.mpich -n "$ranks" "$@" ;;
openmpi)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  exec timeout 290 mpiexec.openmpi --oversubscribe --mca btl self,vader -n "$ranks" "$@"
  ;;
esac
