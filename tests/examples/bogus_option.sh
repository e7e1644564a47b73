#!/usr/bin/env bash
# bogus_option.sh PROGRAM...: what a program does with an option that it does not have. It ends
# with status 2, says why on its standard error, and writes nothing else.
failures=0
for program in "$@"; do
  said=$("$program" --bogus 2>&1 >/dev/null)
  status=$?
  written=$("$program" --bogus 2>/dev/null)
  [ $status = 2 ] && [ -n "$said" ] && [ -z "$written" ] && continue
  echo "$program --bogus: exit status $status, said '$said', wrote '$written'"
  failures=1
done
exit $failures
