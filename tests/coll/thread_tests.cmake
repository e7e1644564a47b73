# The tests of ranks with several threads, their own or the library's.
foreach(name multiple progress elsewhere)
  mpj_add_test(coll_${name} SOURCES coll/test_${name}.c LABELS threads)
endforeach()
if(TARGET mpjrun)
  set(job $<TARGET_FILE:mpjrun> --timeout 100 -n 3 $<TARGET_FILE:coll_multiple> job)
  coll_crew_run(multiple_processes COMMAND ${job})
  coll_crew_run(multiple_processes_progress ENVIRONMENT MPJ_PROGRESS=thread COMMAND ${job})
  if(UCX_FOUND)
    coll_crew_run(multiple_network ENVIRONMENT MPJ_TRANSPORT=ucx COMMAND ${job})
    coll_crew_run(multiple_network_progress ENVIRONMENT MPJ_TRANSPORT=ucx MPJ_PROGRESS=thread
      COMMAND ${job})
  endif()
endif()

# A tree whose inner rank comes late, its leaf being served all the same.
add_executable(coll_late coll/late.c)
target_include_directories(coll_late PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(coll_late PRIVATE mpj_internal)
set(whole MPJ_PROGRESS=thread MPJ_COLL_BCAST=binomial)
set(cut MPJ_PROGRESS=thread MPJ_COLL_BCAST=binomial:segment=4096)
coll_crew_run(late_threads LABELS threads ENVIRONMENT ${whole} COMMAND coll_late threads)
coll_crew_run(late_threads_cut ENVIRONMENT ${cut} COMMAND coll_late threads)
if(TARGET mpjrun)
  set(late $<TARGET_FILE:mpjrun> --timeout 100 -n 4 $<TARGET_FILE:coll_late>)
  coll_crew_run(late_processes_cut ENVIRONMENT ${cut} COMMAND ${late})
  if(UCX_FOUND)
    coll_crew_run(late_over_network ENVIRONMENT MPJ_TRANSPORT=ucx ${whole} COMMAND ${late})
    coll_crew_run(late_over_network_cut ENVIRONMENT MPJ_TRANSPORT=ucx ${cut} COMMAND ${late})
  endif()
endif()

# The same, leaves first by a handshake, of long data: TREE INNER LEAVES of N ranks from root 0.
coll_program(coll_relay_long coll/relay_long.c)
function(relays_long name tree n inner leaves)
  set(ranks --threads ${n} ${inner} ${leaves})
  foreach(end IN ITEMS taken ${ARGN})
    coll_crew_run(relay_long_${name}_${end} LABELS threads
      ENVIRONMENT MPJ_PROGRESS=thread MPJ_COLL_BCAST=${tree}
      COMMAND coll_relay_long ${ranks} through wrong ${end})
  endforeach()
endfunction()
relays_long(chain chain 3 1 2 other never parent child)
relays_long(binomial binomial 8 246 1357 other never parent child)
relays_long(knomial knomial:3 6 3 1245)
relays_long(cut binomial:segment=40000 4 2 13 never child)
coll_crew_run(relay_long_bound LABELS threads ENVIRONMENT MPJ_PROGRESS=thread
  MPJ_COLL_BCAST=chain MPJ_SCRATCH_BYTES=100000 COMMAND coll_relay_long --threads 3 1 2 bound bound)
coll_crew_run(relay_long_delayed LABELS threads ENVIRONMENT MPJ_PROGRESS=thread
  MPJ_COLL_BCAST=binomial MPJ_CHAOS=delay=0.3,polls=60
  COMMAND coll_relay_long --threads 4 2 13 through wrong taken through)
coll_crew_run(relay_long_refused LABELS threads ENVIRONMENT MPJ_PROGRESS=thread
  MPJ_COLL_BCAST=binomial MPJ_CHAOS=again=0.3
  COMMAND coll_relay_long --threads 8 246 1357 through wrong taken through)
if(TARGET mpjrun)
  foreach(way on off)
    foreach(end wrong other never)
      coll_crew_run(relay_long_processes_${way}_${end}
        ENVIRONMENT MPJ_PROGRESS=thread MPJ_COLL_BCAST=chain MPJ_SINGLE_COPY=${way}
        COMMAND $<TARGET_FILE:mpjrun> --timeout 100 -n 4 $<TARGET_FILE:coll_relay_long> 12 3 through
        ${end})
    endforeach()
  endforeach()
  foreach(end parent child)
    add_test(NAME coll_relay_long_processes_${end} COMMAND sh -c
      "\"$0\" --timeout 60 -n 4 \"$1\" 12 3 ${end}; test $? -eq 137" $<TARGET_FILE:mpjrun>
      $<TARGET_FILE:coll_relay_long>)
    set_tests_properties(coll_relay_long_processes_${end} PROPERTIES TIMEOUT 100
      ENVIRONMENT "MPJ_PROGRESS=thread;MPJ_COLL_BCAST=chain" FAIL_REGULAR_EXPRESSION "line [0-9]")
  endforeach()
endif()

# Plays of all kinds beside a progress thread.
set(progress MPJ_PROGRESS=thread)
coll_threads(plays_progress LABELS threads ENVIRONMENT ${progress}
  PLAYS --ranks 1-5,9 --mixed 12 --delays)
coll_crew_run(requests_threads_progress LABELS threads ENVIRONMENT ${progress}
  COMMAND coll_requests --ranks 2,5 --places 14 --plays 1)
coll_crew_run(reductions_threads_progress LABELS threads ENVIRONMENT ${progress}
  COMMAND coll_reductions --ranks 3 --places 5 --plays 1 exact)
coll_crew_run(misuse_threads_progress LABELS threads ENVIRONMENT ${progress}
  COMMAND coll_misuse --ranks 4 --places 7)
if(TARGET mpjrun)
  coll_crew_processes(requests_progress RANKS 4 ENVIRONMENT ${progress}
    PROGRAM coll_requests --places 14 --plays 1)
  coll_crew_processes(exchanges_progress RANKS 3 ENVIRONMENT ${progress}
    PROGRAM coll_exchanges --places 12 --plays 3)
endif()
