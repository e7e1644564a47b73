#!/bin/sh
# Protocols per neighbourhood on a simulated torus: who uses the FIFO, whom a late rank delays, and
# what the agreement costs. Arguments: mpj-sim.
set -eu
sim=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "neighbourhood.sh: $*" >&2
  exit 1
}
play() { # play ALGORITHM BYTES OPTION ...
  by=$1 size=$2
  shift 2
  "$sim" --preset bluegene_l --op bcast --bytes "$size" --algorithm "$by" --quiet \
    --csv "$folder/csv" --json "$folder/json" "$@" || fail "$by $size $*"
}
json() { # json KEY
  sed -n "s/.*\"$1\": \(\[[^]]*\]\|[^,}]*\).*/\1/p" "$folder/json"
}
senders() { # senders WANTED WHAT
  [ "$(json fifo_from)" = "$1" ] || fail "$2: the FIFO is used by $(json fifo_from), not by $1"
}
# Ranks of a 4 x 4 x 4 torus are 16 x + 4 y + z. From root 0 chains go up over two ranks and down
# over one. 20 = (1, 1, 0) gets its data from 16, along dimension 1, and 24 gets it from 20.
for bytes in 208 1000 100000; do
  segments=$(((bytes + 8191) / 8192))
  play neighbourhood:segment=8192 $bytes --torus 4x4x4
  senders '[]' "all qualify"
  [ "$(json put)" = $((63 * segments)) ] || fail "$(json put) puts"
  play neighbourhood:segment=8192 $bytes --torus 4x4x4 --shift 20:8
  senders '[16]' "one edge"
  [ "$(json fifo)" = $segments ] || fail "$(json fifo) messages by the FIFO"
  play neighbourhood:segment=8192 $bytes --torus 4x4x4 --shift 20:16
  senders '[]' "a multiple of 16 qualifies"
  # its line: 16 -> 20 -> 24, 16 -> 28
  play neighbourhood_line:segment=8192 $bytes --torus 4x4x4 --shift 20:8
  senders '[16, 20]' "one line"
  [ "$(json fifo)" = $((3 * segments)) ] || fail "$(json fifo) messages by the FIFO"
  [ "$(json put)" = $((60 * segments)) ] || fail "$(json put) puts"
  play neighbourhood_global:segment=8192 $bytes --torus 4x4x4 --shift 20:8
  [ "$(json put)" = 0 ] || fail "$(json put) puts, though somebody does not qualify"
  [ "$(json fifo)" = $((63 * segments)) ] || fail "$(json fifo) messages by the FIFO"
done

# One late rank, which comes at 5 ms, when the others have left.
late() { # late ALGORITHM BYTES RANK CONDITION_ON_X_Y_Z...
  play "$1" "$2" --torus 4x4x4 --late "$3:5ms"
  awk -F, -v want="$4" 'NR > 1 { x = int($1 / 16); y = int($1 / 4) % 4; z = $1 % 4
    behind = '"$4"'
    if (($3 >= 5000000000) != (behind ? 1 : 0)) { print "rank " $1 " left at " $3; bad = 1 } }
    END { exit bad }' "$folder/csv" >"$folder/wrong" ||
    fail "$1 $2, rank $3 late: $(head -3 "$folder/wrong")"
}
for bytes in 208 1000 100000; do
  # 16 = (1, 0, 0), of the root's line: 32 follows it there
  late neighbourhood:segment=8192 $bytes 16 'x == 1 || x == 2'
  late neighbourhood_line:segment=8192 $bytes 16 'x > 0 || (y == 0 && z == 0)'
  # 20 = (1, 1, 0): 24 follows
  late neighbourhood:segment=8192 $bytes 20 'x == 1 && (y == 1 || y == 2)'
  late neighbourhood_line:segment=8192 $bytes 20 'x == 1 && (y > 0 || (y == 0 && z == 0))'
  # 23 = (1, 1, 3), the end of a line
  late neighbourhood:segment=8192 $bytes 23 '$1 == 23'
  late neighbourhood_line:segment=8192 $bytes 23 'x == 1 && y == 1'
  late neighbourhood_global:segment=8192 $bytes 23 '1'
  # who is late gets by the FIFO what has waited upstream
  play neighbourhood:segment=8192 $bytes --torus 4x4x4 --late 23:5ms
  senders '[20]' "a late rank"
done

# What agreeing costs: per edge no more than one message's o + L + o, 5 % from 64 KiB on, and less
# than for all ranks at once.
for torus in 4x4x4 8x4x4; do
  for bytes in 208 1000 65536 1048576; do
    for algorithm in none edge global; do
      word=neighbourhood_$algorithm
      [ $algorithm != edge ] || word=neighbourhood
      play $word:segment=4096 $bytes --torus $torus
      eval "$algorithm=$(json last_ps)"
    done
    [ $((edge - none)) -le 3000000 ] || fail "$torus $bytes: $((edge - none)) ps for agreeing"
    [ $bytes -lt 65536 ] || [ $((edge * 100)) -le $((none * 105)) ] || fail "$torus $bytes: over 5 %"
    [ "$edge" -lt "$global" ] || fail "$torus $bytes: $edge, by all ranks at once $global"
  done
done
