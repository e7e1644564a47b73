#!/bin/sh
# Run a client of parallel HDF5 under MPICH's interposer: hdf5.sh INTERPOSER RANKS program. The
# library's irregular collectives were served. 77: no mpiexec.mpich here.
command -v mpiexec.mpich > /dev/null || exit 77
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
text=$(MPJ_INTERPOSE_REPORT=1 timeout 250 mpiexec.mpich -n "$2" -genv LD_PRELOAD "$1" "$3" \
  "$folder/file.h5" 2>&1)
status=$?
echo "$text"
[ $status = 0 ] && echo "$text" | grep -q 'all right' || exit 1
for name in gather gatherv scatterv allgather allgatherv; do
  echo "$text" | grep -q "mpj: $name  *[1-9]" || exit 1
done
