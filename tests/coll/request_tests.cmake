# The tests of nonblocking and persistent collectives.
coll_crew(coll_requests coll/requests.c)
mpj_add_test(coll_test_requests SOURCES coll/test_requests.c LABELS threads)
coll_crew_run(requests_threads LABELS threads COMMAND coll_requests --ranks 1-9 --plays 2)
coll_crew_run(requests_threads_more COMMAND coll_requests --ranks 10-17,33 --plays 2 --seed 2)
coll_crew_run(requests_threads_few_tokens LABELS threads ENVIRONMENT ${few_tokens}
  COMMAND coll_requests --ranks 2-5 --plays 2 --seed 3)
mpj_add_soak(coll_requests_threads COMMAND coll_requests --ranks 1-17 --plays 100 --seed 4)
if(TARGET mpjrun)
  coll_crew_processes(requests RANKS 1 2 3 4 5 8 17 PROGRAM coll_requests --plays 3)
  coll_crew_processes(requests_streamed RANKS 2 5 ENVIRONMENT MPJ_SINGLE_COPY=off
    PROGRAM coll_requests --plays 3 --seed 2)
endif()
