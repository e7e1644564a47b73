#!/bin/sh
# Sweeps compare algorithms; the rules that tune writes are taken. Arguments: mpj-sim.
set -eu
sim=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "sweep.sh: $*" >&2
  exit 1
}
for kind in a b; do
  "$sim" tune --flat --ops bcast,allgather,gather --counts 4,16 --sizes 8,64K --json "$folder/$kind.json" \
    --csv "$folder/$kind.csv" >"$folder/$kind.out"
done
cmp "$folder/a.json" "$folder/b.json" || fail "two tunings differ"
cmp "$folder/a.csv" "$folder/b.csv" || fail "two sweeps differ"
[ "$(head -1 "$folder/a.csv")" = operation,ranks,bytes,algorithm,last_ps ] || fail "header"
grep -q '^simulated bcast, 16 ranks, 65536 bytes: .* \*' "$folder/a.out" || fail "no best one"
# What is asked for by a rule runs, and is the best of the table.
for ranks in 4 16; do
  for bytes in 8 65536; do
    for op in bcast allgather; do
      MPJ_COLL_FILE=$folder/a.json "$sim" --flat --ranks $ranks --op $op --bytes $bytes --quiet \
        --json "$folder/run.json" || fail "$op"
      best=$(awk -F, -v op=$op -v p=$ranks -v n=$bytes \
        '$1 == op && $2 == p && $3 == n && (!best || $5 < best) { best = $5 } END { print best }' \
        "$folder/a.csv")
      grep -q "\"last_ps\": $best," "$folder/run.json" ||
        fail "$op of $bytes bytes on $ranks ranks is not as good as $best: $(cat "$folder/run.json")"
    done
  done
done
code=0
"$sim" tune --ops bcast 2>"$folder/error" || code=$?
[ $code = 2 ] && grep -q 'which is missing' "$folder/error" || fail "a tuning without a file"
code=0
"$sim" sweep --counts 8,4 2>"$folder/error" || code=$?
[ $code = 2 ] && grep -q '4 does not rise' "$folder/error" || fail "falling counts"
