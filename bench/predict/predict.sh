#!/bin/sh
# What mpj-sim predicts of collectives between two ranks of this machine, beside what they take.
# Arguments: mpj-bench mpj-sim, and how the ranks are joined: shm, threads, or hosts (two network
# namespaces and UCX between them, which takes permission to make them); rounds (5).
# In each round the machine is measured, then the collectives, then each is predicted from what was
# measured in this round; the table has medians over the rounds. Calls follow one another with data
# that depends on the last one's (a barrier simply follows).
# Exit status 1: half of the predictions are more than 25 % off.
set -eu
bench=$1 sim=$2 kind=$3 rounds=${4:-5}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
ops=barrier,bcast,allreduce,alltoall,reduce,allgather
sizes=8,64,512,4096,32768,262144,1048576
tag=predict$$
undo() {
  rm -rf "$folder"
  [ "$kind" != hosts ] || "$here/../../tests/net/hosts.sh" down 2 $tag
}
trap undo EXIT
case $kind in
shm | threads) set -- ;;
hosts)
  "$here/../../tests/net/hosts.sh" up 2 $tag || exit 77
  export HOSTS_TAG=$tag
  set -- --mpjrun "$here/by_hosts.sh"
  ;;
*) echo "there is no kind \"$kind\": shm, threads, hosts" >&2 && exit 2 ;;
esac
transport=shm
[ "$kind" != threads ] || transport=threads
for round in $(seq "$rounds"); do
  "$bench" am --machine "$folder/machine" --transport $transport --rounds 1 --seconds .01 "$@" >"$folder/rows"
  "$bench" coll --p 2 --ops $ops --sizes $sizes --transports $transport --timings back_to_back,dependent \
    --peers none --rounds 1 --seconds .01 "$@" >"$folder/table"
  awk '/^p = / { dependent = /dependent/ }
    $1 == "barrier" && !dependent || dependent && $2 ~ /^[0-9]+$/ { print $1, $2, $3 }' "$folder/table" |
    while read -r op bytes us; do
      "$sim" --machine "$folder/machine" --ranks 2 --op "$op" --bytes "$bytes" --quiet --json "$folder/run"
      ps=$(sed -n 's/.*"last_ps": \([0-9]*\),.*/\1/p' "$folder/run")
      echo "$op $bytes $us $ps" >>"$folder/all"
    done
done
cpu=$(sed -n 's/^model name[^:]*: //p;s/^cpu family[^:]*: /family /p;s/^model[^n:]*: /model /p' /proc/cpuinfo | head -3 | tr '\n' ' ')
echo "$kind, p = 2, $rounds rounds, $cpu"
echo
echo "| operation | bytes | measured, us | predicted, us | ratio (least to most of the rounds) |"
echo "|---|---|---|---|---|"
awk -v rounds="$rounds" '
  function median(list, n, a, i, j, t) {
    n = split(list, a, " ")
    for (i = 2; i <= n; i++)
      for (j = i; j > 1 && a[j] + 0 < a[j - 1] + 0; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
    least = a[1]; most = a[n]
    return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
  }
  { key = $1 " | " $2
    if (!(key in real)) order[++n] = key
    real[key] = real[key] " " $3
    sim[key] = sim[key] " " $4 / 1e6
    ratio[key] = ratio[key] " " $4 / 1e6 / $3 }
  END {
    for (i = 1; i <= n; i++) {
      key = order[i]
      it = median(real[key])
      said = median(sim[key])
      r = median(ratio[key])
      off = off " " (r > 1 ? r - 1 : 1 - r)
      printf "| %s | %.2f | %.2f | %.2f (%.2f to %.2f) |\n", key, it, said, r, least, most
    }
    m = median(off)
    printf "\nHalf of the %d predictions are within %.0f %%.\n", n, m * 100
    exit !(m <= .25)
  }' "$folder/all"
