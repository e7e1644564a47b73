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
grep -q '^{"simulated": true, "rules": \[' "$folder/a.json" || fail "the rules do not say that they are simulated"
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
# So does an algorithm of a radix that is not its own.
"$sim" tune --preset fattree_hdr --ops alltoall --counts 16 --sizes 16K --quiet --json "$folder/radix.json"
MPJ_COLL_FILE=$folder/radix.json "$sim" --preset fattree_hdr --ranks 16 --op alltoall --bytes 16K --quiet \
  --json "$folder/rule.json"
"$sim" --preset fattree_hdr --ranks 16 --op alltoall --bytes 16K --algorithm pairwise:radix=4 --quiet \
  --json "$folder/asked.json"
for kind in rule asked; do
  grep -o '"last_ps": [0-9]*' "$folder/$kind.json" >"$folder/$kind"
done
cmp "$folder/rule" "$folder/asked" || fail "the rule is not as good as pairwise:4: $(cat "$folder/radix.json")"
# Those that are asked for, and a picture of them.
for kind in a b; do
  "$sim" sweep --torus 2x2x2 --ops bcast --counts 8 --sizes 64K --algorithm neighbourhood_none:segment=4096 \
    --algorithm binomial --csv "$folder/$kind.csv" --svg "$folder/$kind.svg" >"$folder/$kind.out"
done
cmp "$folder/a.svg" "$folder/b.svg" || fail "two pictures differ"
[ "$(cut -d, -f4 "$folder/a.csv" | tr '\n' ' ')" = 'algorithm neighbourhood_none:segment=4096 binomial ' ] ||
  fail "other algorithms than those asked for: $(cat "$folder/a.csv")"
[ "$(grep -c '<rect x' "$folder/a.svg")" = 2 ] || fail "a bar for each of two algorithms"
ratio=$(awk -F, 'NR == 2 { first = $5 } NR == 3 { printf "%.3f", $5 / first }' "$folder/a.csv")
grep -q ", $ratio</text>" "$folder/a.svg" || fail "the picture has another ratio than $ratio"
printf '{"name": "a<b&c", "kind": "flat"}' >"$folder/machine"
"$sim" sweep --machine "$folder/machine" --ops bcast --counts 4 --sizes 8 --svg "$folder/a.svg" >"$folder/a.out"
grep -q 'simulated: a&lt;b&amp;c</text>' "$folder/a.svg" || fail "the name is not XML"
refused() { # sentence, arguments
  sentence=$1 code=0
  shift
  "$sim" "$@" >"$folder/out" 2>"$folder/error" || code=$?
  [ $code = 2 ] && grep -q "$sentence" "$folder/error" || fail "$* ended with $code: $(cat "$folder/error")"
}
refused 'for bcast: pigeon is no algorithm' sweep --ops bcast --algorithm binomial --algorithm pigeon
refused 'for reduce: binomial is no algorithm' sweep --ops bcast,reduce --algorithm binomial
refused 'is longer than 63 bytes' sweep --ops bcast \
  --algorithm "knomial:radix=00000000000000000000000000000000000000000000000000000002"
refused 'which is missing' tune --ops bcast
refused '4 does not rise above 8' sweep --counts 8,4

# Counts that cannot be are refused before anything runs.
refused '65 of --counts: 65 ranks do not fit 64 nodes' sweep --ops bcast --counts 8,65 --torus 4x4x4
refused '4 of --counts: --root is 7, there are ranks 0 to 3' sweep --ops bcast --counts 4,8 --root 7
refused '4 of --counts: --late is rank 5, there are ranks 0 to 3' sweep --ops bcast --counts 4 --late 5:1ms
[ ! -s "$folder/out" ] || fail "something ran: $(cat "$folder/out")"
failed() { # sentence, arguments: runs fail, the others are in the table
  sentence=$1 code=0
  shift
  "$sim" sweep "$@" >"$folder/out" 2>"$folder/error" || code=$?
  [ $code = 1 ] && grep -q "$sentence" "$folder/error" && grep -q 'runs that failed: 1$' "$folder/error" ||
    fail "$* ended with $code: $(cat "$folder/error")"
}
failed 'alltoall by sparse, 4 ranks, 8 bytes: .* not possible for this call, flat ran' \
  --ops alltoall --counts 4 --sizes 8 --algorithm sparse
grep -q 'bytes: no algorithm ran$' "$folder/out" || fail "an empty row: $(cat "$folder/out")"
failed 'bcast by chain:segment=4096, 8 ranks, 131072 bytes: .* virtual payload is eager' --ops bcast --counts 8 \
  --sizes 128K --payload virtual --algorithm chain:segment=4096 --algorithm chain
grep -q 'bytes:  chain .* \*$' "$folder/out" || fail "the other one is missing: $(cat "$folder/out")"
"$sim" sweep --ops bcast,barrier --counts 1,2 --sizes 8 --algorithm auto --quiet >"$folder/out" || fail "auto"
[ ! -s "$folder/out" ] || fail "--quiet: $(cat "$folder/out")"
