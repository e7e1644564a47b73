#!/bin/sh
# Run random programs without the interposer and with it, and compare what they print: a digest
# of all that was received. With it, every call is also compared with the MPI library's own.
#
#   interposed.sh mpich|openmpi RANKS INTERPOSER program FIRST N
# INTERPOSER: the library to load, or "linked" where the program has it: then there is no first
# run. 77: that mpiexec is not here.
mpi=$1 ranks=$2 interposer=$3
shift 3
command -v "mpiexec.$mpi" > /dev/null || exit 77

# job VARIABLE=VALUE program args...: its processes get the variable, and the launcher not.
job() {
  variable=$1
  shift
  case $mpi in
    mpich) timeout 300 mpiexec.mpich -n "$ranks" -genv "${variable%%=*}" "${variable#*=}" "$@" ;;
    openmpi)
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 300 \
        mpiexec.openmpi --oversubscribe --mca btl self,vader -n "$ranks" -x "$variable" "$@"
      ;;
  esac
}

if [ "$interposer" = linked ]; then
  MPJ_INTERPOSE_REPORT=1 job MPJ_INTERPOSE_REPORT=1 "$@" served
  exit
fi
plain=$(job MPJ_INTERPOSE_REPORT=0 "$@") || exit 1
report=$(mktemp) || exit 1
trap 'rm -f "$report"' EXIT
served=$(MPJ_INTERPOSE_REPORT=1 job LD_PRELOAD="$interposer" "$@" served 2> "$report") || {
  cat "$report"
  exit 1
}
echo "without: $plain; with: $served"
[ -n "$plain" ] && [ "$plain" = "$served" ] && grep -q 'mpj: [a-z_]*  *[1-9]' "$report"
