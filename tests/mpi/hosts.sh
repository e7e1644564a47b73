#!/bin/sh
# Start a program as launch.sh does, on "hosts" of this machine that differ in their names: ranks
# of different ones do not share memory, as far as MPJ knows. (MPI goes by its launcher.)
#
#   hosts.sh mpich|openmpi RANKS RANKS_A_HOST program args...
# 77: that mpiexec is not here, or namespaces are not permitted.
case $1 in
on) # what each rank runs: hosts.sh on RANKS_A_HOST program args...
  rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK} ranks=${PMI_SIZE:-$OMPI_COMM_WORLD_SIZE}
  host=host$(((ranks - 1 - rank) / $2)) # from the last rank on: rank 0 is alone where one is left
  shift 2
  exec unshare --uts sh -c 'hostname "$0" && exec "$@"' "$host" "$@"
  ;;
esac
mpi=$1 ranks=$2 each=$3
shift 3
unshare --uts true || exit 77
exec "$(dirname "$0")/launch.sh" "$mpi" "$ranks" "$0" on "$each" "$@"
