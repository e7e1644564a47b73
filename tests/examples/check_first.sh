#!/usr/bin/env bash
# The shortest program and the README: check_first.sh FIRST README FIRST_C [MPJRUN].
# The program runs alone and on 1, 4 and 7 ranks, and the README shows it as it is in the tree.
set -u
first=$1 readme=$2 first_c=$3 mpjrun=${4-}
failures=0

expect() {
  local wanted=$1 said
  shift
  said=$("$@") && [ "$said" = "$wanted" ] && return
  echo "FAILED: $* said '$said', not '$wanted'"
  failures=$((failures + 1))
}

# code FILE: the program without the comment at its top.
code() {
  sed '0,/\*\//d' "$1"
}

# shown: the first program that the README shows whole.
shown() {
  awk '/^```c$/ { block = ""; inside = 1; next }
    /^```$/ && inside { inside = 0; if (block ~ /int main/ && ++seen == 1) printf "%s", block; next }
    inside { block = block $0 "\n" }' "$readme"
}

expect "first row from rank 0, last row from rank 0" "$first"
if [ -n "$mpjrun" ]; then
  expect "first row from rank 0, last row from rank 0" "$mpjrun" -n 1 "$first"
  expect "first row from rank 0, last row from rank 3" "$mpjrun" -n 4 "$first"
  expect "first row from rank 0, last row from rank 6" "$mpjrun" -n 7 "$first"
fi
diff <(code "$first_c") <(shown) || { echo "FAILED: README shows another first.c"; failures=$((failures + 1)); }
exit $((failures > 0))
