#!/bin/sh
# scribble.sh MPJRUN SCRIBBLE N SEED: N jobs of four ranks, of which the last writes over what all
# share and dies. No other may be killed by a signal. That two of them wait for each other, a message
# between them having been destroyed, is permitted (spec/security.md), and told.
mpjrun=$1 scribble=$2 n=$3 seed=$4
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
i=0 waits=0
while [ $i -lt "$n" ]; do
  "$mpjrun" -n 4 --keep --timeout 60 "$scribble" $((seed * 1000 + i)) > "$out" 2>&1
  killed=$(grep "^mpjrun: .*was killed by signal" "$out" | grep -vc "rank 3 .*signal 9")
  if [ "$killed" != 0 ] || grep -qE "timeout|still running|Sanitizer" "$out"; then
    echo "seed $((seed * 1000 + i)):"
    grep -v "dropped" "$out" | head -n 60
    exit 1
  fi
  i=$((i + 1)) waits=$((waits + $(grep -c '^waits' "$out")))
done
echo "$n jobs, $waits ranks waited to no end"
