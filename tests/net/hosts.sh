#!/bin/sh
# Several "hosts" on this machine, as network namespaces, for tests.
#
#   hosts.sh up N TAG          make hosts TAG-1 .. TAG-N and their switch TAG-sw.
#                              Each host has two links to the switch: ctl0, address
#                              10.78.0.i, for the launcher, and data0, 10.77.0.i.
#                              77: namespaces are not permitted here
#   hosts.sh down N TAG        remove them
#   hosts.sh cut I TAG         take host I's data link down, at the switch
#   hosts.sh part I TAG        both links; hosts.sh mend I TAG: both are back
#   hosts.sh run N P TAG program args...
#                              start P ranks, P/N a host, by MPICH's mpiexec, which
#                              lets survivors of a death live (each rank in a shell:
#                              only after an exit code does it spare a node's others)
#   hosts.sh [options] HOST command...
#                              what mpiexec calls in ssh's place (TAG is in
#                              HOSTS_TAG): each host has its own host name and IPC
#                              namespace
link() # tag, host, name, network: a link from a host to the switch
{
  ip -n "$1-sw" link add "$3-$2" type veth peer name "$3" netns "$1-$2" &&
    ip -n "$1-sw" link set "$3-$2" master "$3-br" up &&
    ip -n "$1-$2" addr add "$4.$2/24" dev "$3" &&
    ip -n "$1-$2" link set "$3" up
}

bridge() # tag, name, network
{
  ip -n "$1-sw" link add "$2-br" type bridge &&
    ip -n "$1-sw" addr add "$3.254/24" dev "$2-br" &&
    ip -n "$1-sw" link set "$2-br" up
}

case $1 in
up)
  ip netns add "$3-sw" 2> /dev/null || exit 77
  ip -n "$3-sw" link set lo up
  bridge "$3" ctl0 10.78.0 && bridge "$3" data0 10.77.0 || exit 77
  for i in $(seq "$2"); do
    ip netns add "$3-$i" && ip -n "$3-$i" link set lo up
    link "$3" "$i" ctl0 10.78.0 && link "$3" "$i" data0 10.77.0 || exit 77
  done
  ip netns exec "$3-1" unshare --ipc --uts true || exit 77
  ;;
down)
  for i in sw $(seq "$2"); do ip netns del "$3-$i" 2> /dev/null; done
  ;;
cut)
  ip -n "$3-sw" link set "data0-$2" down
  ;;
part)
  ip -n "$3-sw" link set "data0-$2" down && ip -n "$3-sw" link set "ctl0-$2" down
  ;;
mend)
  ip -n "$3-sw" link set "data0-$2" up && ip -n "$3-sw" link set "ctl0-$2" up
  ;;
run)
  n=$2 p=$3 tag=$4
  shift 4
  hosts=$(seq -s, -f 10.78.0.%g "$n")
  HOSTS_TAG=$tag UCX_NET_DEVICES=data0 exec ip netns exec "$tag-sw" mpiexec.mpich \
    -disable-auto-cleanup -localhost 10.78.0.254 -launcher ssh -launcher-exec "$0" \
    -hosts "$hosts" -ppn $((p / n)) -n "$p" sh -c '"$0" "$@"; exit $?' "$@"
  ;;
*)
  while case $1 in -*) true ;; *) false ;; esac; do shift; done
  i=${1##*.}
  shift
  exec ip netns exec "$HOSTS_TAG-$i" unshare --ipc --uts sh -c "hostname host$i; exec $*"
  ;;
esac
