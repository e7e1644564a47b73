#!/bin/sh
# A machine that mpj-bench has measured is one that mpj-sim takes. Arguments: mpj-bench mpj-sim, and
# how the ranks are joined.
set -eu
bench=$1 sim=$2 how=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
die() {
  echo "machine.sh: $*" >&2
  exit 1
}
"$bench" am --machine "$folder/machine" --transport "$how" --rounds 1 --seconds .0005 >"$folder/rows"
grep -q 'long_262144_combined  *mpj' "$folder/rows" || die "a row is missing"
grep -q "\"measured_$how\"" "$folder/machine" || die "the machine has another name"
# A long message, which is announced first, takes longer than a short one, and both take time.
last() {
  "$sim" --machine "$folder/machine" --ranks 2 --op bcast --bytes "$1" --quiet --json "$folder/run"
  sed -n 's/.*"last_ps": \([0-9]*\),.*/\1/p' "$folder/run"
}
short=$(last 8) long=$(last 1M)
[ "$short" -gt 0 ] && [ "$long" -gt "$short" ] || die "8 bytes: $short ps, 1 MiB: $long ps"
# Nothing is written of what cannot be measured, and the exit code tells.
if "$bench" am --machine "$folder/none/machine" --transport "$how" --rounds 1 --seconds .0005 >"$folder/rows" 2>&1; then
  die "a machine was written where there is no folder"
fi
grep -q 'cannot write' "$folder/rows" || die "it does not say why: $(cat "$folder/rows")"
code=0
TMPDIR=$folder/none "$sim" --measured="$how" 2>"$folder/error" || code=$?
[ $code = 2 ] && grep -q "$folder/none/mpj-sim-.* cannot be made" "$folder/error" ||
  die "without a folder for its file: $code, $(cat "$folder/error")"
# It leaves no file behind, and nobody who measures, when it is ended.
mkdir "$folder/tmp"
TMPDIR=$folder/tmp "$sim" --measured="$how" >"$folder/out" 2>"$folder/error" &
pid=$!
until ls "$folder/tmp" | grep -q mpj-sim-; do
  kill -0 $pid || die "it ended before it had a file: $(cat "$folder/error")"
done
kill $pid
code=0
wait $pid || code=$?
[ $code = 143 ] || die "ended by SIGTERM it has exit code $code: $(cat "$folder/error")"
! ls "$folder/tmp" | grep mpj-sim- || die "it left its file behind"
while pgrep -f "$folder/tmp/mpj-sim-" >"$folder/out"; do :; done
