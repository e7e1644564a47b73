#!/bin/sh
# What is wrong with an option is an error that names it and its value: 2 for arguments, 1 for runs.
# Arguments: mpj-sim.
set -eu
sim=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "refused.sh: $*" >&2
  exit 1
}
ends() { # ends CODE TEXT OPTION ...: with one line on stderr, which has the text
  wanted=$1 text=$2 code=0
  shift 2
  "$sim" "$@" >"$folder/out" 2>"$folder/error" </dev/null || code=$?
  [ $code = "$wanted" ] || fail "$* ended with $code: $(cat "$folder/error")"
  grep -qF -- "$text" "$folder/error" || fail "$*: $(cat "$folder/error")"
  [ "$(wc -l <"$folder/error")" = 1 ] || fail "$*: more than a line: $(cat "$folder/error")"
}
wrong() { # wrong TEXT OPTION ...
  ends 2 "$@"
  [ ! -s "$folder/out" ] || fail "$*: $(cat "$folder/out")"
}
file() { # file TEXT JSON
  printf '%s' "$2" >"$folder/machine"
  wrong "mpj-sim: --machine: $folder/machine$1" --machine "$folder/machine"
}

# Values. The option is named whichever way its value is given.
wrong 'mpj-sim: --late: "9" is no RANK:TIME' --late 9
wrong 'mpj-sim: --late: "9" is no RANK:TIME' --late=9
wrong '--late: "5000000000:1ms" is no RANK:TIME' --late 5000000000:1ms
wrong '--torus: "4y4" is no shape' --torus 4y4
wrong '--torus: "4x" is no shape' --torus 4x
wrong '--late: rank 7 is given twice' --late 7:6ms --late 3:1ms --late 7:5ms
wrong '--set: o is "fast", which is no time' --set o=fast
wrong '--set: there is no time "oo"' --set oo=1us
wrong '--preset: there is no preset "cray"' --preset cray
wrong '--op: there is no operation "bcst"' --op bcst
wrong '--payload: "none" is not real, virtual' --payload none
wrong '--repeat: "0" is no whole number from 1 to' --repeat 0
for number in K + '' ' 5' +5 -1 5X 1048577G 99999999999999999999; do
  wrong "--bytes: \"$number\" is no whole number from 0 to" --op bcast --bytes "$number"
done
wrong '--seed: "18446744073709551616" is no whole number' --seed 18446744073709551616
wrong '--seed: "9223372036854775808" is no whole number' --seed 9223372036854775808

# Ranks and data that are not there.
wrong 'do not fit 16 nodes' --torus 4x4 --ranks 17
wrong '--root is 8, there are ranks 0 to 7' --ranks 8 --op bcast --root 8
wrong '--late is rank 9, there are' --ranks 8 --late 9:1us
wrong '--kill is rank 8, there are' --ranks 8 --kill 8:1us
wrong '--shift is rank 8, there are' --ranks 8 --shift 8:8
wrong '--type is dubble: ' --op bcast --type dubble
wrong '--type is int, but MPJ_Reduce goes by bytes' --op reduce --type int
wrong 'virtual, which only a Bcast of bytes can have, not MPJ_Gather' --op gather --payload virtual
wrong '--payload is virtual, but 8 bytes go eagerly' --op bcast --payload virtual
wrong '--payload is virtual, but 0 bytes go eagerly' --op bcast --bytes 0 --payload virtual
ends 1 'a message of 4096 bytes of virtual payload is eager' --ranks 8 --op bcast --bytes 128K \
  --algorithm knomial:radix=2,segment=4096 --payload virtual
ends 1 'bytes of virtual payload is eager' --ranks 8 --op bcast --bytes 20K \
  --algorithm scatter_allgather --payload virtual
wrong '--memory is 64.0 MiB, and 64 ranks would take 8.0 GiB' --ranks 64 --op alltoall --bytes 1M --memory 64M
wrong '--memory is 32.0 MiB, and 4096 ranks' --ranks 4096 --op scan --memory 32M # in their calls
wrong '--memory is 1.0 MiB, and 64 ranks would take' --memory 1M

# Another algorithm never runs in place of one that is asked for.
for algorithm in neighbourhood:segment=0 knomial:radix=0 knomial:radix=1 binomial:x=1 chain:segment=4K \
  binomial:radix=3 flat:segment=5; do
  wrong "--algorithm for bcast: $algorithm" --op bcast --algorithm $algorithm
  wrong "--algorithm for bcast: $algorithm" sweep --ops bcast --algorithm $algorithm
done
wrong '--algorithm for bcast: binary is no algorithm' --op bcast --algorithm binary
wrong 'a run has one, there are "flat" and "chain"' --op bcast --algorithm flat --algorithm chain
ends 1 '--algorithm: sparse is not possible for this call, flat ran' --op alltoall --algorithm sparse --quiet
"$sim" --op bcast --algorithm auto --quiet || fail "auto"

# Options without effect.
wrong '--flat: --torus 4x4 has given' --torus 4x4 --flat
wrong '--torus: --flat has given' --flat --torus 4x4
wrong '--mesh: --torus 4x4 has given' --torus 4x4 --mesh 4x4
wrong '--bytes is 64K, but the size of --type int counts' --op bcast --type int --bytes 64K
wrong '--bytes is 8, but MPJ_Barrier has no data' --op barrier --bytes 8
wrong '--root is 1, but MPJ_Allreduce has no root' --op allreduce --root 1
wrong '--trace-ranks is 4, but there is no --trace' --trace-ranks 4
wrong '--cost is for --json' --cost
for option in '--ops bcast' '--counts 4' '--sizes 8'; do
  wrong "$option: it is not for a run, but for sweep and tune" $option
done
for option in '--op bcast' '--bytes 8' '--ranks 4' '--type int' '--kill 1:1us' '--trace x' '--messages x'; do
  wrong "$option: it is not for sweep, but for a run" sweep $option
  wrong "$option: it is not for tune, but for a run" tune --json "$folder/rules" $option
done
wrong '--json x: it is not for sweep, but for a run and tune' sweep --json x
wrong '--algorithm flat: it is not for tune, but for a run and sweep' tune --json x --algorithm flat

# Files are opened before anything runs.
for kind in csv json svg trace messages; do
  wrong "--$kind: $folder/none/x cannot be written: No such" --ranks 500000 --$kind "$folder/none/x"
done
for kind in csv svg; do
  wrong "--$kind: $folder/none/x cannot be written: No such" sweep --$kind "$folder/none/x"
done
wrong "--json: $folder/none/x cannot be written: No such" tune --json "$folder/none/x"
ends 1 '--csv: /dev/full has not been written whole' --csv /dev/full --quiet

# Machine files: their values are named, and the file once.
wrong "mpj-sim: --machine: $folder/none cannot be read: No such file" --machine "$folder/none"
wrong "mpj-sim: --machine: $folder cannot be read: Is a directory" --machine "$folder"
file ', line 2: ' '{"kind": "flat",
'
file ': it is no object' '[1]'
file ': kind is "ring", which is not flat, torus, mesh or fattree' '{"kind": "ring"}'
file ': kind is torus, and there are no dims' '{"kind": "torus"}'
file ': dims is [4,4], which is of no use to a machine whose kind is flat' '{"kind": "flat", "dims": [4, 4]}'
file ': dims is [4,4], which is of no use' '{"dims": [4, 4]}'
file ': an entry of dims is "a", which is no whole number from 1' '{"kind": "torus", "dims": [4, "a"]}'
file ': ranks is -3, which is no whole number from 1' '{"ranks": -3}'
file ': o is 5, which is no text' '{"o": 5}'
file ': o is "fast", which is no time' '{"o": "fast"}'
file ': name is "a\nb", which is no name' '{"name": "a\nb"}'
file ': name is "00000' "{\"name\": \"$(printf %064d 0)\"}"
