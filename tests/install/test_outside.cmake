# This file tests an installed copy as a stranger's project uses it: through
# find_package and through pkg-config, as C and as C++, after the installed tree
# was moved.
#   BUILD     the build folder to install from
#   CONSUMER  the stranger's project
#   CC        the C compiler
#   LIBDIR    the library folder below the prefix
#   GENERATOR the kind of build files, which has its program installed
cmake_minimum_required(VERSION 3.25)

find_program(CXX NAMES c++ g++ clang++ REQUIRED)
find_program(PKG_CONFIG pkg-config REQUIRED)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT result EQUAL 0)
    file(REMOVE_RECURSE ${work})
    message(FATAL_ERROR "${ARGN}\nended with ${result}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

set(tmp "$ENV{TMPDIR}")
if(NOT tmp)
  set(tmp /tmp)
endif()
string(RANDOM LENGTH 12 random)
set(work ${tmp}/mpj-install-${random})
file(MAKE_DIRECTORY ${work})
file(COPY ${CONSUMER} DESTINATION ${work})
set(source ${work}/consumer)

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/moved)
set(prefix ${work}/moved)

# Each header stands alone, in both languages, with their users' warnings on.
file(GLOB headers ${prefix}/include/mpj/*.h)
list(REMOVE_ITEM headers ${prefix}/include/mpj/mpi.h) # asks for an MPI library's header
foreach(header ${headers})
  file(WRITE ${work}/one.c "#include \"${header}\"\nint mpj_unused;\n")
  run(${CC} -std=c11 -Wall -Wextra -Wpedantic -Werror -I${prefix}/include -fsyntax-only ${work}/one.c)
  run(${CXX} -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I${prefix}/include -fsyntax-only
    ${work}/one.c)
endforeach()

run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${source} -B ${work}/build -DCMAKE_PREFIX_PATH=${prefix}
  -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/program_c)
run(${work}/build/program_cxx)

set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
run(${PKG_CONFIG} --cflags --libs mpj)
separate_arguments(flags UNIX_COMMAND "${out}")
run(${CC} -std=c11 ${source}/program.c ${flags} -o ${work}/program_c)
run(${CXX} -std=c++11 ${source}/program.cpp ${flags} -o ${work}/program_cxx)
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
run(${work}/program_c)
run(${work}/program_cxx)

unset(ENV{LD_LIBRARY_PATH})
run(${prefix}/bin/mpj-info)
run(${prefix}/bin/mpjrun -n 2 ${work}/build/program_c processes)

file(REMOVE_RECURSE ${work})
