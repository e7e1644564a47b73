#!/bin/sh
# Run a test program of ScaLAPACK's package for MPICH under the interposer: all its checks pass,
# and its broadcasts were served.
#
#   scalapack.sh INTERPOSER xdlu|xdqr|xdtrd|xzgsep [short]
# short: a problem or two instead of the package's. 77: the package (scalapack-mpi-test) or
# mpiexec.mpich is not here.
interposer=$1 name=$2 length=$3
package=$(find /usr/lib/*/scalapack/mpich-tests -maxdepth 0 2> /dev/null | head -n 1)
[ -x "$package/$name" ] && command -v mpiexec.mpich > /dev/null || exit 77
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cp "$package"/*.dat .

if [ "$length" = short ]; then # fewer sizes, blockings and grids
  sed -i -e '/number of problems sizes/s/^[0-9]*/2/' -e "/number of NB's/s/^[0-9]*/2/" LU.dat TRD.dat
  sed -i -e '/number of process grids/s/^[0-9]*/2/' LU.dat QR.dat
  sed -i -e '/number of problems sizes/s/^[0-9]*/2/' -e '/number of blocking/s/^[0-9]*/2/' QR.dat
fi
MPJ_INTERPOSE_REPORT=1 timeout 900 mpiexec.mpich -n 4 -genv LD_PRELOAD "$interposer" \
  "$package/$name" > out 2>&1
status=$?
grep -E '^mpj:|tests completed|tests passed' out
[ $status = 0 ] && grep -qi 'passed' out && grep -q 'mpj: bcast  *[1-9]' out &&
  ! grep -Eq 'FAILED|[1-9][0-9]* tests completed and failed' out && exit 0
cat out
exit 1
