# The tests of the exchanges (Allgather, Alltoall) and the reductions, on threads
# or as the processes of a job.
function(coll_crew name)
  add_executable(${name} coll/runner.c coll/places.c ${ARGN})
  target_link_libraries(${name} PRIVATE mpj_test_types mpj_internal)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
endfunction()
coll_crew(coll_exchanges coll/exchange_plays.c coll/exchange_play.c coll/exchange_layouts.c coll/layouts.c coll/buffer.c)
coll_crew(coll_reductions coll/reduction_plays.c coll/reduction_play.c coll/reduction_model.c coll/reduction_copies.c
  coll/reduction_ops.c coll/exchange_layouts.c coll/layouts.c coll/buffer.c pack/scalar_ops.c)
coll_crew(coll_algorithms coll/algorithm_plays.c coll/play.c coll/board.c coll/exchange_play.c
  coll/reduction_play.c coll/reduction_model.c coll/reduction_copies.c coll/reduction_ops.c
  coll/exchange_layouts.c coll/layouts.c coll/buffer.c pack/scalar_ops.c)
coll_crew(coll_misuse coll/misuse.c coll/exchange_misuse.c coll/reduction_misuse.c
  coll/reduction_differences.c coll/reduction_ops.c coll/layouts.c)

# coll_crew_run(NAME [LABELS l] [ENVIRONMENT v...] COMMAND ...): must exit with 0.
function(coll_crew_run name)
  cmake_parse_arguments(R "" "" "LABELS;ENVIRONMENT;COMMAND" ${ARGN})
  add_test(NAME coll_${name} COMMAND ${R_COMMAND})
  set(timeout 120)
  if(MPJ_SANITIZE) # instrumented code is slower
    set(timeout 400)
  endif()
  set_tests_properties(coll_${name} PROPERTIES TIMEOUT ${timeout} LABELS "${R_LABELS}"
    ENVIRONMENT "MPJ_STALL_REPORT_S=20;${R_ENVIRONMENT}")
endfunction()

set(crews 1-17)
set(all_algorithms 1-9,16)
if(MPJ_SANITIZE) # one crew of each kind, and few ranks, in the time there is
  set(crews 1-5,9)
  set(all_algorithms 2,3,5)
endif()
if(MPJ_SANITIZE STREQUAL thread)
  set(all_algorithms 2,3)
endif()
# Every algorithm on random types; and where nodes are pretended.
coll_crew_run(every_algorithm_threads LABELS threads
  COMMAND coll_algorithms --ranks ${all_algorithms} --plays 1 all)
coll_crew_run(every_algorithm_threads_two_nodes LABELS threads ENVIRONMENT MPJ_COLL_NODES=2
  COMMAND coll_algorithms --ranks ${all_algorithms} --plays 1 --seed 2 all)
mpj_add_soak(coll_every_algorithm_threads COMMAND coll_algorithms --ranks 1-9,16 --plays 100
  --seed 3 all)
mpj_add_soak(coll_every_algorithm_threads_two_nodes COMMAND ${CMAKE_COMMAND} -E env
  MPJ_COLL_NODES=2 $<TARGET_FILE:coll_algorithms> --ranks 1-9,16 --plays 100 --seed 4 all)
set(few_tokens MPJ_EAGER_BYTES=64 MPJ_EAGER_TOKENS=1)
# What the rules choose may set parentheses anywhere; flat and segments combine from the
# highest rank down, to the bit.
set(strictly MPJ_COLL_SCAN=flat MPJ_COLL_EXSCAN=flat MPJ_COLL_REDUCE_SCATTER=flat)
foreach(kind exchanges reductions)
  coll_crew_run(${kind}_threads LABELS threads
    COMMAND coll_${kind} --ranks ${crews} --plays 14 exact)
  coll_crew_run(${kind}_threads_64 LABELS threads COMMAND coll_${kind} --ranks 32,64 --plays 5 exact)
  coll_crew_run(${kind}_threads_past LABELS threads ENVIRONMENT MPJ_PIECES=past
    COMMAND coll_${kind} --ranks 2,5 --plays 10 exact)
  coll_crew_run(${kind}_threads_few_tokens LABELS threads ENVIRONMENT ${few_tokens}
    COMMAND coll_${kind} --ranks 2,5,9 --plays 14 --seed 2 exact)
  mpj_add_soak(coll_${kind}_threads COMMAND coll_${kind} --ranks 1-17 --plays 2000 --seed 3 exact)
  mpj_add_soak(coll_${kind}_threads_64 COMMAND coll_${kind} --ranks 64 --plays 200 --seed 4 exact)
endforeach()
foreach(algorithm flat segments)
  coll_crew_run(reductions_threads_${algorithm} LABELS threads
    ENVIRONMENT MPJ_COLL_REDUCE=${algorithm} MPJ_COLL_ALLREDUCE=${algorithm} ${strictly}
    COMMAND coll_reductions --ranks 2-5,9,17 --plays 28 --seed 5 each)
endforeach()
mpj_add_test(coll_test_reductions SOURCES coll/test_reductions.c LABELS threads)
mpj_add_test(coll_in_place SOURCES coll/test_in_place.c LABELS threads)
mpj_add_test(coll_op_table SOURCES coll/test_op_table.c)
mpj_add_test(coll_op_local SOURCES coll/test_op_local.c pack/scalar_ops.c LIBS mpj_test_types)
mpj_add_test(coll_null_base SOURCES coll/test_null_base.c LIBS mpj_test_types)
if(FFI_FOUND)
  mpj_add_test(coll_op_lift SOURCES coll/test_op_lift.c)
endif()
foreach(ranks 2 3 4 7)
  coll_crew_run(misuse_threads_${ranks} LABELS threads COMMAND coll_misuse --ranks ${ranks})
endforeach()

if(NOT TARGET mpjrun)
  return()
endif()

# coll_crew_processes(NAME RANKS n... ENVIRONMENT v... PROGRAM ...)
function(coll_crew_processes name)
  cmake_parse_arguments(P "" "" "RANKS;ENVIRONMENT;PROGRAM" ${ARGN})
  list(POP_FRONT P_PROGRAM program)
  foreach(ranks ${P_RANKS})
    coll_crew_run(${name}_processes_${ranks} ENVIRONMENT ${P_ENVIRONMENT}
      COMMAND $<TARGET_FILE:mpjrun> --timeout 100 -n ${ranks} $<TARGET_FILE:${program}> ${P_PROGRAM})
  endforeach()
endfunction()

foreach(kind exchanges reductions)
  coll_crew_processes(${kind} RANKS 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
    PROGRAM coll_${kind} --plays 14 exact)
  coll_crew_processes(${kind}_streamed RANKS 2 5 ENVIRONMENT MPJ_SINGLE_COPY=off
    PROGRAM coll_${kind} --plays 42 --seed 2 exact)
  coll_crew_processes(${kind}_few_tokens RANKS 3 9 ENVIRONMENT ${few_tokens}
    PROGRAM coll_${kind} --plays 28 --seed 3 exact)
endforeach()
foreach(algorithm flat segments)
  coll_crew_processes(reductions_${algorithm} RANKS 2 5 9
    ENVIRONMENT MPJ_COLL_REDUCE=${algorithm} MPJ_COLL_ALLREDUCE=${algorithm} ${strictly}
    PROGRAM coll_reductions --plays 28 --seed 5 each)
endforeach()
# Of nodes only some algorithms know, so most numbers of ranks have one of both.
coll_crew_processes(every_algorithm RANKS 1 2 3 5 6 9 16 PROGRAM coll_algorithms --plays 1 --seed 5)
foreach(ranks 1 2 3 4 5 6 7 8 9 16)
  math(EXPR odd "${ranks} % 2")
  set(order block)
  if(odd)
    set(order cyclic)
  endif()
  if(ranks MATCHES "^[4578]$")
    coll_crew_processes(every_algorithm_two_nodes RANKS ${ranks}
      ENVIRONMENT MPJ_COLL_NODES=2 MPJ_COLL_NODES_ORDER=${order}
      PROGRAM coll_algorithms --plays 1 --seed 6)
  endif()
  mpj_add_soak(coll_every_algorithm_processes_${ranks} COMMAND $<TARGET_FILE:mpjrun> -n ${ranks}
    $<TARGET_FILE:coll_algorithms> --plays 60 --seed 7)
  mpj_add_soak(coll_every_algorithm_processes_two_nodes_${ranks} COMMAND ${CMAKE_COMMAND} -E env
    MPJ_COLL_NODES=2 MPJ_COLL_NODES_ORDER=${order} $<TARGET_FILE:mpjrun> -n ${ranks}
    $<TARGET_FILE:coll_algorithms> --plays 60 --seed 8)
endforeach()
coll_crew_processes(misuse RANKS 2 3 5 PROGRAM coll_misuse)

# A rank goes.
add_executable(coll_reduction_deaths coll/reduction_deaths.c coll/board.c)
target_link_libraries(coll_reduction_deaths PRIVATE mpj_internal)
target_include_directories(coll_reduction_deaths PRIVATE ${PROJECT_SOURCE_DIR}/tests)
mpj_add_test(coll_reduction_deaths_processes SOURCES coll/test_reduction_deaths.c tools/launch.c
  ${PROJECT_SOURCE_DIR}/tools/mpjrun/proc.c TIMEOUT 300)
target_include_directories(coll_reduction_deaths_processes PRIVATE ${PROJECT_SOURCE_DIR}/tools)
target_compile_definitions(coll_reduction_deaths_processes PRIVATE
  MPJRUN="$<TARGET_FILE:mpjrun>" DEATHS="$<TARGET_FILE:coll_reduction_deaths>")
add_dependencies(coll_reduction_deaths_processes mpjrun coll_reduction_deaths)
coll_crew_run(reduction_deaths_threads LABELS threads
  COMMAND coll_reduction_deaths_processes threads)
