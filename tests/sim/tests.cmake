# The tests of the simulated machine: single messages, closed forms, collectives against a serial
# reference, and the tool.
mpj_add_test(sim SOURCES sim/test_sim.c LABELS threads LIBS mpj_sim)
mpj_add_test(sim_virtual SOURCES sim/test_virtual.c LABELS threads LIBS mpj_sim)
if(MPJ_TOOLS)
  foreach(name forms plays)
    add_executable(sim_${name} sim/sim_${name}.c ${PROJECT_SOURCE_DIR}/tools/mpj-sim/program.c
      ${PROJECT_SOURCE_DIR}/tools/mpj-sim/run.c)
    target_include_directories(sim_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools/mpj-sim)
    target_link_libraries(sim_${name} PRIVATE mpj_internal)
  endforeach()
  foreach(form dissemination binomial chain exchange ring)
    add_test(NAME sim_form_${form} COMMAND sim_forms ${form} --most 128)
    set_tests_properties(sim_form_${form} PROPERTIES TIMEOUT 120)
  endforeach()
  add_test(NAME sim_looks COMMAND sim_plays seeds 1 700353) # hung where a test let steps go on
  add_test(NAME sim_algorithms COMMAND sim_plays algorithms --ranks 1-17)
  add_test(NAME sim_algorithms_wide COMMAND sim_plays algorithms --ranks 18-130 --every 113)
  # More ranks than ten rounds reach.
  foreach(op bcast reduce allreduce allgather reduce_scatter)
    add_test(NAME sim_circulant_${op} COMMAND mpj-sim --op ${op} --algorithm circulant --ranks 1025
      --bytes 24 --quiet)
  endforeach()
  # Data that is advertised to a rank's first step that waits is pulled though nothing else comes.
  add_test(NAME sim_last_pull COMMAND mpj-sim --op allgather --algorithm exchange --ranks 40
    --ranks-per-node 3 --bytes 500 --random 10us --quiet)
  set_tests_properties(sim_algorithms_wide PROPERTIES TIMEOUT 200 LABELS plain)
  set(seeds 150)
  set(deaths 2000) # most end at once
  foreach(play seeds deaths) # sanitizers see few of them
    math(EXPR few "${${play}} / 10")
    add_test(NAME sim_${play} COMMAND sim_plays ${play} ${${play}})
    add_test(NAME sim_${play}_few COMMAND sim_plays ${play} ${few})
    set_tests_properties(sim_${play} sim_${play}_few PROPERTIES TIMEOUT 200)
    set_tests_properties(sim_${play} PROPERTIES LABELS plain)
  endforeach()
  foreach(op barrier bcast gather scatter allgather reduce allreduce reduce_scatter scan exscan)
    set(bytes --bytes 24)
    if(op STREQUAL barrier)
      set(bytes)
    endif()
    add_test(NAME sim_wide_${op} COMMAND mpj-sim --torus 7x7x7 --ranks 300 --op ${op} ${bytes}
      --random 20us --repeat 3 --quiet)
    set_tests_properties(sim_wide_${op} PROPERTIES TIMEOUT 100)
  endforeach()
  foreach(op gather scatter) # more steps at the root than 16 bits name
    add_test(NAME sim_vast_${op} COMMAND mpj-sim --ranks 70000 --op ${op} --bytes 8 --quiet)
    set_tests_properties(sim_vast_${op} PROPERTIES TIMEOUT 100 LABELS plain)
  endforeach()
  add_test(NAME sim_same COMMAND ${CMAKE_CURRENT_LIST_DIR}/same.sh $<TARGET_FILE:mpj-sim>)
  add_test(NAME sim_refused COMMAND ${CMAKE_CURRENT_LIST_DIR}/refused.sh $<TARGET_FILE:mpj-sim>)
  add_test(NAME sim_measured COMMAND ${CMAKE_CURRENT_LIST_DIR}/measured.sh $<TARGET_FILE:mpj-sim>)
  add_test(NAME sim_neighbourhood COMMAND ${CMAKE_CURRENT_LIST_DIR}/neighbourhood.sh
    $<TARGET_FILE:mpj-sim>)
  add_test(NAME sim_tree COMMAND ${CMAKE_CURRENT_LIST_DIR}/tree.sh $<TARGET_FILE:mpj-sim>)
  add_test(NAME sim_sweep COMMAND ${CMAKE_CURRENT_LIST_DIR}/sweep.sh $<TARGET_FILE:mpj-sim>)
  set_tests_properties(sim_sweep sim_neighbourhood sim_tree sim_algorithms sim_same sim_refused
    PROPERTIES TIMEOUT 200)
  set_tests_properties(sim_sweep sim_neighbourhood sim_tree PROPERTIES LABELS plain)
  mpj_add_soak(sim_algorithms COMMAND sim_plays algorithms --ranks 18-300 --every 5)
  mpj_add_soak(sim_seeds COMMAND sim_plays seeds 10000 1000)
  mpj_add_soak(sim_deaths COMMAND sim_plays deaths 30000 1000)
  foreach(form dissemination binomial exchange)
    mpj_add_soak(sim_form_${form} COMMAND sim_forms ${form} --at 65536)
  endforeach()
  mpj_add_soak(sim_dissemination COMMAND sim_forms dissemination --most 2048)
  mpj_add_soak(sim_form_chain COMMAND sim_forms chain --at 65536)
  mpj_add_soak(sim_form_ring COMMAND sim_forms ring --at 4096)
endif()
