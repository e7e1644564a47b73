#!/bin/sh
# usage: forgets.sh COMMAND...
# Runs the command for every kind of what coll_forgets or coll_circles forgets, all at once: they
# mostly wait.
pids=
for kind in 0 1 2 3 4 5 6 7 8 9; do
  "$@" "$kind" &
  pids="$pids $!"
done
status=0
for pid in $pids; do
  wait "$pid" || status=1
done
exit $status
