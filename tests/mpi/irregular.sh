#!/bin/sh
# Run the irregular collectives of mpi4py (of Open MPI, as the distribution builds it) under the
# interposer: irregular.sh INTERPOSER RANKS. 77: no mpi4py or no mpiexec.openmpi here.
here=$(dirname "$0")
command -v mpiexec.openmpi > /dev/null || exit 77
/usr/bin/python3 -c 'import mpi4py' 2> /dev/null || exit 77
text=$(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 100 mpiexec.openmpi \
  --oversubscribe --mca btl self,vader -n "$2" -x LD_PRELOAD="$1" -x MPJ_INTERPOSE_REPORT=1 \
  /usr/bin/python3 "$here/irregular.py" 2>&1)
status=$?
echo "$text"
[ $status = 0 ] && echo "$text" | grep -q 'all right' &&
  echo "$text" | grep -q 'mpj: alltoallw  *[1-9]' && echo "$text" | grep -q 'mpj: gatherv  *[1-9]'
