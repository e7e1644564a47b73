# The tests of the conversions, once for each MPI library: one rank each, without a launcher.
if(NOT MPJ_MPI OR MPJ_SANITIZE MATCHES "thread")
  return()
endif()
set(alone CK_FORK=no ASAN_OPTIONS=detect_leaks=0)
foreach(mpi mpich openmpi)
  if(NOT TARGET mpj_mpi_${mpi})
    continue()
  endif()
  foreach(name types parts ops deep_mpi)
    mpj_add_test(mpi_${name}_${mpi} SOURCES mpi/test_${name}.c mpi/random_mpi.c mpi/compare.c
      LABELS mpi LIBS mpj_test_types mpj_mpi_${mpi})
    # MPI does not survive a fork; its own leaks are not ours.
    set_tests_properties(mpi_${name}_${mpi} PROPERTIES ENVIRONMENT "${alone}")
  endforeach()
  add_test(NAME mpi_types_to_${mpi} COMMAND mpi_types_${mpi} to)
  set_tests_properties(mpi_types_to_${mpi} PROPERTIES LABELS mpi TIMEOUT 360 ENVIRONMENT "${alone}")
endforeach()

# Jobs of each MPI's launcher. mpi_job(NAME MPI RANKS program args...)
function(mpi_job name mpi ranks)
  add_test(NAME mpi_${name}_${mpi}_${ranks}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/launch.sh ${mpi} ${ranks} ${ARGN})
  set_tests_properties(mpi_${name}_${mpi}_${ranks} PROPERTIES LABELS mpi TIMEOUT 300
    SKIP_RETURN_CODE 77 ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0;MPJ_STALL_REPORT_S=20")
endfunction()
# mpi_program(NAME MPI f...): a program of an MPI that sees the internal names.
function(mpi_program name mpi)
  add_executable(${name}_${mpi} ${ARGN})
  target_link_libraries(${name}_${mpi} PRIVATE mpj_mpi_${mpi} mpj_test_types mpj_internal)
  target_include_directories(${name}_${mpi} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
endfunction()
foreach(mpi mpich openmpi)
  if(NOT TARGET mpj_mpi_${mpi})
    continue()
  endif()
  mpi_program(mpi_comms ${mpi} mpi/comms.c)
  add_executable(mpi_boot_${mpi} mpi/boot.c) # by the shared libraries, as users have them
  string(TOUPPER MPJ_${mpi} prefix)
  target_link_libraries(mpi_boot_${mpi} PRIVATE mpj-mpi-${mpi} mpj_flags PkgConfig::${prefix})
  foreach(ranks RANGE 1 9) # and communicators of every size up to it
    mpi_job(comms ${mpi} ${ranks} $<TARGET_FILE:mpi_comms_${mpi}> mpi)
  endforeach()
  mpi_job(comms_many ${mpi} 2 $<TARGET_FILE:mpi_comms_${mpi}> mpj many)
  mpi_job(comms_started ${mpi} 2 $<TARGET_FILE:mpi_comms_${mpi}> started)
  foreach(how auto mpi single thread multiple)
    mpi_job(boot_${how} ${mpi} 2 $<TARGET_FILE:mpi_boot_${mpi}> ${how})
  endforeach()
endforeach()

# Random programs under the interposer. With a sanitizer, whose library must come first, they are
# linked with it instead.
function(mpi_interposed mpi)
  add_executable(mpi_interposed_${mpi} mpi/interposed.c mpi/interposed_move.c
    mpi/interposed_reduce.c mpi/tiled_mpi.c)
  set(library $<TARGET_FILE:mpj-interpose-${mpi}>)
  if(MPJ_SANITIZE)
    set(library linked)
    target_link_libraries(mpi_interposed_${mpi} PRIVATE mpj-interpose-${mpi})
  endif()
  string(TOUPPER MPJ_${mpi} prefix)
  target_link_libraries(mpi_interposed_${mpi} PRIVATE mpj_flags PkgConfig::${prefix})
  target_include_directories(mpi_interposed_${mpi} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_dependencies(mpi_interposed_${mpi} mpj-interpose-${mpi})
  set(run ${CMAKE_CURRENT_SOURCE_DIR}/mpi/interposed.sh ${mpi})
  foreach(job "1 1 20" "2 100 20" "3 200 12" "4 300 4" "5 500 2" "6 600 1" "7 700 1" "8 400 2"
      "9 900 1")
    separate_arguments(job)
    list(POP_FRONT job ranks)
    if(MPJ_SANITIZE AND ranks GREATER 4)
      continue()
    endif()
    add_test(NAME mpi_interposed_${mpi}_${ranks}
      COMMAND ${run} ${ranks} ${library} $<TARGET_FILE:mpi_interposed_${mpi}> ${job})
    set_tests_properties(mpi_interposed_${mpi}_${ranks} PROPERTIES LABELS mpi TIMEOUT 300
      SKIP_RETURN_CODE 77 ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
  endforeach()
  foreach(ranks 1 2 3 4 5 6 7 8 9)
    mpj_add_soak(mpi_interposed_${mpi}_${ranks}
      COMMAND ${run} ${ranks} ${library} $<TARGET_FILE:mpi_interposed_${mpi}> ${ranks}000 230)
  endforeach()
endfunction()
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi})
    mpi_interposed(${mpi})
  endif()
endforeach()

# ScaLAPACK's redistribution, where it can be linked with.
foreach(mpi mpich openmpi)
  find_library(SCALAPACK_${mpi} scalapack-${mpi})
  if(TARGET mpj-scalapack-${mpi} AND SCALAPACK_${mpi} AND NOT MPJ_SANITIZE)
    string(TOUPPER MPJ_${mpi} prefix)
    add_executable(mpi_gemr2d_${mpi} mpi/gemr2d.c)
    target_link_libraries(mpi_gemr2d_${mpi} PRIVATE mpj_flags ${SCALAPACK_${mpi}} PkgConfig::${prefix})
    foreach(ranks 2 4) # MPICH's spin
      math(EXPR rounds "60 / ${ranks} / ${ranks}")
      add_test(NAME mpi_gemr2d_${mpi}_${ranks} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/gemr2d.sh ${mpi}
        $<TARGET_FILE:mpj-scalapack-${mpi}> $<TARGET_FILE:mpi_gemr2d_${mpi}> ${ranks} ${rounds})
      set_tests_properties(mpi_gemr2d_${mpi}_${ranks} PROPERTIES LABELS mpi TIMEOUT 220
        SKIP_RETURN_CODE 77)
    endforeach()
    add_executable(mpi_gemr2d_kept_${mpi} mpi/gemr2d_kept.c)
    set_target_properties(mpi_gemr2d_kept_${mpi} PROPERTIES ENABLE_EXPORTS ON)
    target_include_directories(mpi_gemr2d_kept_${mpi} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(mpi_gemr2d_kept_${mpi} PRIVATE mpj_flags ${SCALAPACK_${mpi}}
      PkgConfig::${prefix} ${CMAKE_DL_LIBS})
    add_test(NAME mpi_gemr2d_kept_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/gemr2d.sh ${mpi}
      $<TARGET_FILE:mpj-scalapack-${mpi}> $<TARGET_FILE:mpi_gemr2d_kept_${mpi}> 3)
    set_tests_properties(mpi_gemr2d_kept_${mpi} PROPERTIES LABELS mpi TIMEOUT 120
      SKIP_RETURN_CODE 77)
  endif()
endforeach()

# Programs of others, unmodified. They are not instrumented: no sanitizer sees them.
if(TARGET mpj-interpose-mpich AND NOT MPJ_SANITIZE)
  set(run ${CMAKE_CURRENT_SOURCE_DIR}/mpi/scalapack.sh $<TARGET_FILE:mpj-interpose-mpich>)
  foreach(name xdlu xdqr)
    add_test(NAME mpi_scalapack_${name} COMMAND ${run} ${name} short)
    set_tests_properties(mpi_scalapack_${name} PROPERTIES LABELS mpi TIMEOUT 300 SKIP_RETURN_CODE 77)
  endforeach()
  foreach(name xdlu xdqr xdtrd xzgsep)
    mpj_add_soak(mpi_scalapack_${name} COMMAND ${run} ${name})
  endforeach()
endif()
if(TARGET mpj-interpose-openmpi AND NOT MPJ_SANITIZE)
  add_test(NAME mpi_scotch COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/scotch.sh
    $<TARGET_FILE:mpj-interpose-openmpi> 3)
  set_tests_properties(mpi_scotch PROPERTIES LABELS mpi TIMEOUT 300 SKIP_RETURN_CODE 77)
  mpj_add_soak(mpi_scotch COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/scotch.sh
    $<TARGET_FILE:mpj-interpose-openmpi> 5 40)
  foreach(ranks 1 4)
    add_test(NAME mpi_irregular_${ranks} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/irregular.sh
      $<TARGET_FILE:mpj-interpose-openmpi> ${ranks})
    set_tests_properties(mpi_irregular_${ranks} PROPERTIES LABELS mpi TIMEOUT 110
      SKIP_RETURN_CODE 77)
  endforeach()
endif()
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND NOT MPJ_SANITIZE)
    set(run ${CMAKE_CURRENT_SOURCE_DIR}/mpi/fortran.sh ${mpi} $<TARGET_FILE:mpj-interpose-${mpi}>)
    add_test(NAME mpi_fortran_${mpi}
      COMMAND ${run} collectives barrier bcast allgatherv allreduce scan)
    add_test(NAME mpi_fortran_nonblocking_${mpi}
      COMMAND ${run} nonblocking barrier bcast allgatherv alltoallw allreduce scan)
    add_test(NAME mpi_fortran_modern_${mpi} COMMAND ${run} modern allreduce bcast)
    add_test(NAME mpi_fortran_modern_looks_${mpi} COMMAND ${run} modern_looks allreduce barrier)
    set_tests_properties(mpi_fortran_${mpi} mpi_fortran_nonblocking_${mpi} mpi_fortran_modern_${mpi}
      mpi_fortran_modern_looks_${mpi} PROPERTIES LABELS mpi TIMEOUT 110 SKIP_RETURN_CODE 77)
  endif()
endforeach()
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND TARGET mpjrun AND NOT MPJ_SANITIZE)
    add_test(NAME mpi_mpjrun_${mpi}
      COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_interposed_${mpi}> 500 2 served)
    set_tests_properties(mpi_mpjrun_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
      PASS_REGULAR_EXPRESSION "mpj: allgather"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;MPJ_INTERPOSE_REPORT=1")
    add_test(NAME mpi_none_${mpi} # the columns: served, bytes, seconds, not chosen
      COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_interposed_${mpi}> 500 2)
    set_tests_properties(mpi_none_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
      PASS_REGULAR_EXPRESSION "mpj: allgather +0 +0 +0.000 +[1-9]"
      FAIL_REGULAR_EXPRESSION "no collective;mpj: [a-z_]+ +[1-9]"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;MPJ_INTERPOSE_REPORT=1;MPJ_INTERPOSE=none")
  endif()
endforeach()

# Threads that are the first in new communicators: of 6,400 calls more than 2,500 are served.
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND TARGET mpjrun AND NOT MPJ_SANITIZE)
    string(TOUPPER MPJ_${mpi} prefix)
    add_executable(mpi_firsts_${mpi} mpi/firsts.c)
    target_link_libraries(mpi_firsts_${mpi} PRIVATE mpj_flags PkgConfig::${prefix} Threads::Threads)
    add_test(NAME mpi_firsts_${mpi} COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_firsts_${mpi}>)
    set_tests_properties(mpi_firsts_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
      PASS_REGULAR_EXPRESSION "mpj: allreduce +(2[5-9]|[3-6][0-9])[0-9][0-9] +[1-9]"
      FAIL_REGULAR_EXPRESSION "sums are wrong"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;MPJ_INTERPOSE_REPORT=1")
    # Of 4 on each communicator none is, and nothing is converted: all are "not yet".
    add_test(NAME mpi_firsts_few_${mpi} COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_firsts_${mpi}> 4)
    set_tests_properties(mpi_firsts_few_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
      PASS_REGULAR_EXPRESSION "mpj: allreduce +0 +0 +0.000 +0 +0 +64 "
      FAIL_REGULAR_EXPRESSION "sums are wrong"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;MPJ_INTERPOSE_REPORT=1")
  endif()
endforeach()

# Two of them in a circle; the program's own functions stand before the interposer's.
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND TARGET mpjrun AND NOT MPJ_SANITIZE)
    string(TOUPPER MPJ_${mpi} prefix)
    add_executable(mpi_circle_${mpi} mpi/circle.c)
    set_target_properties(mpi_circle_${mpi} PROPERTIES ENABLE_EXPORTS ON)
    target_link_libraries(mpi_circle_${mpi} PRIVATE mpj_flags PkgConfig::${prefix} Threads::Threads
      ${CMAKE_DL_LIBS})
    add_test(NAME mpi_circle_${mpi} COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_circle_${mpi}>)
    set_tests_properties(mpi_circle_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
      PASS_REGULAR_EXPRESSION "converted after [1-9]"
      FAIL_REGULAR_EXPRESSION "none converted;a sum is"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
  endif()
endforeach()

# Calls repeated with handles and lists whose meaning changes.
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND TARGET mpjrun AND NOT MPJ_SANITIZE)
    string(TOUPPER MPJ_${mpi} prefix)
    add_executable(mpi_repeated_${mpi} mpi/repeated.c)
    target_link_libraries(mpi_repeated_${mpi} PRIVATE mpj_flags PkgConfig::${prefix})
    add_test(NAME mpi_repeated_${mpi} COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_repeated_${mpi}>)
    set_tests_properties(mpi_repeated_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
      PASS_REGULAR_EXPRESSION "rounds are equal"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
  endif()
endforeach()

# Parallel HDF5, as the distribution builds it for MPICH.
if(TARGET mpj-interpose-mpich AND NOT MPJ_SANITIZE)
  pkg_check_modules(MPJ_HDF5 QUIET IMPORTED_TARGET hdf5-mpich)
  if(MPJ_HDF5_FOUND)
    add_executable(mpi_hdf5 mpi/hdf5.c)
    target_link_libraries(mpi_hdf5 PRIVATE mpj_flags PkgConfig::MPJ_HDF5 PkgConfig::MPJ_MPICH)
    add_test(NAME mpi_hdf5 COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/hdf5.sh
      $<TARGET_FILE:mpj-interpose-mpich> 3 $<TARGET_FILE:mpi_hdf5>)
    set_tests_properties(mpi_hdf5 PROPERTIES LABELS mpi TIMEOUT 300 SKIP_RETURN_CODE 77)
  endif()
endif()

# Programs of one subject each, which print the same with the interposer and without.
# mpi_same(NAME MPI RANKS arg...)
function(mpi_same name mpi ranks)
  string(TOUPPER MPJ_${mpi} prefix)
  add_executable(mpi_${name}_${mpi} mpi/${name}.c)
  target_link_libraries(mpi_${name}_${mpi} PRIVATE mpj_flags PkgConfig::${prefix})
  add_test(NAME mpi_${name}_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/interposed.sh ${mpi}
    ${ranks} $<TARGET_FILE:mpj-interpose-${mpi}> $<TARGET_FILE:mpi_${name}_${mpi}> ${ARGN})
  set_tests_properties(mpi_${name}_${mpi} PROPERTIES LABELS mpi TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND NOT MPJ_SANITIZE)
    mpi_same(wrong ${mpi} 2)
    add_test(NAME mpi_wrong_abort_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/interposed.sh ${mpi}
      2 $<TARGET_FILE:mpj-interpose-${mpi}> $<TARGET_FILE:mpi_wrong_${mpi}>)
    set_tests_properties(mpi_wrong_abort_${mpi} PROPERTIES LABELS mpi TIMEOUT 300
      SKIP_RETURN_CODE 77 ENVIRONMENT MPJ_ERRORS=abort)
    mpi_same(lives ${mpi} 2)
    mpi_same(waits ${mpi} 3)
    mpi_same(started ${mpi} 3)
    add_test(NAME mpi_fatal_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/fatal.sh ${mpi}
      $<TARGET_FILE:mpj-interpose-${mpi}> $<TARGET_FILE:mpi_wrong_${mpi}>)
    set_tests_properties(mpi_fatal_${mpi} PROPERTIES LABELS mpi TIMEOUT 110 SKIP_RETURN_CODE 77)
    mpi_same(counted ${mpi} 2)
    mpi_same(looks ${mpi} 2)
    mpi_same(many ${mpi} 2)
    mpi_same(aliased ${mpi} 3)
    add_test(NAME mpi_report_${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/report.sh ${mpi}
      $<TARGET_FILE:mpj-interpose-${mpi}> $<TARGET_FILE:mpi_counted_${mpi}>)
    set_tests_properties(mpi_report_${mpi} PROPERTIES LABELS mpi TIMEOUT 110 SKIP_RETURN_CODE 77)
  endif()
endforeach()
if(TARGET mpj-interpose-mpich AND NOT MPJ_SANITIZE)
  mpi_same(large mpich 3)
  mpi_same(sessions mpich 3 beside)
  if(TARGET mpjrun) # without MPI_Init nothing is served
    add_test(NAME mpi_sessions_alone COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_sessions_mpich> alone)
    set_tests_properties(mpi_sessions_alone PROPERTIES LABELS mpi TIMEOUT 110
      PASS_REGULAR_EXPRESSION "all right.*all right" FAIL_REGULAR_EXPRESSION wrong)
  endif()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/transport_tests.cmake)
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND TARGET mpjrun AND NOT MPJ_SANITIZE)
    string(TOUPPER MPJ_${mpi} prefix)
    foreach(name overlap mixed)
      add_executable(mpi_${name}_${mpi} mpi/${name}.c)
      target_link_libraries(mpi_${name}_${mpi} PRIVATE mpj_flags PkgConfig::${prefix} Threads::Threads)
      add_test(NAME mpi_${name}_${mpi} COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_${name}_${mpi}>)
      set_tests_properties(mpi_${name}_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
        PASS_REGULAR_EXPRESSION "all right.*all right" FAIL_REGULAR_EXPRESSION wrong
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
    endforeach()
    add_test(NAME mpi_overlap_serialized_${mpi}
      COMMAND mpjrun --mpi -n 2 $<TARGET_FILE:mpi_overlap_${mpi}> 2)
    set_tests_properties(mpi_overlap_${mpi} mpi_overlap_serialized_${mpi} PROPERTIES LABELS mpi
      TIMEOUT 110 PASS_REGULAR_EXPRESSION "all right"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
  endif()
endforeach()

# A program of the one library under the other's interposer.
if(TARGET mpj-interpose-mpich AND TARGET mpj-interpose-openmpi AND TARGET mpjrun AND NOT MPJ_SANITIZE)
  foreach(pair mpich:openmpi openmpi:mpich)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 mpi)
    list(GET pair 1 other)
    add_test(NAME mpi_other_library_${mpi}
      COMMAND mpjrun --mpi=${other} -n 1 $<TARGET_FILE:mpi_counted_${mpi}>)
    set_tests_properties(mpi_other_library_${mpi} PROPERTIES LABELS mpi TIMEOUT 60
      PASS_REGULAR_EXPRESSION "libmpj-interpose-${other}.so is loaded into .*it needs libmpj-interpose-${mpi}.so"
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
  endforeach()
endif()

# Programs under the interposer alone, and what they or its report must say.
# mpi_says(NAME MPI RANKS PROGRAM RIGHT WRONG SETTING args...): SETTING is VARIABLE=VALUE or nothing.
function(mpi_says name mpi ranks program right wrong setting)
  if(NOT TARGET mpi_${program}_${mpi})
    string(TOUPPER MPJ_${mpi} prefix)
    add_executable(mpi_${program}_${mpi} mpi/${program}.c)
    target_link_libraries(mpi_${program}_${mpi} PRIVATE mpj_flags PkgConfig::${prefix} ${CMAKE_DL_LIBS})
  endif()
  add_test(NAME mpi_${name}_${mpi}
    COMMAND mpjrun --mpi -n ${ranks} $<TARGET_FILE:mpi_${program}_${mpi}> ${ARGN})
  set_tests_properties(mpi_${name}_${mpi} PROPERTIES LABELS mpi TIMEOUT 110
    PASS_REGULAR_EXPRESSION "${right}" FAIL_REGULAR_EXPRESSION "${wrong}" ENVIRONMENT
    "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;MPJ_INTERPOSE_REPORT=1;OMPI_MCA_orte_base_help_aggregate=0;${setting}")
endfunction()
foreach(mpi mpich openmpi)
  if(TARGET mpj-interpose-${mpi} AND TARGET mpjrun AND NOT MPJ_SANITIZE)
    mpi_says(bypassed_world ${mpi} 3 bypassed "mpj: allreduce +15 " "wrong [a-z]" "" world)
    mpi_says(bypassed_same ${mpi} 3 bypassed "mpj: allreduce +15 +[0-9]+ +[0-9.]+ +0 +1 +0 +2 +0"
      "wrong [a-z]" "" same)
    mpi_says(bypassed_some ${mpi} 3 bypassed "mpj: nothing was served on a rank: MPI was not begun by"
      "wrong [a-z]" "" some)
    foreach(ranks RANGE 1 5)
      mpi_says(empties_${ranks} ${mpi} ${ranks} empties "all right" "wrong: " "" ${ranks}00 60)
    endforeach()
    foreach(ranks 2 5)
      mpi_says(shorter_${ranks} ${mpi} ${ranks} shorter "all right" "wrong [A-Z]" "" ${ranks}00 12)
    endforeach()
    foreach(setting GATHER=flat GATHER=knomial ALLTOALL=bruck:2 ALLTOALL=two_level)
      string(REGEX REPLACE "[=:]" "_" name ${setting})
      mpi_says(shorter_${name} ${mpi} 4 shorter "all right" "wrong [A-Z];no algorithm"
        "MPJ_COLL_NODES=2;MPJ_COLL_${setting}" 400 6)
    endforeach()
    mpi_says(lazy ${mpi} 2 lazy "mpj: allreduce +2 .*right, MPJ runs|right, MPJ runs.*mpj: allreduce +2 "
      "wrong, MPJ" "")
    mpi_says(lazy_none ${mpi} 2 lazy "right, MPJ does not run" "wrong, MPJ|mpj: allreduce +[1-9]"
      "MPJ_INTERPOSE=none")
    foreach(way RANGE 8) # the one pair of two ranks connects once
      mpi_says(first_looks_${way} ${mpi} 2 first_looks "all right" "wrong: " "" ${way})
    endforeach()
    mpi_says(first_looks_all ${mpi} 5 first_looks "all right" "wrong: " "" 0)
    mpi_says(forked ${mpi} 2 forked "forked by rank [01] .process [0-9]+., and is no rank: this process ends.*all right" "wrong: " "")
    mpi_says(refused ${mpi} 2 refused "all right" "wrong: " "")
    foreach(ranks 2 5)
      mpi_says(unequal_forgets_${ranks} ${mpi} ${ranks} unequal
        "mpj: MPI_Finalize: .*operation [0-9]+ is MPJ_[FB][a-z]+ .*on rank [0-9], but MPJ_[FB].*was told"
        "was not told|wrong: " "" forgets)
      set(ways surplus surplus-dup)
      if(mpi STREQUAL openmpi) # whose launcher may spoil the words of who is aborted, or wait for others
        set(ways)
      endif()
      foreach(way ${ways})
        mpi_says(unequal_${way}_${ranks} ${mpi} ${ranks} unequal
          "MPI_Barrier on rank [14]: operation [0-9]+ is MPJ_Barrier on rank [14], but MPJ_Finalize on rank "
          "was not told|wrong: " "" ${way})
      endforeach()
    endforeach()
    mpi_says(outcomes ${mpi} 2 outcomes "rank [01] is right.*rank [01] is right" "wrong: " "")
    set(sentence "on rank 1: rank 0 sent 8 int")
    mpi_says(failing_handler ${mpi} 2 failing
      "truncated: MPI_Bcast ${sentence}.*truncated: MPI_Ibcast ${sentence}.*truncated: MPI_Bcast_init ${sentence}"
      "hears, other|MPJ_" "" handler)
    set(words "MPI_Comm_call_errhandler.*MPI_I?[Bb]cast ${sentence}")
    if(mpi STREQUAL openmpi) # whose launcher may spoil them
      set(words "${words}|ORTE_ERROR_LOG")
    endif()
    foreach(how fatal late)
      mpi_says(failing_${how} ${mpi} 2 failing "${words}"
        "Invalid communicator|the end" "" ${how})
    endforeach()
  endif()
endforeach()
