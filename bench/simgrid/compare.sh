#!/bin/sh
# The messages of collectives on simulated tori, played by SimGrid on the same torus: when the last
# rank is done, case by case. Arguments: mpj-sim mpj-simgrid.
# Exit status 1: a case of the first table differs by more than 10 %. In the second, links are where
# the two models differ: mpj-sim sends one message after another over a link, SimGrid all at once,
# each a share of the bandwidth.
# Blue Gene/L's links and o; no latency at the ends, unlimited ports, which SimGrid's torus lacks.
set -eu
sim=$1 simgrid=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
far=0
play() { # play TORUS OPERATION BYTES ALGORITHM [O_US]
  o=${5:-1}
  "$sim" --torus "$1" --op "$2" --bytes "$3" --algorithm "$4" --payload real --quiet --set o=${o}us --set g=0 \
    --set latency=0 --set hop=100ns --set byte=0 --set link_byte=5.714286ns --json "$folder/json" \
    --messages "$folder/messages"
  theirs=$("$simgrid" "$1" ${o}e-6 1e-7 5.714286e-9 --log=root.thres:error <"$folder/messages")
  ours=$(sed -n 's/.*"last_ps": \([0-9]*\),.*/\1/p' "$folder/json")
  waited=$(sed -n 's/.*"waited_ps": \([0-9]*\),.*/\1/p' "$folder/json")
  [ -z "${5:-}" ] || set -- "$1" "$2" "$3" "$4,o=${o}us"
  echo "$1 $2 $3 $4 $(($(wc -l <"$folder/messages") - 1)) $ours $theirs $waited" | awk '{
    ratio = $6 / 1e12 / $7
    printf "| %s | %s | %s | %s | %d | %.1f | %.1f | %.3f | %.0f |\n", $1, $2, $3, $4, $5, $6 / 1e6,
      $7 * 1e6, ratio, $8 / 1e6
    exit !(ratio >= 0.9 && ratio <= 1.1) }' || far=$((far + 1))
}
head() {
  echo "| torus | operation | bytes | algorithm | messages | mpj-sim, us | SimGrid, us | ratio | waited for links in all, us |"
  echo "|---|---|---|---|---|---|---|---|---|"
}
head
for torus in 4x4x4 8x8x8 16x8x8; do
  play $torus barrier 0 dissemination
  play $torus allreduce 1K exchange:radix=2
  play $torus allreduce 16K exchange:radix=2
  play $torus reduce 16K knomial:radix=2
  play $torus allgather 64 exchange:radix=2
  play $torus gather 16K flat
  play $torus scan 8 exchange:radix=2
done
play 4x4x4 bcast 64K flat
play 4x4x4 bcast 64K chain
play 8x8x8 bcast 64K chain:segment=16384
play 8x8x8 gather 1K flat 0.001
play 4x4x4 scatter 16K flat
play 4x4x4 allreduce 16K ring
play 4x4x4 allgather 1K ring
play 4x4x4 alltoall 1K flat
play 4x4x4 alltoall 16K pairwise
play 8x4x4 alltoall 64 bruck:radix=2
missed=$far
echo
head
for torus in 4x4x4 8x8x8 16x8x8; do
  play $torus bcast 64K binomial
  play $torus bcast 64K knomial:radix=2,segment=16384
  play $torus scatter 16K knomial:radix=2
  play $torus gather 1K flat
done
play 8x4x4 allgather 1K bruck:radix=2
play 4x4x4 alltoall 1K pairwise
play 8x8x8 reduce_scatter 64 exchange:radix=2
play 16x8x8 allreduce 16K rabenseifner
exit $((missed > 0))
