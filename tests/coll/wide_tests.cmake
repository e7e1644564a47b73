# Tests of jobs of more ranks than each can have a ring from, and of rings that are short.

# Inboxes and rings by few ranks, under the thread sanitizer too.
foreach(rings 0 1 2)
  coll_crew_run(inbox_plays_${rings} LABELS threads ENVIRONMENT MPJ_RINGS=${rings}
    COMMAND coll_plays --ranks 2-5,9 --every-root 1 --mixed 20 --delays)
  coll_crew_run(inbox_exchanges_${rings} LABELS threads ENVIRONMENT MPJ_RINGS=${rings}
    COMMAND coll_exchanges --ranks 3,6 --plays 3)
  coll_crew_run(inbox_reductions_${rings} LABELS threads ENVIRONMENT MPJ_RINGS=${rings}
    COMMAND coll_reductions --ranks 3,6 --plays 3 exact)
endforeach()
if(MPJ_SANITIZE)
  return()
endif()

coll_crew_run(wide_plays_96 COMMAND coll_plays --ranks 96 --mixed 8)
coll_crew_run(wide_exchanges_96 COMMAND coll_exchanges --ranks 96 --plays 1)
coll_crew_run(wide_reductions_96 COMMAND coll_reductions --ranks 96 --plays 2 exact)
coll_crew_run(wide_exchanges_256 LABELS more COMMAND coll_exchanges --ranks 256 --plays 2)
coll_crew_run(wide_reductions_256 LABELS more COMMAND coll_reductions --ranks 256 --plays 3 exact)
coll_crew_run(wide_plays_300 LABELS more COMMAND coll_plays --ranks 300 --mixed 6)
# More arrivals in an operation than its slot has bits for.
foreach(ways flat two_level)
  set(forced MPJ_COLL_BARRIER=two_level) # which has too many signals for a node of 300
  foreach(operation BCAST GATHER SCATTER ALLGATHER ALLTOALL REDUCE ALLREDUCE REDUCE_SCATTER SCAN
      EXSCAN)
    list(APPEND forced MPJ_COLL_${operation}=${ways})
  endforeach()
  if(ways STREQUAL two_level)
    list(APPEND forced MPJ_COLL_NODES=270)
  endif()
  coll_crew_run(wide_plays_300_${ways} ENVIRONMENT ${forced} COMMAND coll_plays --ranks 300 --mixed 2)
  coll_crew_run(wide_exchanges_300_${ways} LABELS more ENVIRONMENT ${forced}
    COMMAND coll_exchanges --ranks 300 --plays 1)
  coll_crew_run(wide_reductions_300_${ways} ENVIRONMENT ${forced}
    COMMAND coll_reductions --ranks 300 --plays 1 exact)
endforeach()
if(TARGET mpjrun)
  # A rank that is stopped, or killed, while all send to the same ones.
  coll_program(coll_stops coll/stops.c)
  foreach(way stop kill)
    set(run ${CMAKE_CURRENT_LIST_DIR}/stops.sh $<TARGET_FILE:mpjrun> $<TARGET_FILE:coll_stops>)
    foreach(rings 0 1)
      coll_crew_run(${way}s_5_${rings} ENVIRONMENT MPJ_RINGS=${rings} COMMAND ${run} 5 ${way} 5)
    endforeach()
    coll_crew_run(${way}s_96 COMMAND ${run} 96 ${way} 1)
    mpj_add_soak(coll_${way}s COMMAND ${run} 9 ${way} 200)
    mpj_add_soak(coll_${way}s_1024 COMMAND ${run} 1024 ${way} 2)
  endforeach()
  # Sums of those who are left when others are killed, one by one.
  coll_program(coll_one_by_one coll/one_by_one.c)
  foreach(ranks 6 40)
    coll_crew_run(one_by_one_${ranks}
      COMMAND $<TARGET_FILE:mpjrun> --keep --timeout 100 -n ${ranks} $<TARGET_FILE:coll_one_by_one>)
    set_tests_properties(coll_one_by_one_${ranks} PROPERTIES PASS_REGULAR_EXPRESSION
      "2 of ${ranks} are left")
  endforeach()
  foreach(kind plays exchanges reductions)
    set(what --plays 1)
    if(kind STREQUAL plays)
      set(what --mixed 5)
    elseif(kind STREQUAL reductions) # those that run here round in other places than the reference
      list(APPEND what exact)
    endif()
    foreach(ranks 96 256)
      coll_crew_run(wide_${kind}_processes_${ranks} ENVIRONMENT MPJ_STALL_REPORT_S=60
        COMMAND $<TARGET_FILE:mpjrun> --timeout 100 -n ${ranks} $<TARGET_FILE:coll_${kind}> ${what})
    endforeach()
    if(kind STREQUAL exchanges)
      # Each rank knows what all others send. How much that is goes by the seed: with the first one 300
      # ranks take 3.4 GB for an Alltoall, with this one .5 GB.
      set(what --plays 1 --seed 2)
      foreach(operation allgather alltoall)
        mpj_add_soak(coll_wide_${operation} COMMAND coll_exchanges --ranks 300 ${what} ${operation})
        mpj_add_soak(coll_wide_${operation}_processes COMMAND $<TARGET_FILE:mpjrun> --timeout 1700
          -n 300 $<TARGET_FILE:coll_exchanges> ${what} ${operation})
      endforeach()
    else()
      mpj_add_soak(coll_wide_${kind} COMMAND coll_${kind} --ranks 1024 ${what})
      mpj_add_soak(coll_wide_${kind}_processes COMMAND $<TARGET_FILE:mpjrun> --timeout 1700 -n 1024
        $<TARGET_FILE:coll_${kind}> ${what})
    endif()
  endforeach()
endif()
