# The tests of mpj-bench: its parts by themselves, and MPJ's workers end to end.
# An installed MPI is not run here.
if(TARGET mpj-bench)
  function(bench_test name)
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/bench/)
    mpj_add_test(bench_${name} LAYER base SOURCES bench/test_${name}.c ${ARGN})
    target_include_directories(bench_${name} PRIVATE ${PROJECT_SOURCE_DIR}/bench)
    target_compile_definitions(bench_${name} PRIVATE BENCH_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}/bench")
  endfunction()

  bench_test(list bench_list.c)
  bench_test(results driver/results.c)
  target_link_libraries(bench_results PRIVATE m)
  bench_test(options driver/options.c driver/peers.c driver/launch.c coll_options.c bench_list.c)
  bench_test(launch driver/launch.c)
  bench_test(case coll_case.c coll_data.c)
  bench_test(pack_command driver/pack_command.c driver/peers.c driver/launch.c pack_options.c bench_list.c)
  bench_test(pack_results driver/pack_results.c driver/results.c)
  target_link_libraries(bench_pack_results PRIVATE m)
  bench_test(array_cases array/array_cases.c)
  bench_test(pack_index pack/index.c)
  bench_test(pack_measure pack/measure.c)

  foreach(transport threads shm)
    add_test(NAME bench_coll_${transport} COMMAND mpj-bench coll --transports ${transport}
      --peers none --p 1,3,4 --sizes 8,65536 --orders 48 --seconds 0.0005 --rounds 1 --timeout 250)
    set_tests_properties(bench_coll_${transport} PROPERTIES TIMEOUT 300)
  endforeach()

  # A peer that is named and missing.
  add_test(NAME bench_coll_missing_peer COMMAND sh -c
    "said=$(\"$@\" 2>&1); code=$?; echo \"$said\"; test $code = 1 && echo \"$said\" | grep -q 'warning: .*/nowhere'"
    - $<TARGET_FILE:mpj-bench> coll --transports threads --p 2 --ops barrier --seconds 0.0005 --rounds 1 --peers mpj:/nowhere)
  set_tests_properties(bench_coll_missing_peer PROPERTIES TIMEOUT 60)

  # An MPI in a folder: the distribution's, as one.
  foreach(mpi mpich openmpi)
    find_program(MPIEXEC_${mpi} mpiexec.${mpi})
    find_program(MPICC_${mpi} mpicc.${mpi})
    string(REPLACE openmpi ompi word ${mpi})
    if(MPIEXEC_${mpi} AND MPICC_${mpi} AND NOT MPJ_SANITIZE)
      set(prefix ${CMAKE_CURRENT_BINARY_DIR}/${mpi}_by_path)
      file(MAKE_DIRECTORY ${prefix}/bin)
      file(WRITE ${prefix}/bin/mpiexec "#!/bin/sh\nexec ${MPIEXEC_${mpi}} \"$@\"\n")
      file(WRITE ${prefix}/bin/mpicc "#!/bin/sh\nexec ${MPICC_${mpi}} \"$@\"\n")
      file(CHMOD ${prefix}/bin/mpiexec ${prefix}/bin/mpicc FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
      add_test(NAME bench_coll_${word}_by_path COMMAND mpj-bench coll --transports shm --p 2 --ops bcast
        --sizes 64 --timings separate --seconds 0.0005 --rounds 1 --peers ${word}:${prefix})
      set_tests_properties(bench_coll_${word}_by_path PROPERTIES LABELS mpi TIMEOUT 120
        PASS_REGULAR_EXPRESSION "over 1 rows")
    endif()
  endforeach()

  # All constructors of the types benchmark.
  add_test(NAME bench_types_growth COMMAND mpj-bench types --growth 1000)
  set_tests_properties(bench_types_growth PROPERTIES TIMEOUT 120)
  add_test(NAME bench_am COMMAND mpj-bench am --rounds 1 --seconds 0.0001
    short rings eager long layout pairs memory)
  set_tests_properties(bench_am PROPERTIES TIMEOUT 300)
  if(TARGET mpj-sim)
    foreach(transport shm threads)
      add_test(NAME bench_machine_${transport} COMMAND ${CMAKE_CURRENT_LIST_DIR}/machine.sh
        $<TARGET_FILE:mpj-bench> $<TARGET_FILE:mpj-sim> ${transport})
      set_tests_properties(bench_machine_${transport} PROPERTIES TIMEOUT 300)
    endforeach()
    add_test(NAME bench_measured COMMAND mpj-sim --measured=threads --ranks 2 --op bcast)
    set_tests_properties(bench_measured PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "measured_threads")
  endif()
  add_test(NAME bench_array COMMAND mpj-bench array --peers copies --p 2 --rounds 1 remap256 halo1)
  set_tests_properties(bench_array PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION "halo1 +2 +copies"
    FAIL_REGULAR_EXPRESSION "other bits")
  # bench_refuses(NAME SENTENCE arg...): exit status 2, and the sentence says why.
  function(bench_refuses name sentence)
    add_test(NAME bench_${name} COMMAND sh -c
      "said=$(\"$@\" 2>&1); code=$?; echo \"$said\"; test $code = 2 && echo \"$said\" | grep -qF -e '${sentence}'"
      - $<TARGET_FILE:mpj-bench> ${ARGN})
  endfunction()
  bench_refuses(array_usage "makes no sense here" array remap)
  bench_refuses(am_transport "--transport" am --machine /dev/null --transport pigeon)
  bench_refuses(am_usage "--rounds takes a number from 1 to 100" am --rounds 0)
  # MPI programs with the interposer and without; no sanitizer's library could come first in them.
  foreach(mpi mpich openmpi)
    find_program(MPIEXEC_${mpi} mpiexec.${mpi})
    if(TARGET mpj-interpose-${mpi} AND MPIEXEC_${mpi} AND NOT MPJ_SANITIZE)
      add_test(NAME bench_interop_${mpi} COMMAND mpj-bench interop types overhead coll
        --peers ${mpi} --p 2 --ops barrier,bcast,allreduce,redistribute --sizes 8 --orders 48
        --seconds 0.0005 --rounds 1)
      set_tests_properties(bench_interop_${mpi} PROPERTIES LABELS mpi TIMEOUT 300
        PASS_REGULAR_EXPRESSION "all: geometric mean [^\n]* over 4 rows")
    endif()
  endforeach()
  bench_refuses(interop_usage "--mpjrun" interop coll --mpjrun mpjrun)
  # Rules that have been written are read.
  set(tuned ${CMAKE_CURRENT_BINARY_DIR}/tuned.json)
  add_test(NAME bench_tune COMMAND mpj-bench tune --ops bcast,gather --p 2,3 --sizes 8,16384
    --seconds 0.002 --rounds 1 --out ${tuned})
  set_tests_properties(bench_tune PROPERTIES TIMEOUT 120 FIXTURES_SETUP tuned)
  add_test(NAME bench_tune_read COMMAND mpj-info --coll)
  set_tests_properties(bench_tune_read PROPERTIES FIXTURES_REQUIRED tuned
    ENVIRONMENT MPJ_COLL_FILE=${tuned} PASS_REGULAR_EXPRESSION
    "bcast +64 [^\n]*rule of MPJ_COLL_FILE: from 3 ranks"
    FAIL_REGULAR_EXPRESSION "cannot be read;rule 0")

  # A machine's file that has been written is read; and one by which what was slower through pieces goes
  # through them.
  set(machine ${CMAKE_CURRENT_BINARY_DIR}/machine.json)
  add_test(NAME bench_tune_machine COMMAND sh -c "$1 tune --machine --seconds 0.001 --out $2 --rules $3 && grep -q '^{\"ready\"' $2 && sed 's/straight_us/other_us/;s/stream_us/straight_us/;s/other_us/stream_us/' $2 > $2.pieces"
    - $<TARGET_FILE:mpj-bench> ${machine} ${CMAKE_CURRENT_LIST_DIR}/rules.json)
  set_tests_properties(bench_tune_machine PROPERTIES TIMEOUT 120 FIXTURES_SETUP machine
    ENVIRONMENT MPJ_SPIN=0)
  add_test(NAME bench_tune_machine_read COMMAND mpj-info)
  set_tests_properties(bench_tune_machine_read PROPERTIES FIXTURES_REQUIRED machine
    ENVIRONMENT MPJ_MACHINE_FILE=${machine} PASS_REGULAR_EXPRESSION "file +[^ ]*machine.json, of [^\n]* 0 days old")
  foreach(ranks 2 5)
    add_test(NAME bench_tune_machine_used_${ranks} COMMAND mpjrun --timeout 100 -n ${ranks}
      $<TARGET_FILE:coll_plays> --every-root 3)
    set_tests_properties(bench_tune_machine_used_${ranks} PROPERTIES TIMEOUT 120
      FIXTURES_REQUIRED machine ENVIRONMENT "MPJ_MACHINE_FILE=${machine}.pieces;MPJ_EAGER_BYTES=64")
  endforeach()
  # Rules in it are run, by all ranks, and by those whose node has another file, by rank 0's.
  add_test(NAME bench_tune_machine_rules COMMAND sh -c
    "MPJ_MACHINE_FILE=$1 $2 -n 4 $3 && MPJ_MACHINE_FILE=$1 $4 --why bcast --p 4"
    - ${machine} $<TARGET_FILE:mpjrun> $<TARGET_FILE:coll_choosers> $<TARGET_FILE:mpj-info>)
  set_tests_properties(bench_tune_machine_rules PROPERTIES FIXTURES_REQUIRED machine
    PASS_REGULAR_EXPRESSION "runs chain: rule of the machine's file")
  bench_refuses(tune_machine_usage "takes --out FILE" tune --machine --p 2)
  # Before it measures.
  bench_refuses(tune_machine_nowhere "cannot write /proc/none/x.json" tune --machine --seconds 0.001
    --out /proc/none/x.json)
  add_test(NAME machine_file_refused COMMAND mpjrun -n 2 true)
  set_tests_properties(machine_file_refused PROPERTIES ENVIRONMENT MPJ_MACHINE_FILE=/etc/passwd
    PASS_REGULAR_EXPRESSION "the machine's file /etc/passwd is not used: line 1")

  # Each worker compares its engine's bytes with those of the loops by hand.
  add_test(NAME bench_pack COMMAND mpj-bench pack --peers none --sizes S,M
    --rows pack,unpack,forward,backward,random,copy,small,sum --seconds 0.000001 --rounds 1)
  set_tests_properties(bench_pack PROPERTIES TIMEOUT 120)
endif()
