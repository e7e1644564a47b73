#!/bin/sh
# Run jobs of coll_am_deaths, one an operation, and look at how they end.
#
#   am_deaths.sh mpjrun program kill|stop OPERATION...
mpjrun=$1 program=$2 how=$3
shift 3
expected=0
[ "$how" = kill ] && expected=137
for operation; do
  said=$("$mpjrun" -n 3 --timeout 100 "$program" "$how" "$operation" 2>&1)
  code=$?
  survived=$(echo "$said" | grep -c '^survived')
  [ $code = $expected ] && [ "$survived" = 2 ] && continue
  echo "$operation: exit status $code, $survived survivors"
  echo "$said"
  exit 1
done
