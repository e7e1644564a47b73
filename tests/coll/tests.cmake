# The tests of the coll layer. Three programs do the work, on threads or as the
# processes of a job: coll_plays plays random collectives, coll_wrong does what
# one should not, coll_deaths lets a rank go.

# A program of ranks: coll_program(NAME sources...).
function(coll_program name)
  add_executable(${name} ${ARGN} coll/board.c)
  target_link_libraries(${name} PRIVATE mpj_test_types mpj_internal)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/engine_tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/reduction_tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/request_tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/comm_tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/algorithm_tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/check_tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/wide_tests.cmake)

coll_program(coll_plays coll/plays.c coll/play.c coll/places.c coll/buffer.c coll/layouts.c)
coll_program(coll_wrong coll/wrong.c coll/argument_cases.c coll/signature_cases.c
  coll/order_cases.c)
coll_program(coll_deaths coll/deaths.c)
coll_program(coll_kills coll/kills.c)

# Ranks that wait for long say where they are before the test's time is over.
set(coll_environment MPJ_STALL_REPORT_S=20)

# coll_run(NAME [TIMEOUT s] [LABELS l] [ENVIRONMENT v...] COMMAND ...): a run that
# must exit with 0.
function(coll_run name)
  cmake_parse_arguments(R "" "TIMEOUT" "LABELS;ENVIRONMENT;COMMAND" ${ARGN})
  if(NOT R_TIMEOUT)
    set(R_TIMEOUT 120)
  endif()
  add_test(NAME coll_${name} COMMAND ${R_COMMAND})
  set_tests_properties(coll_${name} PROPERTIES TIMEOUT ${R_TIMEOUT} LABELS "${R_LABELS}"
    ENVIRONMENT "${coll_environment};${R_ENVIRONMENT}")
endfunction()

# coll_threads(NAME [LABELS l] [ENVIRONMENT v...] PLAYS ...): plays on threads.
# Those with the label "threads" also run under the thread sanitizer, which makes
# them twenty times slower: they are the short ones.
function(coll_threads name)
  cmake_parse_arguments(P "" "" "LABELS;ENVIRONMENT;PLAYS" ${ARGN})
  coll_run(threads_${name} LABELS ${P_LABELS} ENVIRONMENT ${P_ENVIRONMENT}
    COMMAND coll_plays ${P_PLAYS})
endfunction()

coll_threads(every_root LABELS threads PLAYS --ranks 1-9 --every-root 1)
coll_threads(every_root_again PLAYS --ranks 1-9 --every-root 4 --seed 2)
coll_threads(more_ranks LABELS threads PLAYS --ranks 10-17 --mixed 24)
coll_threads(more_ranks_again PLAYS --ranks 10-17 --every-root 1)
coll_threads(64 LABELS threads PLAYS --ranks 64 --mixed 12 --delays)
coll_threads(64_again PLAYS --ranks 64 --mixed 100 --delays --seed 2)
coll_threads(delays LABELS threads PLAYS --ranks 2-4,9,17 --mixed 60 --delays)
coll_threads(delays_again PLAYS --ranks 2-9,17 --mixed 300 --delays --seed 2)
set(few_tokens MPJ_EAGER_BYTES=64 MPJ_EAGER_TOKENS=1)
coll_threads(few_tokens LABELS threads ENVIRONMENT ${few_tokens} PLAYS --ranks 1-9 --mixed 24)
coll_threads(few_tokens_again ENVIRONMENT ${few_tokens}
  PLAYS --ranks 1-17 --every-root 1 --mixed 60 --seed 2)
foreach(barrier dissemination flat)
  set(forced MPJ_COLL_BARRIER=${barrier})
  coll_threads(barrier_${barrier} LABELS threads ENVIRONMENT ${forced}
    PLAYS --ranks 1-9,17 --mixed 24 --delays)
  coll_threads(barrier_${barrier}_again ENVIRONMENT ${forced}
    PLAYS --ranks 1-17,64 --mixed 60 --delays --seed 2)
endforeach()
foreach(bcast flat binomial)
  set(forced MPJ_COLL_BCAST=${bcast})
  coll_threads(bcast_${bcast} LABELS threads ENVIRONMENT ${forced}
    PLAYS --ranks 1-9,17 --mixed 24 --delays)
  coll_threads(bcast_${bcast}_again ENVIRONMENT ${forced}
    PLAYS --ranks 1-17,64 --mixed 60 --seed 2)
endforeach()

coll_run(threads_wrong_4 LABELS threads COMMAND coll_wrong --ranks 4)
foreach(ranks 2 3 7 17)
  coll_run(threads_wrong_${ranks} COMMAND coll_wrong --ranks ${ranks})
endforeach()
coll_run(threads_wrong_forced
  ENVIRONMENT MPJ_COLL_BCAST=binomial MPJ_COLL_BARRIER=dissemination COMMAND coll_wrong --ranks 6)

mpj_add_test(coll_run_threads SOURCES coll/test_run_threads.c LABELS threads)
target_link_options(coll_run_threads PRIVATE -Wl,--wrap=pthread_create) # of which one is to fail
set_tests_properties(coll_run_threads PROPERTIES
  ENVIRONMENT "${coll_environment};CK_DEFAULT_TIMEOUT=60")

mpj_add_test(coll_handles SOURCES coll/test_handles.c)
mpj_add_test(coll_told SOURCES coll/test_told.c)

mpj_add_soak(coll_threads_delays COMMAND coll_plays --ranks 2-9,17 --mixed 10000 --delays)
mpj_add_soak(coll_threads_64 COMMAND coll_plays --ranks 64 --mixed 10000 --delays)
mpj_add_soak(coll_threads_every_root COMMAND coll_plays --ranks 1-17,64 --every-root 60 --seed 2)

if(NOT TARGET mpjrun)
  return()
endif()

# coll_processes(NAME RANKS n... ENVIRONMENT v... PLAYS ...): plays as processes.
set(mpjrun_command $<TARGET_FILE:mpjrun> --timeout 100)
function(coll_processes name)
  cmake_parse_arguments(P "" "" "RANKS;ENVIRONMENT;PLAYS" ${ARGN})
  foreach(ranks ${P_RANKS})
    coll_run(processes_${name}_${ranks} ENVIRONMENT ${P_ENVIRONMENT}
      COMMAND ${mpjrun_command} -n ${ranks} $<TARGET_FILE:coll_plays> ${P_PLAYS})
  endforeach()
endfunction()

coll_processes(every_root RANKS 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 PLAYS --every-root 4)
coll_processes(delays RANKS 2 3 4 8 17 PLAYS --mixed 300 --delays)
coll_processes(streamed RANKS 2 5 9 ENVIRONMENT MPJ_SINGLE_COPY=off PLAYS --every-root 6)
coll_processes(few_tokens RANKS 2 5 17 ENVIRONMENT MPJ_EAGER_BYTES=64 MPJ_EAGER_TOKENS=1
  PLAYS --every-root 3 --mixed 60)
coll_processes(few_tokens_streamed RANKS 3 9
  ENVIRONMENT MPJ_EAGER_BYTES=64 MPJ_EAGER_TOKENS=1 MPJ_SINGLE_COPY=off PLAYS --every-root 3)
foreach(barrier dissemination flat)
  coll_processes(barrier_${barrier} RANKS 2 3 5 8 17 ENVIRONMENT MPJ_COLL_BARRIER=${barrier}
    PLAYS --mixed 100 --delays)
endforeach()
foreach(bcast flat binomial)
  coll_processes(bcast_${bcast} RANKS 2 3 5 8 17 ENVIRONMENT MPJ_COLL_BCAST=${bcast}
    PLAYS --every-root 2 --mixed 50)
endforeach()
foreach(ranks 2 3 4 9)
  coll_run(processes_wrong_${ranks}
    COMMAND ${mpjrun_command} -n ${ranks} $<TARGET_FILE:coll_wrong>)
endforeach()

# coll_launch_test(NAME SOURCE [args]): a Check program that starts jobs.
function(coll_launch_test name source)
  mpj_add_test(coll_${name} SOURCES coll/${source} tools/launch.c
    ${PROJECT_SOURCE_DIR}/tools/mpjrun/proc.c ARGS ${ARGN} TIMEOUT 300)
  target_include_directories(coll_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
  target_compile_definitions(coll_${name} PRIVATE MPJRUN="$<TARGET_FILE:mpjrun>"
    WRONG="$<TARGET_FILE:coll_wrong>" DEATHS="$<TARGET_FILE:coll_deaths>"
    KILLS="$<TARGET_FILE:coll_kills>")
  add_dependencies(coll_${name} mpjrun coll_wrong coll_deaths coll_kills)
  set_tests_properties(coll_${name} PROPERTIES ENVIRONMENT "${coll_environment}")
endfunction()
coll_launch_test(life test_life.c)
coll_launch_test(order test_order.c)
coll_launch_test(processes_deaths test_deaths.c)
coll_run(threads_deaths LABELS threads COMMAND coll_processes_deaths threads)

coll_launch_test(processes_kills test_kills.c)
mpj_add_soak(coll_processes_kills COMMAND coll_processes_kills 1000)
# A rank that goes while others are inside operations of active messages; one that is stopped.
coll_program(coll_am_deaths coll/am_deaths.c)
set(am_deaths ${CMAKE_CURRENT_SOURCE_DIR}/coll/am_deaths.sh $<TARGET_FILE:mpjrun>
  $<TARGET_FILE:coll_am_deaths>)
set(every_operation send long_send flush call put long_put get long_get wait)
coll_run(am_deaths COMMAND ${am_deaths} kill ${every_operation})
coll_run(am_deaths_streamed ENVIRONMENT MPJ_SINGLE_COPY=off COMMAND ${am_deaths} kill
  ${every_operation})
coll_run(am_stops COMMAND ${am_deaths} stop call)
if(UCX_FOUND)
  set(over_network MPJ_TRANSPORT=ucx)
  coll_run(am_deaths_network ENVIRONMENT ${over_network} COMMAND ${am_deaths} kill
    ${every_operation})
  coll_run(am_stops_network ENVIRONMENT ${over_network} COMMAND ${am_deaths} stop long_get)
endif()
# A rank that leaves in the middle of what goes by two levels: the four others hear of it.
function(coll_deaths_by_node what)
  coll_run(deaths_by_node_${what} LABELS threads
    ENVIRONMENT MPJ_COLL_NODES=3 MPJ_COLL_ALLTOALL=two_level
    COMMAND sh -c "test 4 = \"$(\"$@\" | grep -c survived)\"" - ${ARGN})
endfunction()
foreach(what allgather alltoall reduce_scatter exscan)
  coll_deaths_by_node(${what} $<TARGET_FILE:coll_reduction_deaths> --ranks 5 return ${what} small
    2 2000)
endforeach()
coll_deaths_by_node(barrier $<TARGET_FILE:coll_deaths> --ranks 5 return barrier small 0 2 2000)

# More than 2^32 bytes: what sanitizers add to that tells nothing new.
coll_program(coll_vast coll/vast.c)
if(NOT MPJ_SANITIZE)
  coll_run(vast_processes TIMEOUT 600
    COMMAND $<TARGET_FILE:mpjrun> --timeout 590 -n 2 $<TARGET_FILE:coll_vast> bcast gather apart)
endif()
mpj_add_soak(coll_vast_processes COMMAND $<TARGET_FILE:mpjrun> -n 3 $<TARGET_FILE:coll_vast>)
mpj_add_soak(coll_vast_streamed COMMAND ${CMAKE_COMMAND} -E env MPJ_SINGLE_COPY=off
  $<TARGET_FILE:mpjrun> -n 2 $<TARGET_FILE:coll_vast>)
mpj_add_soak(coll_vast_threads COMMAND coll_vast --threads 3)

# Ranks that differ choose alike, or hear that they would not.
coll_program(coll_choosers coll/choosers.c)
foreach(ranks 3 6)
  coll_run(choosers_${ranks} COMMAND ${mpjrun_command} -n ${ranks} $<TARGET_FILE:coll_choosers>)
endforeach()
coll_run(choosers_settings
  COMMAND ${mpjrun_command} -n 3 $<TARGET_FILE:coll_choosers> settings)
set_tests_properties(coll_choosers_settings PROPERTIES PASS_REGULAR_EXPRESSION
  "rank 1 has other MPJ_COLL_BCAST settings")

include(${CMAKE_CURRENT_LIST_DIR}/thread_tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/network_tests.cmake)

mpj_add_soak(coll_processes_delays_2
  COMMAND $<TARGET_FILE:mpjrun> -n 2 $<TARGET_FILE:coll_plays> --mixed 10000 --delays)
mpj_add_soak(coll_processes_delays_5
  COMMAND $<TARGET_FILE:mpjrun> -n 5 $<TARGET_FILE:coll_plays> --mixed 10000 --delays)
mpj_add_soak(coll_processes_delays_17
  COMMAND $<TARGET_FILE:mpjrun> -n 17 $<TARGET_FILE:coll_plays> --mixed 10000 --delays)

mpj_add_test(coll_alloc_mem SOURCES coll/test_alloc_mem.c LABELS threads)

mpj_add_test(coll_am SOURCES coll/test_am.c LABELS threads)
mpj_add_test(coll_am_call SOURCES coll/test_am_call.c LABELS threads)
mpj_add_test(coll_am_strangers SOURCES coll/test_am_strangers.c net/endpoints.c LABELS threads)

# Users' active messages: random ones, on threads and between processes.
coll_program(coll_am_plays coll/am_plays.c)
foreach(n 1 2 4)
  coll_run(am_threads_${n} LABELS threads COMMAND coll_am_plays --threads ${n} --messages 200)
  coll_run(am_processes_${n} COMMAND mpjrun -n ${n} $<TARGET_FILE:coll_am_plays> --messages 200)
endforeach()
coll_run(am_no_single_copy ENVIRONMENT MPJ_SINGLE_COPY=off
  COMMAND mpjrun -n 3 $<TARGET_FILE:coll_am_plays> --messages 100 --seed 2)
coll_run(am_one_token ENVIRONMENT MPJ_EAGER_TOKENS=1
  COMMAND mpjrun -n 3 $<TARGET_FILE:coll_am_plays> --messages 100 --seed 3)
mpj_add_soak(am_processes TIMEOUT 3600
  COMMAND mpjrun -n 4 $<TARGET_FILE:coll_am_plays> --messages 100000 --seed 4)

# Puts and gets between random layouts.
coll_program(coll_am_regions coll/am_regions.c)
coll_run(am_regions_threads LABELS threads COMMAND coll_am_regions --threads 3 --rounds 8)
coll_run(am_regions_processes COMMAND mpjrun -n 4 $<TARGET_FILE:coll_am_regions>)
coll_run(am_regions_streamed ENVIRONMENT MPJ_SINGLE_COPY=off MPJ_EAGER_BYTES=256
  COMMAND mpjrun -n 2 $<TARGET_FILE:coll_am_regions> --seed 2)
coll_run(am_regions_both_sides ENVIRONMENT MPJ_TWO_SIDED=on
  COMMAND mpjrun -n 2 $<TARGET_FILE:coll_am_regions> --seed 3 --rounds 8 --elements 60000)
coll_run(am_regions_alone COMMAND coll_am_regions --rounds 8)
mpj_add_soak(am_regions COMMAND $<TARGET_FILE:mpjrun> -n 4 $<TARGET_FILE:coll_am_regions>
  --rounds 3000 --seed 4)

# The same while messages come late, calls find no room and ranks fall asleep.
set(chaos MPJ_CHAOS=delay=0.3,again=0.3,stall=0.002,stall_us=500,polls=60)
coll_run(am_threads_chaos LABELS threads ENVIRONMENT ${chaos}
  COMMAND coll_am_plays --threads 3 --messages 60)
coll_threads(chaos LABELS threads ENVIRONMENT ${chaos} PLAYS --ranks 2-5 --mixed 24)
coll_run(am_processes_chaos ENVIRONMENT ${chaos}
  COMMAND mpjrun -n 3 $<TARGET_FILE:coll_am_plays> --messages 100)
coll_run(am_regions_chaos ENVIRONMENT ${chaos}
  COMMAND mpjrun -n 3 $<TARGET_FILE:coll_am_regions> --rounds 8 --seed 5)
coll_processes(chaos RANKS 4 ENVIRONMENT ${chaos} PLAYS --mixed 60 --every-root 1)
coll_processes(chaos_streamed RANKS 3
  ENVIRONMENT ${chaos} MPJ_SINGLE_COPY=off MPJ_EAGER_BYTES=64 MPJ_EAGER_TOKENS=1 PLAYS --mixed 60)
set(chaos_soak ${CMAKE_COMMAND} -E env ${chaos})
mpj_add_soak(chaos_threads COMMAND ${chaos_soak} $<TARGET_FILE:coll_plays> --ranks 2-9,17
  --mixed 10000 --delays)
mpj_add_soak(chaos_processes COMMAND ${chaos_soak} $<TARGET_FILE:mpjrun> -n 5
  $<TARGET_FILE:coll_plays> --mixed 10000 --delays)
mpj_add_soak(chaos_am_threads COMMAND ${chaos_soak} $<TARGET_FILE:coll_am_plays> --threads 4
  --messages 30000)
mpj_add_soak(chaos_am_processes COMMAND ${chaos_soak} $<TARGET_FILE:mpjrun> -n 4
  $<TARGET_FILE:coll_am_plays> --messages 30000)
if(UCX_FOUND)
  coll_processes(chaos_network RANKS 3 ENVIRONMENT ${chaos} ${over_network} PLAYS --mixed 40)
  coll_run(am_network_chaos ENVIRONMENT ${chaos} ${over_network}
    COMMAND mpjrun -n 3 $<TARGET_FILE:coll_am_plays> --messages 40)
  coll_run(am_regions_network ENVIRONMENT ${over_network}
    COMMAND mpjrun -n 3 $<TARGET_FILE:coll_am_regions> --rounds 8 --seed 6)
  mpj_add_soak(chaos_network COMMAND ${chaos_soak} ${over_network} $<TARGET_FILE:mpjrun> -n 4
    $<TARGET_FILE:coll_plays> --mixed 5000 --delays)
  mpj_add_soak(chaos_am_network COMMAND ${chaos_soak} ${over_network} $<TARGET_FILE:mpjrun> -n 4
    $<TARGET_FILE:coll_am_plays> --messages 5000)
endif()

if(JANSSON_FOUND)
  mpj_add_test(coll_watch SOURCES coll/test_watch.c LIBS PkgConfig::JANSSON LABELS threads)
endif()
