# The tests of checking mode: every mismatch, and no alarm where there is none; and of
# random mismatches without it.
coll_crew(coll_checks coll/checks.c)
coll_crew(coll_mismatches coll/mismatches.c)
coll_crew_run(mismatches_threads LABELS threads COMMAND coll_mismatches --ranks 1-4 --plays 40)
coll_crew_run(mismatches_threads_bundles LABELS threads
  ENVIRONMENT MPJ_COLL_GATHER=knomial:2 MPJ_COLL_SCATTER=kary:2 MPJ_COLL_ALLTOALL=bruck:2
  COMMAND coll_mismatches --ranks 3,5 --plays 40)
coll_crew_run(mismatches_threads_more COMMAND coll_mismatches --ranks 5-9,17 --plays 40 --seed 2)
mpj_add_soak(coll_mismatches COMMAND coll_mismatches --ranks 2-17 --plays 1000 --seed 3)
coll_crew(coll_told_types coll/told_types.c)
coll_crew_run(told_types_threads LABELS threads COMMAND coll_told_types --ranks 2-4 --plays 60)
coll_crew_run(told_types_threads_segments LABELS threads ENVIRONMENT MPJ_COLL_BCAST=binomial:segment=4096
  MPJ_COLL_REDUCE=knomial:segment=4096 MPJ_COLL_ALLREDUCE=ring MPJ_COLL_SCAN=chain:segment=4096
  MPJ_COLL_GATHER=knomial:2 MPJ_COLL_SCATTER=kary:2 MPJ_COLL_ALLTOALL=bruck:2
  MPJ_COLL_REDUCE_SCATTER=exchange:2 COMMAND coll_told_types --ranks 3,4 --plays 20)
coll_crew_run(told_types_threads_exchange ENVIRONMENT MPJ_COLL_REDUCE_SCATTER=exchange
  COMMAND coll_told_types --ranks 2-5 --plays 20 reduce_scatter)
mpj_add_soak(coll_told_types COMMAND coll_told_types --ranks 2-9 --plays 1000 --seed 3)
set(check MPJ_CHECK=1)
coll_crew_run(checks_threads LABELS threads ENVIRONMENT ${check}
  COMMAND coll_checks --ranks 2-4)
coll_crew_run(told_types_checked LABELS threads ENVIRONMENT ${check}
  COMMAND coll_told_types --ranks 2,3 --plays 20)
coll_crew_run(checks_threads_more ENVIRONMENT ${check} COMMAND coll_checks --ranks 5-9)
coll_crew_run(checks_threads_comms LABELS threads ENVIRONMENT ${check}
  COMMAND coll_checks --ranks 4 --places 7)
coll_crew_run(checks_threads_few_tokens ENVIRONMENT ${check} ${few_tokens}
  COMMAND coll_checks --ranks 2,5)
mpj_add_test(coll_check SOURCES coll/test_check.c LABELS threads)

coll_crew_run(checked_rooted LABELS threads ENVIRONMENT ${check}
  COMMAND coll_plays --ranks 1-5,9 --places 3 --every-root 1 --mixed 20 --delays)
coll_crew_run(checked_exchanges LABELS threads ENVIRONMENT ${check}
  COMMAND coll_exchanges --ranks 1-5,9 --places 3 --plays 5)
coll_crew_run(checked_reductions LABELS threads ENVIRONMENT ${check}
  COMMAND coll_reductions --ranks 1-4,7 --places 2 --plays 14 each)
coll_crew_run(checked_requests LABELS threads ENVIRONMENT ${check}
  COMMAND coll_requests --ranks 3 --plays 1)
coll_crew_run(checked_gathered LABELS threads ENVIRONMENT ${check}
  COMMAND coll_gathered --ranks 1-5,9 --places 3 --plays 5)
coll_crew_run(checked_64 ENVIRONMENT ${check} COMMAND coll_exchanges --ranks 64 --plays 2)
mpj_add_soak(coll_checks COMMAND ${CMAKE_COMMAND} -E env ${check}
  $<TARGET_FILE:coll_checks> --ranks 2-17,33 --places 12)
mpj_add_soak(coll_checked_plays COMMAND ${CMAKE_COMMAND} -E env ${check}
  $<TARGET_FILE:coll_plays> --ranks 1-17,64 --every-root 30 --mixed 1000 --delays --seed 9)
foreach(kind exchanges reductions requests)
  mpj_add_soak(coll_checked_${kind} COMMAND ${CMAKE_COMMAND} -E env ${check}
    $<TARGET_FILE:coll_${kind}> --ranks 1-17 --places 7 --plays 30 --seed 9)
endforeach()

if(TARGET mpjrun)
  coll_crew_processes(mismatches RANKS 2 3 5 8 PROGRAM coll_mismatches --plays 60)
  coll_crew_processes(told_types RANKS 2 3 PROGRAM coll_told_types --plays 60)
  coll_crew_processes(checks RANKS 2 3 4 5 6 7 8 9 ENVIRONMENT ${check} PROGRAM coll_checks)
  coll_crew_processes(checked_rooted RANKS 2 5 ENVIRONMENT ${check}
    PROGRAM coll_plays --every-root 1 --mixed 40 --delays)
  coll_crew_processes(checked_exchanges RANKS 3 ENVIRONMENT ${check}
    PROGRAM coll_exchanges --plays 8)
  coll_crew_processes(checked_reductions RANKS 4 ENVIRONMENT ${check}
    PROGRAM coll_reductions --plays 14)
endif()

# What is said by examples of requests and communicators holds here too.
coll_crew_run(checked_test_requests LABELS threads ENVIRONMENT ${check} CK_DEFAULT_TIMEOUT=100
  COMMAND coll_test_requests)
coll_crew_run(checked_test_comms LABELS threads ENVIRONMENT ${check} COMMAND coll_comms)

# A rank goes while calls are compared; and inside each algorithm, not only those that
# the rules choose.
if(TARGET mpjrun)
  coll_crew_run(checked_deaths ENVIRONMENT ${check}
    COMMAND coll_reduction_deaths_processes)
  coll_crew_run(checked_deaths_threads ENVIRONMENT ${check} COMMAND coll_processes_deaths threads)
  set(trees MPJ_COLL_BCAST=knomial:2,segment=4096 MPJ_COLL_GATHER=knomial:2 MPJ_COLL_SCATTER=kary:2
    MPJ_COLL_REDUCE=knomial:2,segment=4096 MPJ_COLL_ALLREDUCE=kary:2 MPJ_COLL_ALLGATHER=exchange:2
    MPJ_COLL_ALLTOALL=bruck:2 MPJ_COLL_REDUCE_SCATTER=exchange:2 MPJ_COLL_SCAN=exchange:2
    MPJ_COLL_EXSCAN=exchange:2)
  set(rings MPJ_COLL_BCAST=scatter_allgather MPJ_COLL_GATHER=kary:1 MPJ_COLL_SCATTER=kary:1
    MPJ_COLL_REDUCE=rabenseifner MPJ_COLL_ALLREDUCE=ring MPJ_COLL_ALLGATHER=ring
    MPJ_COLL_ALLTOALL=pairwise:1 MPJ_COLL_REDUCE_SCATTER=ring)
  set(graphs MPJ_COLL_BCAST=chain:segment=4096 MPJ_COLL_REDUCE=chain:segment=4096
    MPJ_COLL_ALLREDUCE=circulant MPJ_COLL_ALLGATHER=circulant MPJ_COLL_REDUCE_SCATTER=circulant)
  foreach(kind trees rings graphs)
    coll_crew_run(deaths_in_${kind} ENVIRONMENT ${${kind}}
      COMMAND coll_reduction_deaths_processes)
    coll_crew_run(deaths_in_${kind}_threads LABELS threads ENVIRONMENT ${${kind}}
      COMMAND coll_processes_deaths threads)
  endforeach()
endif()

# A rank refuses each of many segments, and says once why.
coll_program(coll_refused_segments coll/refused_segments.c)
coll_crew_run(refused_segments_threads LABELS threads ENVIRONMENT MPJ_COLL_BCAST=chain:segment=1000
  COMMAND coll_refused_segments --threads 3)
coll_crew_run(refused_segments_processes ENVIRONMENT MPJ_COLL_BCAST=chain:segment=1000
  COMMAND mpjrun --timeout 60 -n 2 $<TARGET_FILE:coll_refused_segments>)
