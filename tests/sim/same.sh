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

# A preset is what options change, wherever it stands.
for order in '--preset bluegene_l --torus 4x4 --set o=3us' '--set o=3us --torus 4x4 --preset bluegene_l'; do
  "$sim" $order --op bcast --bytes 64K --csv "$folder/$(echo "$order" | cut -c 3-5)" --quiet
done
cmp "$folder/pre" "$folder/set" || fail "a preset undoes what stands before it"

# Nobody knows of a death before the notice has come: not who waits for a message, nor who pulls data.
dies() { # dies NOTICE_PS OPTION ...
  notice=$1
  shift
  "$sim" --ranks 8 --set notice=${notice}ps --csv "$folder/dead.csv" --json "$folder/dead.json" --quiet "$@" ||
    fail "$*"
  ! grep -q '"failed": 0' "$folder/dead.json" || fail "$*: no call failed"
  awk -F, -v notice="$notice" 'NR > 1 && $3 >= 0 && $3 < notice { bad = 1 } END { exit bad }' \
    "$folder/dead.csv" || fail "$*: a rank left before the notice: $(cat "$folder/dead.csv")"
}
for notice in 50000000 1000000000; do
  dies $notice --op barrier --kill 2:0s
  dies $notice --op bcast --bytes 1M --root 2 --algorithm flat --kill 2:0s
  dies $notice --op bcast --bytes 1M --root 2 --algorithm flat --kill 2:2us
done
# Data that has not left by then never comes: of 1.05 ms each to seven ranks the third's.
dies 50000000 --op bcast --bytes 1M --algorithm flat --kill 0:3ms
[ "$(awk -F, '$3 >= 3050000000 && $3 < 3060000000' "$folder/dead.csv" | wc -l)" = 5 ] || fail "cut off: $(cat "$folder/dead.csv")"

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
  for shift in 16 8; do # 8: a neighbourhood's FIFO, as for who is late
    for payload in real virtual; do
      "$sim" --torus 3x3x2 --align 16 --op bcast --bytes 700001 --root 7 --repeat 2 --random 900us \
        --set copy_byte=1ns --shift 5:$shift --late 13:5ms --algorithm $by --payload $payload \
        --csv "$folder/$payload.csv" --json "$folder/$payload.json" --quiet || fail "$by $payload"
      grep -v '"payload"' "$folder/$payload.json" >"$folder/$payload"
    done
    cmp "$folder/real.csv" "$folder/virtual.csv" && cmp "$folder/real" "$folder/virtual" ||
      fail "$by takes otherwise with virtual payload"
  done
done
grep -q '"fifo": [1-9]' "$folder/real" || fail "nothing went by the FIFO"
"$sim" --ranks 301 --op bcast --bytes 65537 >"$folder/out" || fail "301 ranks"
grep -q 'payload *virtual' "$folder/out" || fail "65,537 bytes on 301 ranks are real"
"$sim" --ranks 300 --op bcast --bytes 65537 >"$folder/out" || fail "300 ranks"
! grep -q 'payload *virtual' "$folder/out" || fail "the bytes of 300 ranks are virtual"

# Types are as long as they say.
"$sim" --ranks 5 --op alltoall --type 'vector(3,2,4,double)' >"$folder/out" || fail "a datatype"
grep -q '^simulated MPJ_Alltoall of 48 bytes' "$folder/out" || fail "48 bytes: $(cat "$folder/out")"
