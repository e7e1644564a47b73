#!/bin/sh
# usage: forgets.sh KINDS COMMAND...
# Runs the command for every kind of what coll_forgets or coll_circles forgets, all at once: they
# mostly wait.
pids=
kinds=$1 kind=0
shift
while [ $kind -lt "$kinds" ]; do
  "$@" "$kind" &
  pids="$pids $!"
  kind=$((kind + 1))
done
status=0
for pid in $pids; do
  wait "$pid" || status=1
done
exit $status
