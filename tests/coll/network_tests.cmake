# The same programs with every message on the network, on one machine; and mixed,
# on "hosts" (net/hosts.sh) where namespaces are permitted.
if(NOT UCX_FOUND OR NOT TARGET mpjrun)
  return()
endif()
set(over_network MPJ_TRANSPORT=ucx)
coll_processes(every_root_network RANKS 2 3 4 5 ENVIRONMENT ${over_network} PLAYS --every-root 4)
coll_processes(delays_network RANKS 2 5 ENVIRONMENT ${over_network} PLAYS --mixed 100 --delays)
coll_processes(few_tokens_network RANKS 3
  ENVIRONMENT ${over_network} MPJ_EAGER_BYTES=64 MPJ_EAGER_TOKENS=1 PLAYS --every-root 3 --mixed 60)
foreach(barrier dissemination flat)
  coll_processes(barrier_${barrier}_network RANKS 3 5
    ENVIRONMENT ${over_network} MPJ_COLL_BARRIER=${barrier} PLAYS --mixed 50)
endforeach()
coll_program(coll_last coll/last.c)
foreach(progress calls thread)
  coll_run(last_network_${progress}
    ENVIRONMENT ${over_network} MPJ_COLL_BARRIER=flat MPJ_PROGRESS=${progress}
    COMMAND ${mpjrun_command} -n 3 $<TARGET_FILE:coll_last>)
endforeach()
coll_program(coll_leaves coll/leaves.c)
foreach(progress calls thread)
  set(small_buffers)
  if(progress STREQUAL calls)
    set(small_buffers UCX_TCP_SNDBUF=16k UCX_TCP_RCVBUF=8k) # TCP itself waits .2 s at times
  endif()
  coll_run(leaves_network_${progress}
    ENVIRONMENT ${over_network} UCX_TLS=tcp,self ${small_buffers} MPJ_PROGRESS=${progress}
    COMMAND ${mpjrun_command} -n 3 $<TARGET_FILE:coll_leaves>)
endforeach()
foreach(kind exchanges reductions)
  coll_crew_processes(${kind}_network RANKS 2 3 4 5 ENVIRONMENT ${over_network}
    PROGRAM coll_${kind} --plays 14 each)
endforeach()
coll_crew_processes(requests_network RANKS 2 5 ENVIRONMENT ${over_network}
  PROGRAM coll_requests --plays 3)
coll_crew_processes(misuse_network RANKS 2 5 ENVIRONMENT ${over_network} PROGRAM coll_misuse)
foreach(ranks 2 4)
  coll_run(processes_wrong_network_${ranks} ENVIRONMENT ${over_network}
    COMMAND ${mpjrun_command} -n ${ranks} $<TARGET_FILE:coll_wrong>)
endforeach()
# Ranks that go, and ranks that are not in the same operation.
add_test(NAME coll_order_network COMMAND coll_order)
foreach(test processes_deaths reduction_deaths_processes) # starting UCX takes most of the time
  add_test(NAME coll_${test}_network COMMAND coll_${test} --every 5)
  mpj_add_soak(coll_${test}_network
    COMMAND ${CMAKE_COMMAND} -E env ${over_network} $<TARGET_FILE:coll_${test}>)
endforeach()
set_tests_properties(coll_order_network coll_processes_deaths_network
  coll_reduction_deaths_processes_network PROPERTIES TIMEOUT 300
  ENVIRONMENT "MPJ_STALL_REPORT_S=20;CK_DEFAULT_TIMEOUT=250;${over_network}")
add_test(NAME coll_processes_kills_network COMMAND coll_processes_kills 4)
set_tests_properties(coll_processes_kills_network PROPERTIES TIMEOUT 300
  ENVIRONMENT "MPJ_STALL_REPORT_S=20;CK_DEFAULT_TIMEOUT=250;${over_network}")
mpj_add_soak(coll_processes_kills_network
  COMMAND ${CMAKE_COMMAND} -E env ${over_network} $<TARGET_FILE:coll_processes_kills> 1000)
# Who is on which host, and what goes by it.
coll_program(coll_node_map coll/node_map.c)
add_test(NAME coll_hosts_nodes COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/net/network.sh 2 4 exit
  $<TARGET_FILE:coll_node_map> 2)
add_test(NAME coll_hosts_two_level COMMAND ${CMAKE_COMMAND} -E env MPJ_COLL_ALLTOALL=two_level
  MPJ_COLL_ALLGATHER=two_level
  ${CMAKE_CURRENT_SOURCE_DIR}/net/network.sh 2 6 exit $<TARGET_FILE:coll_exchanges> --plays 6 each)
if(TARGET mpj-bench) # rank 0's machine alone has a file with rules (made by bench_tune_machine)
  add_test(NAME coll_hosts_machine COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/net/network.sh 2 4 exit
    $<TARGET_FILE:coll_choosers> machine ${CMAKE_CURRENT_BINARY_DIR}/machine.json)
  set_tests_properties(coll_hosts_machine PROPERTIES TIMEOUT 120 FIXTURES_REQUIRED machine
    SKIP_RETURN_CODE 77 RESOURCE_LOCK hosts)
endif()
add_test(NAME coll_hosts_choosers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/net/network.sh 2 4 exit
  $<TARGET_FILE:coll_choosers>)
set_tests_properties(coll_hosts_nodes coll_hosts_choosers coll_hosts_two_level PROPERTIES TIMEOUT 120
  SKIP_RETURN_CODE 77 RESOURCE_LOCK hosts)
foreach(kind exchanges reductions)
  add_test(NAME coll_hosts_${kind} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/net/network.sh 2 4 exit
    $<TARGET_FILE:coll_${kind}> --plays 14 each)
  set_tests_properties(coll_hosts_${kind} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77
    RESOURCE_LOCK hosts)
endforeach()
# Four hosts of 64 ranks each; 77, and no failure, where namespaces are not permitted.
mpj_add_soak(coll_hosts_4x64 COMMAND ${CMAKE_COMMAND} -E env HOSTS_SECONDS=1700
  ${CMAKE_CURRENT_SOURCE_DIR}/net/network.sh 4 256 exit $<TARGET_FILE:coll_plays> --mixed 3)
set_tests_properties(soak_coll_hosts_4x64 PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK hosts)
mpj_add_soak(coll_vast_network COMMAND ${CMAKE_COMMAND} -E env ${over_network}
  $<TARGET_FILE:mpjrun> -n 2 $<TARGET_FILE:coll_vast>)
mpj_add_soak(coll_network_delays
  COMMAND ${CMAKE_COMMAND} -E env ${over_network} $<TARGET_FILE:mpjrun> -n 5
  $<TARGET_FILE:coll_plays> --mixed 10000 --delays)
