# This file tests mpj-info as a user runs it.
#   INFO       the program
#   VERSION    what it must call itself
#   REFERENCE  the checked-in page that --markdown must reproduce
cmake_minimum_required(VERSION 3.25)

# info(status arguments...): run it; sets `out` and `err`.
function(info status)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${ENVIRONMENT} ${INFO} ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE stdout ERROR_VARIABLE stderr)
  if(NOT result STREQUAL "${status}")
    message(SEND_ERROR "mpj-info ${ARGN}: exit status ${result}, not ${status}\n${stdout}${stderr}")
  endif()
  set(out "${stdout}" PARENT_SCOPE)
  set(err "${stderr}" PARENT_SCOPE)
endfunction()

function(must_contain text pattern)
  if(NOT text MATCHES "${pattern}")
    message(SEND_ERROR "no \"${pattern}\" in:\n${text}")
  endif()
endfunction()

info(0)
must_contain("${out}" "^mpj ${VERSION}\n")
must_contain("${out}" "\n  usable here +[1-9][0-9]*  ")
must_contain("${out}" "\nMPJ_EAGER_BYTES = 8192  ")
must_contain("${err}" "^$")

set(ENVIRONMENT MPJ_EAGER_BYTES=512 MPJ_NO_SUCH=1)
info(0)
must_contain("${out}" "\nMPJ_EAGER_BYTES = 512  ")
must_contain("${err}" "^mpj: MPJ_NO_SUCH is not a variable")
set(ENVIRONMENT)

info(0 --version)
must_contain("${out}" "^mpj ${VERSION}\n$")
info(0 --help)
must_contain("${out}" "^usage: mpj-info ")

info(2 --nonsense)
must_contain("${err}" "^mpj-info: unknown argument '--nonsense'; [^\n]*\n$")
must_contain("${out}" "^$")
info(2 --help --version)
must_contain("${err}" "^mpj-info: takes at most one argument, got 2; [^\n]*\n$")

execute_process(COMMAND ${INFO} OUTPUT_FILE /dev/full ERROR_VARIABLE err RESULT_VARIABLE result)
if(NOT result EQUAL 1)
  message(SEND_ERROR "mpj-info to a full device: exit status ${result}, not 1")
endif()
must_contain("${err}" "^mpj-info: writing to standard output: [^\n]*\n$")

info(0 --markdown)
file(READ ${REFERENCE} reference)
if(NOT out STREQUAL reference)
  message(SEND_ERROR "${REFERENCE} is out of date: write it anew with mpj-info --markdown")
endif()
