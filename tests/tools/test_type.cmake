# mpj-type, run with -D TYPE=<program>: what it shows, and how it fails.
function(expect code arguments)
  execute_process(COMMAND ${TYPE} ${arguments} OUTPUT_VARIABLE out ERROR_VARIABLE err
    RESULT_VARIABLE status)
  if(NOT status EQUAL ${code})
    message(FATAL_ERROR "mpj-type ${arguments}: exit status ${status}, should be ${code}\n${out}${err}")
  endif()
  foreach(text ${ARGN})
    string(FIND "${out}${err}" "${text}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "mpj-type ${arguments}: no '${text}' in\n${out}${err}")
    endif()
  endforeach()
endfunction()

expect(0 "--help" "usage: mpj-type")
expect(0 "vector(3,2,4,double)" "vector(3,2,4,double)" "48 bytes, 6 elements"
  "0 to 80, extent 80" "2: 16 bytes in 64 to 80" "loop of 3, 32 bytes apart" "run of 2 MPJ_DOUBLE")
expect(0 "indexed([1*100,2],[0+3*100,400],int)" "parts        101" "... 93 more")
expect(0 "int" "run of 1 MPJ_INT")
expect(0 "--hex;int" "4d504a5401010000" "01000604")
expect(1 "vector(3,2,4,duble)" "position 13, expected a type")
expect(2 "--hexa" "option '--hexa' is unknown")
