#!/bin/sh
# Time xdlu, ScaLAPACK's test of its LU factorisation as the distribution packages it for MPICH, at
# 4 ranks: a line of JSON as the other workers write it.
#
#   program.sh SECONDS [INTERPOSER [LIST]]
# SECONDS: after which it is ended. INTERPOSER: loaded before it. LIST: MPJ_INTERPOSE.
# With fewer problem sizes, blockings and grids than the package's input, unless
# MPJ_BENCH_WHOLE_INPUT is set. 77: the package (scalapack-mpi-test) or mpiexec.mpich is not here.
limit=$1 interposer=$2
package=$(find /usr/lib/*/scalapack/mpich-tests -maxdepth 0 2> /dev/null | head -n 1)
if ! [ -x "$package/xdlu" ] || ! command -v mpiexec.mpich > /dev/null; then
  echo "scalapack-mpi-test or mpiexec.mpich is not installed" >&2
  exit 77
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cp "$package"/LU.dat .
if [ -z "$MPJ_BENCH_WHOLE_INPUT" ]; then
  sed -i -e '/number of problems sizes/s/^[0-9]*/2/' -e "/number of NB's/s/^[0-9]*/2/" \
    -e '/number of process grids/s/^[0-9]*/2/' LU.dat
fi
[ $# -ge 3 ] && export MPJ_INTERPOSE="$3"
begun=$(date +%s%N)
timeout "$limit" mpiexec.mpich -n 4 ${interposer:+-genv LD_PRELOAD "$interposer"} \
  "$package/xdlu" > out 2>&1
status=$?
ended=$(date +%s%N)
if [ $status != 0 ] || ! grep -q passed out || grep -q FAILED out; then
  [ $status = 124 ] && echo "xdlu had not ended after $limit s" >&2
  grep -v '^ *$' out | tail -n 1 >&2
  exit 1
fi
echo "{\"case\": \"xdlu\", \"timing\": \"whole\", \"p\": 4, \"bytes\": 0, \
\"us\": $(((ended - begun) / 1000)).0}"
