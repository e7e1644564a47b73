#!/bin/sh
# An allreduce along a tree in segments takes no longer than a reduce and a broadcast along that
# tree: no segment waits on its way up until another has come back down. Arguments: mpj-sim.
set -eu
sim=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "tree.sh: $*" >&2
  exit 1
}
left() { # left OPERATION ALGORITHM: when the last rank has left, ps
  "$sim" --preset bluegene_l --torus 4x4x4 --op "$1" --bytes 64K --algorithm "$2" --quiet \
    --json "$folder/json" || fail "$1 $2"
  sed -n 's/.*"last_ps": \([0-9]*\).*/\1/p' "$folder/json"
}
for tree in knomial:radix=2 knomial:radix=4 kary:radix=2 chain; do
  for segment in 2048 8192; do
    by=$tree,segment=$segment
    [ $tree != chain ] || by=chain:segment=$segment
    both=$(left allreduce $by)
    up=$(left reduce $by)
    down=$(left bcast $by)
    [ $((both * 100)) -le $(((up + down) * 101)) ] || fail "$by: $both ps, $up up and $down down"
  done
done
