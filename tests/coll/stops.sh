#!/bin/sh
# stops.sh MPJRUN PROGRAM RANKS WAY SEEDS: coll_stops (stops.c) as a job of so many ranks, for the
# seeds 1 .. SEEDS, must be seen through by all ranks, but by one that is killed.
mpjrun=$1 program=$2 ranks=$3 way=$4 seeds=$5
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
wanted=$ranks
[ "$way" = stop ] || wanted=$((ranks - 1))
for seed in $(seq "$seeds"); do
  "$mpjrun" --keep -n "$ranks" "$program" "$way" "$seed" > "$out" 2>&1
  [ "$(grep -c '^seen' "$out")" = "$wanted" ] && continue
  echo "$ranks ranks, $way, seed $seed: not $wanted ranks have seen it through"
  head -n 40 "$out"
  exit 1
done
