# The tests of the net layer. Those in one process run under the thread
# sanitizer too.
foreach(name short marked eager inbox states malformed pull idle chaos far)
  mpj_add_test(net_${name} LAYER net SOURCES net/test_${name}.c net/endpoints.c LABELS threads)
endforeach()
foreach(name segment exposure share stream_ring tried memory pmi occupancy lifeline)
  mpj_add_test(net_${name} LAYER net SOURCES net/test_${name}.c LABELS threads)
endforeach()
# Ranks as processes.
foreach(name shm shm_failure shm_open lent_rings two_sided blocks)
  mpj_add_test(net_${name} LAYER net SOURCES net/test_${name}.c net/endpoints.c net/ranks.c)
endforeach()
# Moving megabytes under a sanitizer takes longer than Check's 4 seconds a test.
foreach(name short marked eager inbox states malformed pull idle chaos far segment exposure share memory pmi lifeline
        shm shm_failure shm_open lent_rings two_sided blocks)
  set_tests_properties(net_${name} PROPERTIES ENVIRONMENT CK_DEFAULT_TIMEOUT=100)
endforeach()
# One ring for all, which goes round.
add_test(NAME net_inbox_ring COMMAND net_inbox)
set_tests_properties(net_inbox_ring PROPERTIES TIMEOUT 360 LABELS threads
  ENVIRONMENT "CK_DEFAULT_TIMEOUT=100;MPJ_RINGS=1")
# The same by one side, and by both wherever that is possible.
foreach(how on off)
  foreach(name shm shm_failure)
    add_test(NAME net_${name}_two_sided_${how} COMMAND net_${name})
    set_tests_properties(net_${name}_two_sided_${how} PROPERTIES TIMEOUT 360
      ENVIRONMENT "CK_DEFAULT_TIMEOUT=100;MPJ_TWO_SIDED=${how}")
  endforeach()
endforeach()

# Jobs started by every launcher that is installed, on one "host" and on several.
add_executable(net_job net/job.c)
target_link_libraries(net_job PRIVATE mpj_internal)
function(net_script name)
  add_test(NAME net_${name} COMMAND ${ARGN})
  set_tests_properties(net_${name} PROPERTIES TIMEOUT 100 SKIP_RETURN_CODE 77)
endfunction()
function(net_launch name launcher ranks what)
  net_script(launch_${name} ${CMAKE_CURRENT_SOURCE_DIR}/net/launchers.sh ${launcher} ${ranks} ${what}
    $<TARGET_FILE:net_job>)
  if(${name} MATCHES "over_network")
    set_tests_properties(net_launch_${name} PROPERTIES ENVIRONMENT MPJ_TRANSPORT=ucx)
  endif()
endfunction()
net_launch(plain plain 1 nothing)
net_launch(mpich mpich 4 shm)
net_launch(mpich_1 mpich 1 nothing)
net_launch(mpich_again mpich 2 again)
net_launch(mpich_kill mpich 4 kill)
net_launch(mpich_lack mpich 3 lack)
net_launch(mpich_blind mpich 4 blind)
if(UCX_FOUND)
  mpj_add_soak(net_launch_mpich_66 COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/net/launchers.sh mpich 66 shm
    $<TARGET_FILE:net_job>)
endif()
if(PMIX_FOUND)
  net_launch(openmpi openmpi 3 shm)
  net_launch(openmpi_1 openmpi 1 nothing)
  net_launch(openmpi_again openmpi 2 again)
endif()
# Slurm's srun, where Slurm is installed.
foreach(plugin pmi2 pmix)
  if(plugin STREQUAL pmix AND NOT PMIX_FOUND)
    continue()
  endif()
  foreach(job "shm" "kill")
    net_script(launch_srun_${plugin}_${job} ${CMAKE_CURRENT_SOURCE_DIR}/net/slurm.sh ${plugin}
      ${CMAKE_CURRENT_SOURCE_DIR}/net/launchers.sh srun-${plugin} 3 ${job} $<TARGET_FILE:net_job>)
    # Slurm may need several attempts to start.
    set_tests_properties(net_launch_srun_${plugin}_${job} PROPERTIES TIMEOUT 200)
  endforeach()
endforeach()
if(TARGET mpjrun)
  net_launch(mpjrun $<TARGET_FILE:mpjrun> 3 shm)
  net_launch(mpjrun_kill $<TARGET_FILE:mpjrun> 3 kill)
  net_launch(mpjrun_again $<TARGET_FILE:mpjrun> 2 again)
endif()
if(UCX_FOUND)
  mpj_add_test(net_handshake LAYER net SOURCES net/test_handshake.c)
  mpj_add_test(net_device LAYER net SOURCES net/test_device.c)
  mpj_add_test(net_ucx LAYER net SOURCES net/test_ucx.c net/endpoints.c net/ranks.c)
  set_tests_properties(net_ucx PROPERTIES ENVIRONMENT CK_DEFAULT_TIMEOUT=100)
  net_launch(mpich_over_network mpich 3 ucx)
  net_launch(mpich_over_network_kill mpich 3 kill)
  net_launch(mpich_over_network_lack mpich 3 lack)
  if(PMIX_FOUND)
    net_launch(openmpi_over_network openmpi 3 ucx)
  endif()
  mpj_add_test(net_directory LAYER net SOURCES net/test_directory.c)
  mpj_add_test(net_meet LAYER net SOURCES net/test_meet.c net/endpoints.c)
  if(TARGET mpjrun)
    net_script(few_connections ${CMAKE_COMMAND} -E env MPJ_TRANSPORT=ucx MPJ_CONNECT=first MPJ_COLL_BARRIER=dissemination
      $<TARGET_FILE:mpjrun> -n 16
      $<TARGET_FILE:net_job> few)
    net_launch(mpjrun_over_network $<TARGET_FILE:mpjrun> 4 ucx)
    net_launch(mpjrun_over_network_kill $<TARGET_FILE:mpjrun> 4 kill)
  endif()
  foreach(job "2 4" "4 8")
    separate_arguments(job)
    list(GET job 0 hosts)
    list(GET job 1 ranks)
    foreach(what check kill cut unmet apart)
      net_script(hosts_${hosts}_${what} ${CMAKE_CURRENT_SOURCE_DIR}/net/network.sh ${hosts} ${ranks}
        ${what} $<TARGET_FILE:net_job>)
      # All hosts have the same addresses: one at a time.
      set_tests_properties(net_hosts_${hosts}_${what} PROPERTIES RESOURCE_LOCK hosts)
    endforeach()
  endforeach()
endif()

# The protocols' models: spin checks each, and finds each mistake it is told to make.
# They do not depend on how the library was built.
if(NOT MPJ_SANITIZE AND NOT MPJ_COVERAGE)
  foreach(model cells circle closing exposure inbox neighbourhood share sleep stream window)
    add_test(NAME net_model_${model} COMMAND ${CMAKE_COMMAND} -D CC=${CMAKE_C_COMPILER}
      -D MODEL=${PROJECT_SOURCE_DIR}/spec/models/${model}.pml
      -D FOLDER=${CMAKE_CURRENT_BINARY_DIR}/models/${model}
      -P ${CMAKE_CURRENT_LIST_DIR}/test_models.cmake)
    set_tests_properties(net_model_${model} PROPERTIES TIMEOUT 600
      SKIP_REGULAR_EXPRESSION "skipped: ")
  endforeach()
endif()
