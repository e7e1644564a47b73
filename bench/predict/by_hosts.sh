#!/bin/sh
# In mpjrun's place for mpj-bench: -n N [--bind] [--timeout S] program args... runs N ranks on two hosts, which
# are the network namespaces $HOSTS_TAG-1 and $HOSTS_TAG-2 (tests/net/hosts.sh up).
n=2
while :; do
  case $1 in
  -n) n=$2 && shift 2 ;;
  --timeout) shift 2 ;;
  --bind) shift ;;
  *) break ;;
  esac
done
exec "$(dirname "$0")/../../tests/net/hosts.sh" run 2 "$n" "$HOSTS_TAG" "$@"
