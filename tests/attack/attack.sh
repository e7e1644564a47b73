#!/bin/sh
# Attacks a job that goes by UCX, from another user's processes where that can be:
#
#   attack.sh forge MPJRUN VICTIM FORGE      messages in the ranks' names: the job ends well, all
#                                            results are right, and it says that it dropped some
#   attack.sh garbage MPJRUN VICTIM GARBAGE  random bytes on every port: no result is wrong and
#                                            nothing hangs. UCX itself may crash (spec/security.md);
#                                            the other ranks then get MPJ_ERR_PEER
#   attack.sh ports MPJRUN VICTIM GARBAGE    a job that shares memory has no port
#
# Exit status 77: cannot be tried here, and why. The job runs in a network namespace of its own, in
# which all ports are its.
[ -n "$ATTACK_INSIDE" ] || {
  unshare -n true 2> /dev/null || { echo "attack: skipped: no network namespaces here"; exit 77; }
  exec env ATTACK_INSIDE=1 unshare -n "$0" "$@"
}
ip link set lo up || { echo "attack: skipped: no loopback in a namespace"; exit 77; }
what=$1 mpjrun=$2 victim=$3 attacker=$4
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cp "$attacker" "$folder/attacker" && chmod 755 "$folder/attacker"

as_another() # command...: as a user who exists nowhere else, if we may
{
  if setpriv --reuid 61917 --regid 61917 --clear-groups true 2> /dev/null; then
    setpriv --reuid 61917 --regid 61917 --clear-groups env -u LD_PRELOAD HOME=/ "$@"
  else
    echo "attack: as the same user, who may not become another"
    "$@"
  fi
}

transport=ucx
[ "$what" = ports ] && transport=auto
# try SEED: one job with its attacker; its exit status in `status`.
try()
{
  MPJ_TRANSPORT=$transport MPJ_NET_ADDRESS=127.0.0.0/8 MPJ_ERRORS=return \
    timeout 60 "$mpjrun" -n 3 --timeout 40 "$victim" 3 > "$folder/out" 2> "$folder/err" &
  job=$!
  i=0
  until [ "$(grep -c begun "$folder/out")" = 3 ]; do
    i=$((i + 1))
    [ $i -gt 300 ] && break
    sleep 0.1
  done
  as_another timeout 50 "$folder/attacker" "$1" > "$folder/attack" 2>&1
  wait $job
  status=$?
}

# That strangers can crash UCX itself is a stated limit (spec/security.md), not what `forge` is
# about: it is tried again, three times in all.
for seed in 1 2 3; do
  try $seed
  [ "$what" = forge ] && grep -q 'ucp_.*Assertion' "$folder/err" || break
  echo "attack: UCX ended a rank itself:"
  grep 'ucp_.*Assertion' "$folder/err"
done
cat "$folder/attack" "$folder/out" "$folder/err"
echo "attack: the job ended with $status"

fail() { echo "attack: $*"; exit 1; }
grep -q wrong "$folder/out" && fail "a result was wrong"
case $what in
ports)
  [ "$(cat "$folder/attack" | grep ports)" = "0 ports" ] || fail "ranks that share memory listen"
  ;;
*)
  grep -q "^[1-9][0-9]* ports" "$folder/attack" || fail "there was nothing to attack"
  ;;
esac
[ $status = 124 ] && fail "the job hung"
[ "$what" = garbage ] || [ $status = 0 ] || fail "the job did not end well"
if [ "$what" = forge ]; then
  grep -q "whose sender has not proved" "$folder/err" || fail "nothing was said of it"
  grep -q " [1-9][0-9]* messages" "$folder/attack" || fail "no message left"
fi
if [ "$what" = garbage ] && [ $status != 0 ]; then
  grep -q "MPJ_ERR_PEER" "$folder/out" || fail "the others did not hear of it"
fi
exit 0
