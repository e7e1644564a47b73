# This file checks a protocol's model with spin: no run that the model names may
# find an error, and of each mistake that it can make (MUTANT_...) at least one
# run must.
#   MODEL   the model; lines "RUN: options of spin" name its runs
#   CC      a C compiler, for the verifiers that spin writes
#   FOLDER  where those go
cmake_minimum_required(VERSION 3.25)

find_program(SPIN spin)
find_program(COMPILER NAMES ${CC})
if(NOT SPIN OR NOT COMPILER)
  message("skipped: needs spin and a C compiler (scripts/deps installs them)")
  return()
endif()

function(must_run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status
    OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what}: exit status ${status}\n${out}")
  endif()
endfunction()

# verify(optimise options...): sets `errors` to the number found, `searched` to
# what the verifier says. A search that was cut short is a failure.
function(verify optimise)
  file(REMOVE_RECURSE ${FOLDER})
  file(MAKE_DIRECTORY ${FOLDER})
  must_run("spin ${ARGN}" ${SPIN} "-P${CC} -E -x c" -a ${ARGN} ${MODEL})
  must_run("compiling the verifier" ${CC} ${optimise} -w -DSAFETY -DMEMLIM=1024 -o pan pan.c)
  execute_process(COMMAND ./pan -m100000 WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status
    OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT out MATCHES "errors: ([0-9]+)")
    message(FATAL_ERROR "${MODEL} ${ARGN}: exit status ${status}\n${out}")
  endif()
  set(errors ${CMAKE_MATCH_1})
  if(errors EQUAL 0 AND out MATCHES "not completed|depth too small")
    message(FATAL_ERROR "${MODEL} ${ARGN}: not all states were searched\n${out}")
  endif()
  set(errors ${errors} PARENT_SCOPE)
  set(searched "${out}" PARENT_SCOPE)
endfunction()

file(STRINGS ${MODEL} runs REGEX "RUN: ")
list(TRANSFORM runs REPLACE "^.*RUN: " "")
file(READ ${MODEL} text)
string(REGEX MATCHALL "MUTANT_[A-Z_]*[A-Z]" mutants "${text}")
list(REMOVE_DUPLICATES mutants)
if(NOT runs OR NOT mutants)
  message(FATAL_ERROR "${MODEL} names no run, or can make no mistake")
endif()

foreach(run IN LISTS runs)
  separate_arguments(options UNIX_COMMAND "${run}")
  verify(-O2 ${options})
  if(errors GREATER 0)
    message(SEND_ERROR "${MODEL} ${run}:\n${searched}")
  endif()
  string(REGEX MATCH "[0-9.e+]+ states, stored" states "${searched}")
  string(REGEX MATCH "elapsed time [0-9.e+-]+ seconds" time "${searched}")
  message("${run}: ${states}, ${time}")
endforeach()

foreach(mutant IN LISTS mutants)
  set(found 0)
  foreach(run IN LISTS runs)
    separate_arguments(options UNIX_COMMAND "${run}")
    if(found EQUAL 0)
      verify(-O0 -D${mutant} ${options})
      set(found ${errors})
    endif()
  endforeach()
  string(REGEX MATCH "pan:1: [^\n]*" how "${searched}")
  message("${mutant}: ${how}")
  if(found EQUAL 0)
    message(SEND_ERROR "${MODEL}: no run finds ${mutant}")
  endif()
endforeach()
file(REMOVE_RECURSE ${FOLDER})
