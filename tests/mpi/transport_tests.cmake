# MPI as MPJ's transport, alone or beside shared memory: programs as they are, in processes in
# which MPI runs.
function(mpi_running mpi name)
  mpi_program(mpi_${name} ${mpi} mpi/running.c ${ARGN})
  set_target_properties(mpi_${name}_${mpi} PROPERTIES ENABLE_EXPORTS ON) # found by name
endfunction()

# mpi_play(NAME MPI RANKS PROGRAM args... [EACH n] [ENVIRONMENT v...]): EACH so many ranks a "host"
# of its own (hosts.sh), with shared memory within, else everything by MPI.
function(mpi_play name mpi ranks program)
  cmake_parse_arguments(P "" "EACH" "ENVIRONMENT" ${ARGN})
  set(launch mpi/launch.sh ${mpi} ${ranks})
  set(transport MPJ_TRANSPORT=mpi)
  if(P_EACH)
    set(launch mpi/hosts.sh ${mpi} ${ranks} ${P_EACH})
    set(transport MPJ_TRANSPORT=shm+mpi)
  endif()
  add_test(NAME mpi_${name}_${mpi}_${ranks} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${launch}
    $<TARGET_FILE:mpi_${program}_${mpi}> ${P_UNPARSED_ARGUMENTS})
  set_tests_properties(mpi_${name}_${mpi}_${ranks} PROPERTIES LABELS mpi TIMEOUT 300
    SKIP_RETURN_CODE 77
    ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0;MPJ_STALL_REPORT_S=20;${transport};${P_ENVIRONMENT}")
endfunction()

function(mpi_kill name)
  add_test(NAME mpi_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/kill.sh ${ARGN})
  set_tests_properties(mpi_${name} PROPERTIES LABELS mpi TIMEOUT 120 SKIP_RETURN_CODE 77
    ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endfunction()

set(chaos MPJ_CHAOS=delay=0.3,again=0.3,stall=0.002,stall_us=500,polls=60)
set(threads RUNNING_THREADS=multiple)
foreach(mpi mpich openmpi)
  if(NOT TARGET mpj_mpi_${mpi})
    continue()
  endif()
  mpi_running(${mpi} plays coll/board.c coll/plays.c coll/play.c coll/places.c coll/buffer.c
    coll/layouts.c)
  mpi_running(${mpi} exchanges coll/runner.c coll/places.c coll/exchange_plays.c coll/exchange_play.c
    coll/exchange_layouts.c coll/layouts.c coll/buffer.c)
  mpi_running(${mpi} reductions coll/runner.c coll/places.c coll/reduction_plays.c coll/reduction_play.c
    coll/reduction_model.c coll/reduction_copies.c coll/reduction_ops.c coll/exchange_layouts.c
    coll/layouts.c coll/buffer.c pack/scalar_ops.c)
  mpi_running(${mpi} requests coll/runner.c coll/places.c coll/requests.c coll/items.c)
  mpi_running(${mpi} astray coll/astray.c coll/astray_program.c coll/runner.c coll/places.c
    coll/items.c)
  mpi_running(${mpi} am_plays coll/am_plays.c coll/board.c)
  mpi_running(${mpi} am_regions coll/am_regions.c coll/board.c)
  mpi_running(${mpi} job net/job.c mpi/without_ucx.c)
  target_link_options(mpi_job_${mpi} PRIVATE -Wl,--wrap=mpj_ucx_open)

  mpi_play(plays ${mpi} 4 plays --every-root 1 --mixed 20)
  mpi_play(exchanges ${mpi} 4 exchanges --plays 5 each)
  mpi_play(reductions ${mpi} 4 reductions --plays 5 each)
  mpi_play(requests ${mpi} 4 requests --plays 1 --places 5)
  mpi_play(astray ${mpi} 4 astray --seed 41)
  mpi_play(astray ${mpi} 3 astray --seed 42)
  mpi_play(comms_over_mpi ${mpi} 3 comms mpi)

  # Shared memory within a "host", MPI between; also where a network lies between the hosts.
  mpi_play(hosts ${mpi} 4 job check shm+mpi EACH 2)
  mpi_play(hosts_alone ${mpi} 2 job check mpi EACH 1)
  mpi_play(hosts_plays ${mpi} 4 plays --every-root 1 --mixed 20 EACH 2)
  mpi_play(hosts_exchanges ${mpi} 5 exchanges --plays 4 each EACH 2)
  mpi_play(hosts_am ${mpi} 4 am_plays --messages 60 EACH 2)
  mpi_play(hosts_regions ${mpi} 3 am_regions --rounds 8 --seed 7 EACH 2)
  if(mpi STREQUAL mpich)
    add_test(NAME mpi_network_hosts COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/net/network.sh 2 4 check
      $<TARGET_FILE:mpi_job_mpich> shm+mpi)
    set_tests_properties(mpi_network_hosts PROPERTIES LABELS mpi TIMEOUT 120 SKIP_RETURN_CODE 77
      RESOURCE_LOCK hosts ENVIRONMENT MPJ_TRANSPORT=shm+mpi)
    add_test(NAME mpi_network_parted COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/net/network.sh 2 4 part
      $<TARGET_FILE:mpi_job_mpich>)
    set_tests_properties(mpi_network_parted PROPERTIES LABELS mpi TIMEOUT 120 SKIP_RETURN_CODE 77
      RESOURCE_LOCK hosts ENVIRONMENT MPJ_TRANSPORT=shm+mpi)
  endif()
  # Nobody asks for MPI, but one rank, or all, have no UCX.
  foreach(rank 0 3 all)
    mpi_play(hosts_without_ucx_${rank} ${mpi} 4 job check shm+mpi EACH 2
      ENVIRONMENT MPJ_TRANSPORT=auto WITHOUT_UCX=${rank})
  endforeach()
  if(UCX_FOUND)
    mpi_play(hosts_with_ucx ${mpi} 4 job check shm+ucx EACH 2 ENVIRONMENT MPJ_TRANSPORT=auto)
  endif()

  # A thread of the library's own, and several of the program's, in an MPI that takes them.
  mpi_running(${mpi} multiple coll/test_multiple.c)
  target_link_libraries(mpi_multiple_${mpi} PRIVATE PkgConfig::CHECK)
  mpi_play(plays_progress ${mpi} 4 plays --every-root 1 --mixed 20
    ENVIRONMENT ${threads} MPJ_PROGRESS=thread)
  mpi_play(requests_progress ${mpi} 4 requests --plays 1 --places 5
    ENVIRONMENT ${threads} MPJ_PROGRESS=thread)
  mpi_play(hosts_progress ${mpi} 4 plays --mixed 20 EACH 2
    ENVIRONMENT ${threads} MPJ_PROGRESS=thread)
  mpi_play(multiple ${mpi} 3 multiple job ENVIRONMENT ${threads})
  mpi_play(multiple_progress ${mpi} 3 multiple job ENVIRONMENT ${threads} MPJ_PROGRESS=thread)

  # Messages that come late and in other orders, calls that find no room, ranks that fall asleep.
  mpi_play(chaos ${mpi} 3 plays --mixed 40 ENVIRONMENT ${chaos})
  mpi_play(chaos_hosts ${mpi} 4 plays --mixed 30 EACH 2 ENVIRONMENT ${chaos})
  mpi_play(chaos_am ${mpi} 3 am_plays --messages 40 ENVIRONMENT ${chaos})
  mpi_play(chaos_regions ${mpi} 3 am_regions --rounds 8 --seed 8 ENVIRONMENT ${chaos})

  # A rank that is killed.
  mpi_kill(chaos_kill_${mpi} ${mpi} 3 $<TARGET_FILE:mpi_plays_${mpi}> --mixed 300)
  if(mpi STREQUAL mpich)
    mpi_kill(kill_${mpi} spared 4 $<TARGET_FILE:mpi_job_${mpi}>)
    mpi_running(${mpi} am_deaths coll/am_deaths.c coll/board.c)
    mpi_kill(kill_between_${mpi} between 3 $<TARGET_FILE:mpi_am_deaths_${mpi}> ${every_operation})
    mpi_kill(kill_alone_${mpi} alone 3 $<TARGET_FILE:mpi_am_deaths_${mpi}> ${every_operation})
    mpi_kill(stopped_${mpi} stopped 3 $<TARGET_FILE:mpi_am_deaths_${mpi}> call)
  endif()
endforeach()
