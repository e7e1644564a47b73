# The tests of nonblocking and persistent collectives.
coll_crew(coll_requests coll/requests.c coll/items.c)
coll_crew(coll_orders coll/orders.c coll/items.c)
coll_crew_run(orders_threads LABELS threads COMMAND coll_orders --ranks 1-5 --places 4 --plays 2)
coll_crew_run(orders_threads_more COMMAND coll_orders --ranks 6-9 --places 7 --plays 2 --seed 2)
coll_crew_run(orders_threads_checked LABELS threads ENVIRONMENT MPJ_CHECK=1
  COMMAND coll_orders --ranks 2-4 --places 3 --seed 3)
coll_crew_run(orders_threads_progress LABELS threads ENVIRONMENT MPJ_PROGRESS=thread
  COMMAND coll_orders --ranks 2-4 --places 3 --seed 4)
mpj_add_soak(coll_orders COMMAND coll_orders --ranks 1-9,17 --places 9 --plays 150 --seed 5)
# One rank goes astray once. Each job plays one program, so there are several.
coll_crew(coll_astray coll/astray.c coll/astray_program.c coll/items.c)
coll_crew_run(astray_threads LABELS threads COMMAND coll_astray --ranks 2-6 --plays 6)
coll_crew_run(astray_threads_long LABELS threads
  COMMAND coll_astray --ranks 6 --plays 25 --calls 150 --seed 14)
coll_crew_run(astray_threads_progress LABELS threads ENVIRONMENT MPJ_PROGRESS=thread
  COMMAND coll_astray --ranks 2-6 --plays 3 --seed 2)
coll_crew_run(astray_threads_bundles ENVIRONMENT MPJ_COLL_NODES=2
  COMMAND coll_astray --ranks 2-6 --plays 3 --seed 3)
# What has been given up ends first.
coll_program(coll_freed coll/freed.c)
foreach(ranks 1 2 5)
  coll_crew_run(freed_threads_${ranks} LABELS threads COMMAND coll_freed --threads ${ranks})
endforeach()
coll_crew_run(freed_threads_progress LABELS threads ENVIRONMENT MPJ_PROGRESS=thread
  COMMAND coll_freed --threads 3)
# Persistent requests come and go by the thousand.
coll_program(coll_renewed coll/renewed.c)
foreach(ranks 2 3 4 5)
  coll_crew_run(renewed_threads_${ranks} LABELS threads
    COMMAND coll_renewed --threads ${ranks} ${ranks} 1500)
endforeach()
coll_crew_run(renewed_threads_progress LABELS threads ENVIRONMENT MPJ_PROGRESS=thread
  COMMAND coll_renewed --threads 3 6 1500)
coll_program(coll_too_many coll/too_many.c)
coll_crew_run(too_many_threads COMMAND coll_too_many --threads 2 testany)
mpj_add_soak(coll_renewed COMMAND coll_renewed --threads 4 7 100000)
# One rank ends without a call, and has something to finish.
coll_program(coll_forgets coll/forgets.c)
set(forgets ${CMAKE_CURRENT_SOURCE_DIR}/coll/forgets.sh)
foreach(ranks 2 3 5)
  coll_crew_run(forgets_threads_${ranks} LABELS threads
    COMMAND ${forgets} 11 $<TARGET_FILE:coll_forgets> --threads ${ranks})
  if(TARGET mpjrun)
    coll_crew_run(forgets_processes_${ranks} COMMAND ${forgets} 11 $<TARGET_FILE:mpjrun> --timeout 60
      -n ${ranks} $<TARGET_FILE:coll_forgets>)
  endif()
endforeach()
if(TARGET mpjrun)
  coll_crew_run(forgets_far ENVIRONMENT MPJ_TRANSPORT=ucx UCX_TLS=tcp,self COMMAND ${forgets} 11
    $<TARGET_FILE:mpjrun> --timeout 60 -n 3 $<TARGET_FILE:coll_forgets>)
endif()
# Ranks wait for each other in two calls.
coll_program(coll_circles coll/circles.c)
foreach(checked 0 1)
  coll_crew_run(circles_threads_${checked} LABELS threads ENVIRONMENT MPJ_CHECK=${checked}
    COMMAND ${forgets} 10 $<TARGET_FILE:coll_circles> --threads 3)
  if(TARGET mpjrun)
    coll_crew_run(circles_processes_${checked} ENVIRONMENT MPJ_CHECK=${checked} COMMAND ${forgets} 10
      $<TARGET_FILE:mpjrun> --timeout 60 -n 2 $<TARGET_FILE:coll_circles>)
    coll_crew_run(circles_far_${checked} ENVIRONMENT MPJ_CHECK=${checked} MPJ_TRANSPORT=ucx UCX_TLS=tcp,self
      COMMAND ${forgets} 10 $<TARGET_FILE:mpjrun> --timeout 60 -n 2 $<TARGET_FILE:coll_circles>)
  endif()
endforeach()
# One rank makes a call more than the others, its last; many times, as what is told and who leaves
# race.
coll_program(coll_surplus coll/surplus.c)
foreach(progress calls thread)
  coll_crew_run(surplus_threads_${progress} LABELS threads ENVIRONMENT MPJ_PROGRESS=${progress}
    COMMAND coll_surplus --threads 4 20)
  if(TARGET mpjrun)
    set(surplus ${CMAKE_CURRENT_SOURCE_DIR}/coll/surplus.sh)
    set(surplus_job $<TARGET_FILE:mpjrun> $<TARGET_FILE:coll_surplus>)
    coll_crew_run(surplus_processes_${progress} ENVIRONMENT MPJ_PROGRESS=${progress}
      COMMAND ${surplus} 5 ${surplus_job})
    coll_crew_run(surplus_far_${progress} # 20 jobs; UCX takes a second to end each
      ENVIRONMENT MPJ_PROGRESS=${progress} MPJ_TRANSPORT=ucx UCX_TLS=tcp,self
      COMMAND ${surplus} 4 ${surplus_job})
  endif()
endforeach()
# One rank starts a persistent request once more than the others, or less.
coll_program(coll_uneven coll/uneven.c)
foreach(seed 1 2 3 4 5 6)
  foreach(starts more less)
    coll_crew_run(uneven_threads_${starts}_${seed} LABELS threads
      COMMAND coll_uneven --threads 5 ${seed} ${starts})
  endforeach()
endforeach()
coll_crew_run(uneven_threads_many COMMAND coll_uneven --threads 24 7 more)
# One rank comes late to what runs as it did before.
coll_program(coll_tardy coll/tardy.c)
foreach(word flat knomial:2 exchange:3 ring rabenseifner segments)
  string(REPLACE ":" "_" name ${word})
  coll_crew_run(tardy_threads_${name} LABELS threads ENVIRONMENT MPJ_COLL_ALLREDUCE=${word}
    COMMAND coll_tardy --threads 5)
endforeach()
# All early-arrival slots hold data of operations that their receiver begins later.
coll_program(coll_full_slots coll/full_slots.c)
coll_crew_run(full_slots_threads LABELS threads COMMAND coll_full_slots --threads 3)
mpj_add_soak(coll_astray COMMAND coll_astray --ranks 2-6 --plays 200 --seed 4)
mpj_add_test(coll_test_requests SOURCES coll/test_requests.c LABELS threads)
mpj_add_test(coll_persistent SOURCES coll/test_persistent.c LABELS threads)
coll_crew_run(requests_threads LABELS threads COMMAND coll_requests --ranks 1-9 --plays 2)
coll_crew_run(requests_threads_more COMMAND coll_requests --ranks 10-17,33 --plays 2 --seed 2)
coll_crew_run(requests_threads_few_tokens LABELS threads ENVIRONMENT ${few_tokens}
  COMMAND coll_requests --ranks 2-5 --plays 2 --seed 3)
mpj_add_soak(coll_requests_threads COMMAND coll_requests --ranks 1-17 --plays 100 --seed 4)
if(TARGET mpjrun)
  coll_crew_processes(orders RANKS 1 2 3 4 5 6 7 8 9 PROGRAM coll_orders --places 5 --plays 2)
  coll_crew_processes(orders_checked RANKS 3 ENVIRONMENT MPJ_CHECK=1
    PROGRAM coll_orders --places 3 --seed 2)
  coll_crew_processes(orders_far RANKS 4 ENVIRONMENT MPJ_TRANSPORT=ucx UCX_TLS=tcp,self
    PROGRAM coll_orders --places 3 --seed 3)
  coll_crew_processes(freed RANKS 4 PROGRAM coll_freed)
  foreach(progress calls thread)
    coll_crew_processes(freed_far_${progress} RANKS 3
      ENVIRONMENT MPJ_TRANSPORT=ucx UCX_TLS=tcp,self MPJ_PROGRESS=${progress} PROGRAM coll_freed)
  endforeach()
  foreach(seed 1 2 3)
    coll_crew_processes(renewed_${seed} RANKS 2 3 4 5 PROGRAM coll_renewed ${seed})
  endforeach()
  foreach(ranks 3 5) # a second, where it took minutes
    foreach(way waitany testany)
      coll_crew_run(too_many_${way}_processes_${ranks} COMMAND $<TARGET_FILE:mpjrun> --timeout 60
        -n ${ranks} $<TARGET_FILE:coll_too_many> ${way})
    endforeach()
  endforeach()
  coll_crew_processes(renewed_progress RANKS 3 ENVIRONMENT MPJ_PROGRESS=thread
    PROGRAM coll_renewed 4)
  coll_crew_processes(renewed_far RANKS 3 ENVIRONMENT MPJ_TRANSPORT=ucx UCX_TLS=tcp,self
    PROGRAM coll_renewed 5 2000)
  foreach(seed 1 2 3)
    coll_crew_processes(astray_${seed} RANKS 2 3 4 6 PROGRAM coll_astray --seed ${seed})
    coll_crew_processes(astray_progress_${seed} RANKS 3 ENVIRONMENT MPJ_PROGRESS=thread
      PROGRAM coll_astray --seed 1${seed})
    coll_crew_processes(astray_far_${seed} RANKS 2 4 ENVIRONMENT MPJ_TRANSPORT=ucx UCX_TLS=tcp,self
      PROGRAM coll_astray --seed 2${seed})
    coll_crew_processes(astray_far_progress_${seed} RANKS 3
      ENVIRONMENT MPJ_TRANSPORT=ucx UCX_TLS=tcp,self MPJ_PROGRESS=thread
      PROGRAM coll_astray --seed 3${seed})
  endforeach()
  foreach(starts more less)
    coll_crew_processes(uneven_${starts} RANKS 3 PROGRAM coll_uneven 8 ${starts})
    coll_crew_processes(uneven_far_${starts} RANKS 4
      ENVIRONMENT MPJ_TRANSPORT=ucx UCX_TLS=tcp,self PROGRAM coll_uneven 9 ${starts})
  endforeach()
  coll_crew_processes(tardy RANKS 4 ENVIRONMENT MPJ_COLL_ALLREDUCE=knomial:2 PROGRAM coll_tardy)
  coll_crew_processes(full_slots RANKS 2 5 PROGRAM coll_full_slots)
  coll_crew_processes(full_slots_one_token RANKS 4 ENVIRONMENT MPJ_EAGER_TOKENS=1
    PROGRAM coll_full_slots)
  coll_crew_processes(full_slots_streamed RANKS 3 ENVIRONMENT MPJ_SINGLE_COPY=off
    PROGRAM coll_full_slots)
  coll_crew_processes(full_slots_far RANKS 2 ENVIRONMENT MPJ_TRANSPORT=ucx UCX_TLS=tcp,self
    MPJ_EAGER_TOKENS=1 PROGRAM coll_full_slots)
  coll_crew_processes(requests RANKS 1 2 3 4 5 8 17 PROGRAM coll_requests --plays 3)
  coll_crew_processes(requests_streamed RANKS 2 5 ENVIRONMENT MPJ_SINGLE_COPY=off
    PROGRAM coll_requests --plays 3 --seed 2)
endif()
