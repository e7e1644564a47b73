#!/usr/bin/env bash
# Runs of the whole example: run_matrix_gather.sh CASE MATRIX_GATHER MAKE_MATRIX [MPJRUN].
# Exit status 0 if every run of the case did as it should.
set -u
case_name=$1 gather=$2 make=$3 mpjrun=${4-}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# sample SHAPE DTYPE ORDER: prints the name of such a file, and makes it and the
# result of one rank beside it if they are not there.
sample() {
  local file=$folder/$1-$2-$3.npy
  if [ ! -e "$file" ]; then
    "$make" --shape "$1" --dtype "$2" --order "$3" "$file" &&
      "$gather" --threads 1 "$file" "$file.expected" || return 1
  fi
  echo "$file"
}

# ranks KIND P: the words that start matrix_gather on P ranks.
ranks() {
  case $1 in
    threads) echo "$gather --threads $2" ;;
    processes) echo "$mpjrun -n $2 --timeout 60 $gather" ;;
    alone) echo "$gather" ;;
  esac
}

# run_equal KIND P FILE option...: the check passes and the result is one rank's.
run_equal() {
  local kind=$1 p=$2 file=$3 out=$folder/out.npy elements said start what
  shift 3
  what="$kind p=$p $* $(basename "$file")"
  elements=$(basename "$file")
  elements=${elements%%-*}
  elements=$((${elements/x/*}))
  rm -f "$out"
  read -r -a start <<<"$(ranks "$kind" "$p")"
  said=$("${start[@]}" --check "$@" "$file" "$out" 2>&1) || fail "$what: exit status $?: $said"
  [[ $said == *"check: $elements of $elements elements equal"* ]] || fail "$what: said '$said'"
  cmp "$out" "$file.expected" || fail "$what: not the result of one rank"
}

# usage_error TEXT command...: as run_error, with status 2.
usage_error() {
  local wrong=2
  run_error "$@"
}

# run_error TEXT command...: it ends with status 1, says TEXT, and writes nothing.
run_error() {
  local text=$1 said status
  shift
  said=$("$@" 2>&1)
  status=$?
  [ $status = "${wrong:-1}" ] || fail "$*: exit status $status: $said"
  [[ $said == *"$text"* ]] || fail "$*: said '$said' and not '$text'"
  [ ! -e "$folder/out.npy" ] || fail "$*: wrote a file"
  compgen -G "$folder/*.tmp" >/dev/null && fail "$*: left a temporary file"
}

# every_form KIND P: all types, both orders, block and cyclic, on a matrix that no
# grid divides.
every_form() {
  local type order file
  for type in f4 f8 i4 i8 u1 c8 c16; do
    for order in C F; do
      file=$(sample 101x67 $type $order) || exit 1
      run_equal "$1" "$2" "$file" --dist block
      run_equal "$1" "$2" "$file" --dist cyclic:5
    done
  done
}

# every_size KIND P: the shapes that a grid of P can meet.
every_size() {
  local file
  for shape in 1x1 1x97 3x2 64x64 1000x777; do
    for order in C F; do
      file=$(sample $shape f8 $order) || exit 1
      run_equal "$1" "$2" "$file" --dist block
      run_equal "$1" "$2" "$file" --dist cyclic:1 --grid "1x$2"
      run_equal "$1" "$2" "$file" --dist cyclic:40 --grid "$2x1"
    done
  done
}

# no_elements KIND P: matrices without rows, columns or both come out as they went in.
no_elements() {
  local shape order file
  for shape in 0x67 101x0 0x0; do
    for order in C F; do
      for type in f8 c16; do
        file=$(sample $shape $type $order) || exit 1
        run_equal "$1" "$2" "$file" --dist block --times
        run_equal "$1" "$2" "$file" --dist cyclic:5 --grid "$2x1" --repeat 2
        cmp "$file" "$file.expected" || fail "$shape: not as it was"
      done
    done
  done
}

# errors KIND P
errors() {
  local good bad=$folder/bad.npy out=$folder/out.npy start
  read -r -a start <<<"$(ranks "$1" "$2")"
  good=$(sample 101x67 f8 C) || exit 1
  run_error "$folder/none.npy: file: No such file or directory" "${start[@]}" "$folder/none.npy" "$out"
  head -c 1000 "$good" >"$bad"
  run_error "$bad: data: 54136 bytes expected, 872 present" "${start[@]}" "$bad" "$out"
  { cat "$good" && echo; } >"$bad"
  run_error "$bad: data: 54136 bytes expected, 54137 present" "${start[@]}" "$bad" "$out"
  echo "no matrix at all" >"$bad"
  run_error "$bad: magic: " "${start[@]}" "$bad" "$out"
  sed 's/<f8/<g8/' "$good" >"$bad"
  run_error "$bad: descr: '<g8' is none of f4 f8 i4 i8 u1 c8 c16" "${start[@]}" "$bad" "$out"
  run_error "$folder/none/out.npy: file: No such file" "${start[@]}" "$good" "$folder/none/out.npy"
  run_error "/dev/null: file: Invalid argument" "${start[@]}" "$good" /dev/null
  run_error "--grid 3x5 has 15 places for $2 ranks" "${start[@]}" --grid 3x5 "$good" "$out"
  usage_error "--grid 3: not of the form PxQ" "${start[@]}" --grid 3 "$good" "$out"
  run_error "--grid 2147483647x2147483647 has" "${start[@]}" --grid 2147483647x2147483647 "$good" "$out"
  usage_error "--dist cyclic:0: neither block nor cyclic:K" "${start[@]}" --dist cyclic:0 "$good" "$out"
  usage_error "--dist cycle: neither block nor cyclic:K" "${start[@]}" --dist cycle "$good" "$out"
  usage_error "--repeat 0: not a number from 1 to 1000" "${start[@]}" --repeat 0 "$good" "$out"
  usage_error "--speed: no such option" "${start[@]}" --speed "$good" "$out"
  usage_error "--grid: needs a value" "${start[@]}" "$good" "$out" --grid
  usage_error "1 files given" "${start[@]}" "$good"
  usage_error "3 files given" "${start[@]}" "$good" "$out" "$out"
}

# A write that the system refuses in the middle.
full_disk() {
  local good
  good=$(sample 1000x777 f8 C) || exit 1
  run_error "$folder/out.npy: file: writing: File too large" \
    bash -c "ulimit -f 100; '$gather' --threads 4 '$good' '$folder/out.npy'"
}

# A rank that is killed while the matrix travels: the others end, and there is no file.
killed() {
  local good said status
  good=$(sample 1000x777 f8 C) || exit 1
  # The words in single quotes are for the inner shell.
  # shellcheck disable=SC2016
  said=$("$mpjrun" -n 4 --timeout 60 bash -c '
      if [ "$MPJ_RANK" = 3 ]; then (sleep 0.5 && kill -9 $$) & fi
      exec "$@"' - "$gather" --repeat 1000 "$good" "$folder/out.npy" 2>&1)
  status=$?
  [ $status = 137 ] || fail "killed: not the exit status of a killed rank: $said"
  [[ $said == *"rank 3 "*"killed by signal 9"* ]] || fail "killed: said '$said'"
  [ ! -e "$folder/out.npy" ] || fail "killed: wrote a file"
}

# picture KIND P
picture() {
  local file
  file=$(sample 101x67 f8 C) || exit 1
  run_equal "$1" "$2" "$file" --picture "$folder/p.png"
  file=$(sample 0x67 f8 C) || exit 1
  run_equal "$1" "$2" "$file" --picture "$folder/q.png"
  file=$(sample 101x67 c8 F) || exit 1
  run_equal "$1" "$2" "$file" --picture "$folder/p.png"
  [ "$(head -c 8 "$folder/p.png" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] ||
    fail "the picture is no PNG"
}

# times KIND P: the table has its heading and three lines of positive numbers.
times() {
  local start table file
  file=$(sample 1000x777 f8 C) || exit 1
  read -r -a start <<<"$(ranks "$1" "$2")"
  table=$("${start[@]}" --times --repeat 3 "$file" "$folder/out.npy") || fail "times: status $?"
  [ "$(awk 'NR > 1 && $2 > 0 && $3 > 0 {print $1}' <<<"$table" | xargs)" = "scatter compute gather" ] ||
    fail "times: $table"
}

# every_count: on 1 to 17 and 64 threads.
every_count() {
  local small large p
  small=$(sample 101x67 f8 C) || exit 1
  large=$(sample 1000x777 i4 F) || exit 1
  for p in {1..17} 64; do
    run_equal threads "$p" "$small" --dist cyclic:3
    run_equal threads "$p" "$large" --repeat 2
  done
}

# alone: neither threads nor mpjrun.
alone() {
  local file
  file=$(sample 101x67 f8 C) || exit 1
  run_equal alone 1 "$file"
}

kind=${case_name%%_*}
case $case_name in
  usage) "$gather" --help | grep -q '^usage: matrix_gather' || fail "no usage" ;;
  alone) alone ;;
  threads_every_count) every_count ;;
  threads_every_form) for p in 1 4 6; do every_form threads "$p"; done ;;
  threads_every_size) for p in 5 16 64; do every_size threads "$p"; done ;;
  processes_every_form) for p in 1 4 16; do every_form processes "$p"; done ;;
  processes_every_size) for p in 4 16; do every_size processes "$p"; done ;;
  *_no_elements) for p in 1 4 6; do no_elements "$kind" "$p"; done ;;
  threads_full_disk) full_disk ;;
  processes_killed) killed ;;
  *_errors) errors "$kind" 4 ;;
  *_times) times "$kind" 4 ;;
  *_picture) picture "$kind" 6 ;;
  *) fail "unknown case $case_name" ;;
esac
[ $failures = 0 ]
