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

# The same, leaves first by a handshake, of long data; of scatters, too:
# relays_long(NAME OPERATION TREE N INNER LEAVES [ROOT r] [ENVIRONMENT v...] ENDS part...): a run for
# each of those parts.
coll_program(coll_relay_long coll/relay_long.c coll/relay_calls.c)
set(by_BCAST ENVIRONMENT MPJ_PROGRESS=thread MPJ_COLL_BCAST)
set(by_SCATTER ENVIRONMENT MPJ_PROGRESS=thread MPJ_COLL_SCATTER)
set(relay_BCAST coll_relay_long)
set(relay_SCATTER coll_relay_long --scatter)
function(relays_long name operation tree n inner leaves)
  cmake_parse_arguments(R "" "ROOT" "ENDS;ENVIRONMENT" ${ARGN})
  if(R_ROOT)
    set(root --root ${R_ROOT})
  endif()
  foreach(end IN LISTS R_ENDS)
    coll_crew_run(relay_long_${name}_${end} LABELS threads
      ${by_${operation}}=${tree} ${R_ENVIRONMENT}
      COMMAND ${relay_${operation}} --threads ${n} ${root} ${inner} ${leaves} through wrong ${end})
  endforeach()
endfunction()
relays_long(chain BCAST chain 3 1 2 ENDS taken other never parent child)
relays_long(binomial BCAST binomial 8 246 1357 ENDS taken other never parent child)
relays_long(knomial BCAST knomial:3 6 3 1245 ENDS taken)
relays_long(cut BCAST binomial:segment=40000 4 2 13 ENDS taken never child)
relays_long(parts_chain SCATTER kary:1 3 1 2 ENDS other parent)
relays_long(parts_binomial SCATTER knomial:2 8 246 1357 ENDS taken never child)
relays_long(parts_root SCATTER knomial:2 8 571 4602 ROOT 3 ENDS taken)
relays_long(parts_wide SCATTER kary:3 17 12478dc 3569abefg ENDS short)
relays_long(parts_nodes SCATTER two_level 6 3 1245 ENDS taken ENVIRONMENT MPJ_COLL_NODES=2)
set(delay MPJ_CHAOS=delay=0.3,polls=60)
relays_long(delayed BCAST binomial 4 2 13 ENDS taken ENVIRONMENT ${delay})
relays_long(parts_delayed SCATTER knomial:2 4 2 13 ENDS taken ENVIRONMENT ${delay})
set(refuse MPJ_CHAOS=again=0.3)
relays_long(refused BCAST binomial 8 246 1357 ENDS taken ENVIRONMENT ${refuse})
relays_long(parts_refused SCATTER knomial:2 8 246 1357 ENDS taken ENVIRONMENT ${refuse})
coll_crew_run(relay_long_bound LABELS threads ${by_BCAST}=chain MPJ_SCRATCH_BYTES=100000
  COMMAND ${relay_BCAST} --threads 3 1 2 bound bound)
coll_crew_run(relay_long_parts_bound LABELS threads
  ${by_SCATTER}=kary:1 MPJ_SCRATCH_BYTES=100000
  COMMAND ${relay_SCATTER} --threads 3 1 2 bound bound)
if(TARGET mpjrun)
  set(job $<TARGET_FILE:mpjrun> --timeout 100 -n 4 $<TARGET_FILE:coll_relay_long>)
  foreach(way on off)
    foreach(end wrong other never)
      coll_crew_run(relay_long_processes_${way}_${end} ${by_BCAST}=chain MPJ_SINGLE_COPY=${way}
        COMMAND ${job} 12 3 through ${end})
    endforeach()
    coll_crew_run(relay_long_parts_processes_${way} ${by_SCATTER}=kary:1 MPJ_SINGLE_COPY=${way}
      COMMAND ${job} --scatter 12 3 through wrong other)
  endforeach()
  function(relays_die operation option end)
    add_test(NAME coll_relay_long_processes_${end}${option} COMMAND sh -c
      "\"$0\" --timeout 60 -n 4 \"$1\" ${option} 12 3 ${end}; test $? -eq 137"
      $<TARGET_FILE:mpjrun> $<TARGET_FILE:coll_relay_long>)
    set_tests_properties(coll_relay_long_processes_${end}${option} PROPERTIES TIMEOUT 100
      FAIL_REGULAR_EXPRESSION "line [0-9]"
      ENVIRONMENT "MPJ_PROGRESS=thread;MPJ_COLL_${operation};${ARGN}")
  endfunction()
  foreach(end parent child)
    relays_die(BCAST=chain "" ${end})
    relays_die(SCATTER=kary:1 --scatter ${end})
  endforeach()
  relays_die(BCAST=chain "" owner MPJ_SINGLE_COPY=off)
  relays_die(SCATTER=kary:1 --scatter owner MPJ_SINGLE_COPY=off)
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
