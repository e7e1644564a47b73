#!/bin/sh
# mpj-sim --measured takes what mpj-bench beside it writes, and says what is wrong with that; it ends
# a measurement that takes too long, and leaves nothing behind. Arguments: mpj-sim.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "measured.sh: $*" >&2
  exit 1
}
mkdir "$folder/bin" "$folder/tmp"
cp "$1" "$folder/bin/mpj-sim"
sim=$folder/bin/mpj-sim
export TMPDIR="$folder/tmp"
bench() { # bench LINE: a measuring program that does this; $3 is the file to be written
  printf '#!/bin/sh\necho talk\n%s\n' "$1" >"$folder/bin/mpj-bench"
  chmod +x "$folder/bin/mpj-bench"
}
run() { # run CODE: what is said is in $folder/error, but for the load, in $folder/load
  code=0
  PATH="${where:-$PATH}" "$sim" --measured --ranks 2 --quiet --json "$folder/json" >"$folder/out" 2>"$folder/all" || code=$?
  sort_out "$1"
}
sort_out() {
  [ "$code" = "$1" ] || fail "ended with $code: $(cat "$folder/all")"
  grep 'the load is' "$folder/all" >"$folder/load" || true
  grep -v 'the load is' "$folder/all" >"$folder/error" || true
  [ ! -s "$folder/out" ] || fail "on stdout: $(cat "$folder/out")"
  [ -z "$(ls "$folder/tmp")" ] || fail "left behind: $(ls "$folder/tmp")"
}
says() { # says TEXT: and nothing else
  grep -qF -- "$1" "$folder/error" || fail "not '$1': $(cat "$folder/all")"
  [ "$(wc -l <"$folder/error")" = 1 ] || fail "more than a line: $(cat "$folder/error")"
}

# What is measured is what runs: a message takes 2 o + L.
bench 'echo "{\"kind\": \"flat\", \"o\": \"7 ns\", \"latency\": \"1 us\", \"byte\": \"0 ps\"}" >"$3"'
before=$(cut -d ' ' -f 1 /proc/loadavg)
run 0
[ ! -s "$folder/error" ] || fail "$(cat "$folder/error")"
grep -q "\"last_ps\": 1014000" "$folder/json" || fail "7 ns and 1 us: $(cat "$folder/json")"

# It says that the machine is busy, if it is.
after=$(cut -d ' ' -f 1 /proc/loadavg)
cores=$(getconf _NPROCESSORS_ONLN)
busy=$(echo "$before $after $cores" | awk '{print ($1 > $3 && $2 > $3) ? "yes" : ($1 < $3 && $2 < $3) ? "no" : "maybe"}')
case $busy in
yes) grep -q "the load is [0-9.]* on $cores cores" "$folder/load" || fail "nothing said of load $before" ;;
no) [ ! -s "$folder/load" ] || fail "load $before: $(cat "$folder/load")" ;;
esac

bench 'exit 3'
run 2
says 'mpj-bench am --machine failed with exit code 3'
bench 'kill -9 $$'
run 2
says 'failed with exit code 137'
bench 'echo "{\"kind\": \"ring\"}" >"$3"'
run 2
says 'kind is "ring"'
rm "$folder/bin/mpj-bench"
where=/nowhere run 2
says 'mpj-bench, which measures, is neither beside mpj-sim nor in PATH'

# The time is up when the alarm goes off: here by hand.
ended() { # ended SIGNAL CODE
  bench "trap 'echo ended >\"$folder/ended\"; exit 1' TERM; echo >\"$folder/begun\"; sleep 60 & wait"
  rm -f "$folder/begun" "$folder/ended"
  "$sim" --measured --ranks 2 --quiet >"$folder/out" 2>"$folder/all" </dev/null &
  pid=$!
  while [ ! -e "$folder/begun" ]; do sleep .05; done
  kill -"$1" $pid
  code=0
  wait $pid || code=$?
  for i in $(seq 100); do [ -e "$folder/ended" ] || sleep .05; done
  [ -e "$folder/ended" ] || fail "$1: the measurement goes on"
  sort_out "$2"
}
ended ALRM 2
says 'had not ended after 300 s'
ended TERM 143
[ ! -s "$folder/error" ] || fail "$(cat "$folder/error")"
