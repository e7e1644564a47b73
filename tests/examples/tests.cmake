# The examples: their helpers as units, and the whole programs over ranks.

# example_unit(NAME SOURCE): a Check program on the example's helpers.
function(example_unit name source)
  mpj_add_test(${name} SOURCES ${source} examples/npy_bytes.c
    $<TARGET_OBJECTS:mpj_example_npy> $<TARGET_OBJECTS:mpj_example_compute>
    LAYER base LIBS mpj_example_flags LABELS examples)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/examples)
endfunction()

# example_run(CASE [label]): a case of run_matrix_gather.sh.
function(example_run case)
  set(programs $<TARGET_FILE:matrix_gather> $<TARGET_FILE:make_matrix>)
  if(TARGET mpjrun)
    list(APPEND programs $<TARGET_FILE:mpjrun>)
  endif()
  add_test(NAME matrix_gather_${case}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/examples/run_matrix_gather.sh ${case} ${programs})
  set_tests_properties(matrix_gather_${case} PROPERTIES TIMEOUT 180 LABELS "examples;${ARGN}"
    ENVIRONMENT "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/examples/leaks.txt:print_suppressions=0")
endfunction()

if(TARGET matrix_gather)
  example_unit(example_npy_read examples/test_npy_read.c)
  example_unit(example_npy_write examples/test_npy_write.c)
  example_unit(example_compute examples/test_compute.c)

  set(ranks threads)
  if(TARGET mpjrun)
    list(APPEND ranks processes)
  endif()
  example_run(usage)
  example_run(alone)
  example_run(threads_every_count)
  example_run(threads_every_form threads)
  example_run(threads_every_size)
  example_run(threads_full_disk)
  if(TARGET mpjrun)
    example_run(processes_every_form)
    example_run(processes_every_size)
    example_run(processes_killed)
  endif()
  foreach(kind IN LISTS ranks)
    example_run(${kind}_errors)
    example_run(${kind}_no_elements)
    example_run(${kind}_times)
    if(CAIRO_FOUND)
      example_run(${kind}_picture)
    endif()
  endforeach()
endif()

# The shortest program, and the README's copy of it.
if(TARGET first)
  set(launcher)
  if(TARGET mpjrun)
    set(launcher $<TARGET_FILE:mpjrun>)
  endif()
  add_test(NAME first_program
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/examples/check_first.sh $<TARGET_FILE:first>
      ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/examples/first.c ${launcher})
  set_tests_properties(first_program PROPERTIES TIMEOUT 60 LABELS examples)
endif()

if(TARGET mpjrun AND TARGET remote_columns)
  foreach(ranks 1 2 3 6)
    add_test(NAME example_remote_columns_${ranks}
      COMMAND mpjrun -n ${ranks} --timeout 50 $<TARGET_FILE:remote_columns>)
    set_tests_properties(example_remote_columns_${ranks} PROPERTIES TIMEOUT 60 LABELS examples)
  endforeach()
endif()

# The examples of one collective each: they check their results themselves.
if(TARGET mpjrun)
  foreach(name histogram kmeans matrix_to_all matrix_buckets ragged_rows fft2d heat3d fft3d)
    foreach(ranks 1 2 3 6)
      add_test(NAME example_${name}_${ranks}
        COMMAND mpjrun -n ${ranks} --timeout 50 $<TARGET_FILE:${name}>)
      set_tests_properties(example_${name}_${ranks} PROPERTIES TIMEOUT 60 LABELS examples)
    endforeach()
  endforeach()
  foreach(word neighbourhood neighbourhood_line neighbourhood_global)
    add_test(NAME example_late_rank_${word}
      COMMAND mpjrun -n 8 --timeout 50 $<TARGET_FILE:late_rank> --late 3 --by 20)
    set_tests_properties(example_late_rank_${word} PROPERTIES TIMEOUT 60 LABELS examples
      ENVIRONMENT MPJ_COLL_BCAST=${word})
  endforeach()
  foreach(ranks 5 40)
    add_test(NAME example_fft2d_small_${ranks}
      COMMAND mpjrun -n ${ranks} --timeout 50 $<TARGET_FILE:fft2d> 16)
    set_tests_properties(example_fft2d_small_${ranks} PROPERTIES TIMEOUT 60 LABELS examples)
  endforeach()

  # Those with files: the first run makes them.
  add_test(NAME example_spmv_made
    COMMAND spmv --make 30 ${CMAKE_CURRENT_BINARY_DIR}/stencil.mtx)
  set_tests_properties(example_spmv_made PROPERTIES FIXTURES_SETUP stencil LABELS examples TIMEOUT 60)
  foreach(ranks 1 2 3 6)
    add_test(NAME example_spmv_${ranks}
      COMMAND mpjrun -n ${ranks} --timeout 50 $<TARGET_FILE:spmv> ${CMAKE_CURRENT_BINARY_DIR}/stencil.mtx)
    set_tests_properties(example_spmv_${ranks} PROPERTIES FIXTURES_REQUIRED stencil)
    add_test(NAME example_resize_${ranks} COMMAND mpjrun -n ${ranks} --timeout 50 $<TARGET_FILE:resize>
      --make ${CMAKE_CURRENT_BINARY_DIR}/in${ranks}.npy ${CMAKE_CURRENT_BINARY_DIR}/out${ranks}.npy)
    set_tests_properties(example_spmv_${ranks} example_resize_${ranks} PROPERTIES LABELS examples TIMEOUT 60)
  endforeach()
  add_test(NAME example_resize_4 COMMAND mpjrun -n 4 --timeout 50 $<TARGET_FILE:resize>
    --make ${CMAKE_CURRENT_BINARY_DIR}/in4.npy ${CMAKE_CURRENT_BINARY_DIR}/out4.npy)
  set_tests_properties(example_resize_4 PROPERTIES LABELS examples TIMEOUT 60)

  # More than any process can have is told.
  set(vast ${CMAKE_CURRENT_BINARY_DIR}/vast.mtx)
  file(WRITE ${vast} "%%MatrixMarket matrix coordinate real general\n200000000000000 200000000000000 1\n1 1 1\n")
  foreach(run "heat3d 60000" "fft3d 60000" "spmv ${vast}")
    separate_arguments(words UNIX_COMMAND ${run})
    list(POP_FRONT words name)
    add_test(NAME example_vast_${name} COMMAND mpjrun -n 2 --timeout 50 $<TARGET_FILE:${name}> ${words})
    set_tests_properties(example_vast_${name} PROPERTIES LABELS examples TIMEOUT 60
      PASS_REGULAR_EXPRESSION "${name}: .*no memory for [0-9]+ "
      ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0")
  endforeach()
  if(CAIRO_FOUND)
    add_test(NAME example_heat3d_picture COMMAND mpjrun -n 4 --timeout 50 $<TARGET_FILE:heat3d> 24 10
      ${CMAKE_CURRENT_BINARY_DIR}/heat3d.png)
    set_tests_properties(example_heat3d_picture PROPERTIES LABELS examples TIMEOUT 60
      ENVIRONMENT "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/examples/leaks.txt:print_suppressions=0")
  endif()
endif()

# Tools and examples refuse an option that they do not have; first takes no notice of any.
set(programs)
foreach(name mpj-info mpj-type mpj-sim mpjrun make_matrix matrix_gather matrix_to_all matrix_buckets
    kmeans histogram ragged_rows remote_columns fft2d fft3d heat3d late_rank resize spmv)
  if(TARGET ${name})
    list(APPEND programs $<TARGET_FILE:${name}>)
  endif()
endforeach()
add_test(NAME every_program_refuses_an_option
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/examples/bogus_option.sh ${programs})
set_tests_properties(every_program_refuses_an_option PROPERTIES TIMEOUT 60 LABELS examples)
