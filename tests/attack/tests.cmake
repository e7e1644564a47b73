# Programs that attack jobs, as another user where that can be. Label: attack.
if(TARGET mpjrun AND UCX_FOUND)
  find_library(MPJ_UCP_FILE ucp HINTS ${UCX_LIBRARY_DIRS})
  mark_as_advanced(MPJ_UCP_FILE)
  add_executable(attack_victim attack/victim.c)
  target_link_libraries(attack_victim PRIVATE mpj_internal)
  add_executable(attack_garbage attack/garbage.c)
  target_link_libraries(attack_garbage PRIVATE mpj_flags)
  add_executable(attack_forge attack/forge.c)
  target_include_directories(attack_forge SYSTEM PRIVATE ${UCX_INCLUDE_DIRS})
  target_link_libraries(attack_forge PRIVATE mpj_internal ${MPJ_UCP_FILE})
  foreach(program garbage forge)
    target_include_directories(attack_${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  endforeach()
  foreach(pair "forge forge" "garbage garbage" "ports garbage")
    separate_arguments(pair)
    list(GET pair 0 what)
    list(GET pair 1 program)
    add_test(NAME attack_${what} COMMAND ${CMAKE_CURRENT_LIST_DIR}/attack.sh ${what}
      $<TARGET_FILE:mpjrun> $<TARGET_FILE:attack_victim> $<TARGET_FILE:attack_${program}>)
    # The leak checker's tracer cannot read UCX's thread-local storage in the ranks.
    set_tests_properties(attack_${what} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77 LABELS attack
      ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endforeach()
endif()

# Ranks that fork.
if(TARGET mpjrun)
  add_executable(attack_forks attack/forks.c)
  target_link_libraries(attack_forks PRIVATE mpj_internal)
  set(ways shm)
  if(UCX_FOUND)
    list(APPEND ways ucx)
  endif()
  foreach(way ${ways})
    add_test(NAME attack_forks_${way} COMMAND mpjrun -n 3 --timeout 60 $<TARGET_FILE:attack_forks>)
    # plain: a child of several threads that is forked while another one allocates never gets
    # memory from gcc 12's AddressSanitizer.
    add_test(NAME attack_forks_${way}_thread
      COMMAND mpjrun -n 3 --timeout 60 $<TARGET_FILE:attack_forks> thread)
    set_tests_properties(attack_forks_${way} PROPERTIES TIMEOUT 100 LABELS attack)
    set_tests_properties(attack_forks_${way}_thread PROPERTIES TIMEOUT 100 LABELS "attack;plain")
    # A child that exits would be told of what UCX has in its parent as leaks.
    set(environment "MPJ_TRANSPORT=${way}" "ASAN_OPTIONS=detect_leaks=0")
    set_tests_properties(attack_forks_${way} PROPERTIES ENVIRONMENT "${environment}")
    set_tests_properties(attack_forks_${way}_thread PROPERTIES
      ENVIRONMENT "${environment};MPJ_PROGRESS=thread")
  endforeach()
endif()

# A rank that writes over what it shares with the others.
if(TARGET mpjrun)
  add_executable(attack_scribble attack/scribble.c)
  target_link_libraries(attack_scribble PRIVATE mpj_internal)
  foreach(seed 1 2)
    add_test(NAME attack_scribble_${seed} COMMAND ${CMAKE_CURRENT_LIST_DIR}/scribble.sh
      $<TARGET_FILE:mpjrun> $<TARGET_FILE:attack_scribble> 12 ${seed})
    set_tests_properties(attack_scribble_${seed} PROPERTIES TIMEOUT 300 LABELS attack)
  endforeach()
endif()
