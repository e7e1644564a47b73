#!/bin/sh
# usage: surplus.sh TIMES MPJRUN COLL_SURPLUS
# Runs every kind of surplus call as often, as a job of 4 ranks: what is told and who leaves race.
times=$1
while [ "$times" -gt 0 ]; do
  for kind in 0 1 2 3 4; do
    "$2" --timeout 60 -n 4 "$3" "$kind" || exit 1
  done
  times=$((times - 1))
done
