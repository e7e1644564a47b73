#!/bin/sh
# Equal arguments give equal files, byte for byte; another seed others. Arguments: mpj-sim.
set -eu
sim=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "same.sh: $*" >&2
  exit 1
}
play() { # play NAME SEED
  "$sim" --torus 4x3x2 --ranks-per-node 2 --op allreduce --bytes 20000 --repeat 3 --random 50us \
    --set jitter=2us --late 7:80us --seed "$2" --csv "$folder/$1.csv" --json "$folder/$1.json" \
    --svg "$folder/$1.svg" --trace "$folder/$1.trace" >"$folder/$1.out"
  grep -q '^simulated MPJ_Allreduce of 20000 bytes' "$folder/$1.out" || fail "no table"
}
play a 5
play b 5
play c 6
for kind in csv json svg trace; do
  cmp "$folder/a.$kind" "$folder/b.$kind" || fail "$kind differs"
  ! cmp -s "$folder/a.$kind" "$folder/c.$kind" || fail "$kind does not go by the seed"
done
[ "$(wc -l <"$folder/a.csv")" = 49 ] || fail "the CSV file has not a line a rank"
[ "$(head -1 "$folder/a.csv")" = rank,entered_ps,left_ps,sent,received ] || fail "header"
for kind in json svg trace; do
  grep -q simulated "$folder/a.$kind" || fail "$kind does not say that it is simulated"
done

# A late rank: nobody leaves a barrier before it has come.
"$sim" --torus 4x4x4 --late 21:5ms --csv "$folder/late.csv" --quiet
awk -F, 'NR > 1 && $3 < 5000000000 { bad = 1 } END { exit bad }' "$folder/late.csv" ||
  fail "a rank left a barrier before all had come"
# But those above it in a binomial tree leave Bcast long before.
"$sim" --ranks 16 --op bcast --algorithm binomial --late 15:5ms --csv "$folder/late.csv" --quiet
[ "$(awk -F, 'NR > 1 && $3 >= 5000000000' "$folder/late.csv" | wc -l)" = 1 ] ||
  fail "a late leaf delayed others"

# A machine file says the same as options.
cat >"$folder/machine.json" <<'JSON'
{"name": "small", "kind": "torus", "dims": [4, 4], "o": "1us", "g": "0.5us", "latency": "2us",
 "hop": "100ns", "byte": "1ns", "link_byte": "1ns", "ranks_per_node": 1}
JSON
"$sim" --machine "$folder/machine.json" --op bcast --bytes 3000 --csv "$folder/file.csv" --quiet
"$sim" --torus 4x4 --set o=1us --set g=0.5us --set latency=2us --set hop=100ns --set byte=1ns \
  --set link_byte=1ns --op bcast --bytes 3000 --csv "$folder/options.csv" --quiet
cmp "$folder/file.csv" "$folder/options.csv" || fail "the machine file is read otherwise"

# Virtual payload takes as long as real bytes, to the picosecond, and as many messages.
for by in knomial:radix=2,segment=65536 chain:segment=65536 flat circulant:segment=65536 \
  neighbourhood:segment=65536 neighbourhood_line:segment=65536; do
  for payload in real virtual; do
    "$sim" --torus 3x3x2 --op bcast --bytes 700001 --root 7 --repeat 2 --random 900us --shift 5:16 \
      --algorithm $by --payload $payload --csv "$folder/$payload.csv" --quiet || fail "$by $payload"
  done
  cmp "$folder/real.csv" "$folder/virtual.csv" || fail "$by takes otherwise with virtual payload"
done
"$sim" --ranks 301 --op bcast --bytes 65537 >"$folder/out" || fail "301 ranks"
grep -q 'payload *virtual' "$folder/out" || fail "65,537 bytes on 301 ranks are real"
"$sim" --ranks 300 --op bcast --bytes 65537 >"$folder/out" || fail "300 ranks"
! grep -q 'payload *virtual' "$folder/out" || fail "the bytes of 300 ranks are virtual"
code=0
"$sim" --ranks 8 --op bcast --bytes 128K --algorithm knomial:radix=2,segment=4096 --payload virtual \
  --quiet 2>"$folder/error" || code=$?
[ $code = 1 ] && grep -q '4096 bytes of virtual payload is eager' "$folder/error" ||
  fail "eager virtual payload: $(cat "$folder/error")"

# A datatype of text; what is wrong is said.
"$sim" --ranks 5 --op alltoall --type 'vector(3,2,4,double)' --quiet || fail "a datatype"
wrong() { # wrong TEXT OPTION ...
  text=$1
  shift
  code=0
  "$sim" --quiet "$@" 2>"$folder/error" || code=$?
  [ $code = 2 ] || fail "$* ended with $code"
  grep -q -- "$text" "$folder/error" || fail "$*: $(cat "$folder/error")"
}
wrong 'is no shape' --torus 4y4
wrong 'do not fit 16 nodes' --torus 4x4 --ranks 17
wrong 'there is no operation "bcst"' --op bcst
wrong 'bcast has no algorithm "binary"' --op bcast --algorithm binary
wrong 'root is 8, there are ranks 0 to 7' --ranks 8 --op bcast --root 8
wrong 'is no time' --set o=fast
wrong 'not MPJ_Gather' --op gather --payload virtual
wrong 'is not real, virtual' --payload none
wrong 'there is no time "oo"' --set oo=1us
wrong 'late is rank 9' --ranks 8 --late 9:1us
wrong 'is no RANK:TIME' --late 9
wrong 'there is no preset' --preset cray
wrong 'kind is not' --machine /dev/stdin <<'JSON'
{"kind": "ring"}
JSON
code=0
"$sim" --ranks 64 --op alltoall --bytes 1M --memory 64M --quiet 2>"$folder/error" || code=$?
[ $code = 1 ] && grep -q 'memory is 0.1 GiB' "$folder/error" || fail "memory: $(cat "$folder/error")"
