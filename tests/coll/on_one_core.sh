#!/usr/bin/env bash
# Run a command on one core of those that may be used: on_one_core.sh COMMAND...
set -euo pipefail
read -r _ cores < <(grep Cpus_allowed_list /proc/self/status)
exec taskset -c "${cores%%[-,]*}" "$@"
