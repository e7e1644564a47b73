# The tests of communicators: by examples, and all the plays on random ones.
foreach(name comms comms_life members peers splits torus)
  mpj_add_test(coll_${name} SOURCES coll/test_${name}.c LABELS threads)
endforeach()
coll_crew_run(comms_threads_requests LABELS threads
  COMMAND coll_requests --ranks 1-5,9 --places 14 --plays 1)
set(most 1-17)
if(MPJ_SANITIZE) # in the time there is
  set(most 1-4,7,9)
endif()
coll_crew_run(comms_threads_requests_more
  COMMAND coll_requests --ranks ${most} --places 31 --plays 3 --seed 2)
coll_crew_run(comms_threads_exchanges LABELS threads
  COMMAND coll_exchanges --ranks 2-5,9 --places 12 --plays 2)
coll_crew_run(comms_threads_exchanges_more
  COMMAND coll_exchanges --ranks ${most} --places 12 --plays 3 --seed 2)
coll_crew_run(comms_threads_reductions LABELS threads
  COMMAND coll_reductions --ranks 2,5 --places 11 --plays 2 exact)
coll_crew_run(comms_threads_reductions_more
  COMMAND coll_reductions --ranks ${most} --places 4 --plays 2 --seed 2 exact)
coll_crew_run(comms_threads_rooted LABELS threads
  COMMAND coll_plays --ranks 1-5,9 --places 12 --every-root 1)
coll_crew_run(comms_threads_rooted_more
  COMMAND coll_plays --ranks ${most} --places 11 --every-root 1 --seed 2)
set(misusing 4,7)
if(MPJ_SANITIZE)
  set(misusing 4)
endif()
coll_crew_run(comms_threads_misuse LABELS threads
  COMMAND coll_misuse --ranks ${misusing} --places 7)
mpj_add_soak(coll_comms_requests
  COMMAND coll_requests --ranks 1-17,64 --places 61 --plays 30 --seed 3)
mpj_add_soak(coll_comms_exchanges
  COMMAND coll_exchanges --ranks 1-17,64 --places 31 --plays 100 --seed 3)
mpj_add_soak(coll_comms_reductions
  COMMAND coll_reductions --ranks 1-17 --places 31 --plays 50 --seed 3 exact)
# One hundred communicators at a time.
coll_program(coll_many_comms coll/many_comms.c)
coll_crew_run(many_comms_threads_5 LABELS threads COMMAND coll_many_comms --threads 5)
if(NOT MPJ_SANITIZE)
  coll_crew_run(many_comms_threads_48 COMMAND coll_many_comms --threads 48)
endif()
# More of them at a time than there are windows in the first extent of common memory.
coll_program(coll_no_limit coll/no_limit.c)
set(few 18000 2)
set(many 36000 2)
if(MPJ_SANITIZE)
  set(few 17450 1)
  set(many 17600 1)
endif()
coll_crew_run(no_limit_threads_2 LABELS threads COMMAND coll_no_limit --threads 2 ${few})
mpj_add_soak(coll_no_limit_threads_4 COMMAND coll_no_limit --threads 4 70000 3)
if(TARGET mpjrun)
  coll_crew_run(no_limit_processes_2
    COMMAND $<TARGET_FILE:mpjrun> --timeout 60 -n 2 $<TARGET_FILE:coll_no_limit> ${many})
  coll_crew_run(no_limit_lack
    COMMAND $<TARGET_FILE:mpjrun> --timeout 60 -n 3 $<TARGET_FILE:coll_no_limit> lack 18000 1)
  if(NOT MPJ_SANITIZE) # whose own memory is beyond any limit
    coll_crew_run(no_limit_unseen
      COMMAND $<TARGET_FILE:mpjrun> --timeout 60 -n 3 $<TARGET_FILE:coll_no_limit> unseen 17500 1)
  endif()
  coll_crew_run(no_limit_network ENVIRONMENT MPJ_TRANSPORT=ucx UCX_TLS=tcp,self
    COMMAND $<TARGET_FILE:mpjrun> --timeout 110 -n 2 $<TARGET_FILE:coll_no_limit> 17600 1)
  mpj_add_soak(coll_no_limit_processes_8
    COMMAND $<TARGET_FILE:mpjrun> --timeout 1700 -n 8 $<TARGET_FILE:coll_no_limit> 70000 3)
  mpj_add_soak(coll_no_limit_network COMMAND ${CMAKE_COMMAND} -E env MPJ_TRANSPORT=ucx
    UCX_TLS=tcp,self $<TARGET_FILE:mpjrun> --timeout 1700 -n 4 $<TARGET_FILE:coll_no_limit> 40000 3)
endif()
mpj_add_soak(coll_many_comms_threads_256 COMMAND coll_many_comms --threads 256)
if(TARGET mpjrun)
  mpj_add_soak(coll_many_comms_processes_256
    COMMAND $<TARGET_FILE:mpjrun> --timeout 1700 -n 256 $<TARGET_FILE:coll_many_comms>)
  coll_crew_processes(comms_requests RANKS 1 2 3 4 5 8 17
    PROGRAM coll_requests --places 21 --plays 2)
  coll_crew_processes(comms_exchanges RANKS 2 4 7 PROGRAM coll_exchanges --places 12 --plays 3)
  coll_crew_processes(comms_reductions RANKS 3 5 PROGRAM coll_reductions --places 11 --plays 2 exact)
endif()

# The tests of types that the ranks build together.
coll_crew(coll_gathered coll/gathered.c)
mpj_add_test(coll_test_gathered SOURCES coll/test_gathered.c LABELS threads)
coll_crew_run(gathered_threads LABELS threads
  COMMAND coll_gathered --ranks 1-9,17 --places 5 --plays 10)
coll_crew_run(gathered_threads_more COMMAND coll_gathered --ranks 1-17,64 --plays 25 --seed 2)
mpj_add_soak(coll_gathered COMMAND coll_gathered --ranks 1-17 --places 9 --plays 2000 --seed 3)
if(TARGET mpjrun)
  coll_crew_processes(gathered RANKS 1 2 3 5 8 17 PROGRAM coll_gathered --plays 20)
endif()
if(TARGET mpjrun)
  add_executable(coll_never_began coll/never_began.c)
  target_link_libraries(coll_never_began PRIVATE mpj_internal)
  add_test(NAME coll_never_began
    COMMAND $<TARGET_FILE:mpjrun> --timeout 60 -np 2 $<TARGET_FILE:coll_never_began>)
  set_tests_properties(coll_never_began PROPERTIES TIMEOUT 100 PASS_REGULAR_EXPRESSION
    "needs rank 1, which exited without calling MPJ_Init")
  # Ranks that hear of it from others, and mpjrun, say so as well.
  foreach(ranks 3 5)
    add_test(NAME coll_never_began_${ranks}
      COMMAND $<TARGET_FILE:mpjrun> --timeout 60 -np ${ranks} $<TARGET_FILE:coll_never_began>)
    set_tests_properties(coll_never_began_${ranks} PROPERTIES TIMEOUT 100 PASS_REGULAR_EXPRESSION
      "mpjrun: rank 1 .pid [0-9]+. exited without calling MPJ_Init"
      FAIL_REGULAR_EXPRESSION "rank 1 failed|no error|rank [023-9] .pid")
  endforeach()
  # A rank of other settings names the variables.
  add_test(NAME coll_other_settings COMMAND $<TARGET_FILE:mpjrun> --timeout 60 -np 3 sh -c
    "if [ $MPJ_RANK = 2 ]; then export MPJ_COLL_ALLGATHER=ring MPJ_CHECK=1; fi; exec \"$0\" says"
    $<TARGET_FILE:coll_never_began>)
  set_tests_properties(coll_other_settings PROPERTIES TIMEOUT 100 PASS_REGULAR_EXPRESSION
    "rank 2 has other MPJ_CHECK, MPJ_COLL_ALLGATHER settings than its launcher")
  add_executable(coll_mourners coll/mourners.c)
  target_link_libraries(coll_mourners PRIVATE mpj_internal)
  mpj_add_test(coll_test_mourners SOURCES coll/test_mourners.c tools/launch.c
    ${PROJECT_SOURCE_DIR}/tools/mpjrun/proc.c TIMEOUT 300)
  target_include_directories(coll_test_mourners PRIVATE ${PROJECT_SOURCE_DIR}/tools)
  target_compile_definitions(coll_test_mourners PRIVATE MPJRUN="$<TARGET_FILE:mpjrun>"
    MOURNERS="$<TARGET_FILE:coll_mourners>")
  add_dependencies(coll_test_mourners mpjrun coll_mourners)
endif()
