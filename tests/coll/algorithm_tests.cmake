# The algorithms, each asked for in turn: on threads, on processes, and of
# operations nonblocking and persistent.
#
# Words are names as MPJ_COLL_<OPERATION> takes them; NODES n:order pretends nodes; PLAYS n
# is how many.
function(coll_forced operation word)
  cmake_parse_arguments(F "" "NODES;PLAYS" "" ${ARGN})
  if(NOT F_PLAYS)
    set(F_PLAYS 14)
  endif()
  string(TOUPPER ${operation} upper)
  set(environment MPJ_COLL_${upper}=${word})
  if(operation STREQUAL "scan")
    list(APPEND environment MPJ_COLL_EXSCAN=${word})
  endif()
  string(REGEX REPLACE "[^a-z0-9_]+" "_" name ${operation}_${word})
  if(F_NODES)
    string(REPLACE ":" ";" nodes ${F_NODES})
    list(GET nodes 0 count)
    list(GET nodes 1 order)
    list(APPEND environment MPJ_COLL_NODES=${count} MPJ_COLL_NODES_ORDER=${order})
    string(APPEND name _${count}_${order})
  endif()
  if(operation STREQUAL "barrier")
    set(play coll_plays --mixed ${F_PLAYS} --delays)
    set(threads $<TARGET_FILE:coll_plays> --mixed ${F_PLAYS} --delays --ranks)
    set(ahead ${threads})
  elseif(operation MATCHES "bcast|gather$|scatter$" AND NOT operation MATCHES "all|reduce")
    set(play coll_plays --every-root 1 --mixed 40)
    set(threads $<TARGET_FILE:coll_plays> --every-root 1 --ranks)
    set(ahead coll_plays --mixed 40 --delays --ranks)
  elseif(operation MATCHES "^all.*(gather|toall)$")
    set(play coll_exchanges --plays 24)
    set(threads $<TARGET_FILE:coll_exchanges> --plays ${F_PLAYS} --ranks)
    set(ahead coll_exchanges --plays 6 --seed 7 --ranks)
  else()
    set(play coll_reductions --plays ${F_PLAYS} --seed 6 ${operation})
    set(threads $<TARGET_FILE:coll_reductions> --plays ${F_PLAYS} --seed 5 ${operation} --ranks)
    set(ahead coll_reductions --plays 7 --seed 8 ${operation} --ranks)
  endif()
  coll_crew_run(algorithm_${name} ENVIRONMENT ${environment} COMMAND ${threads} 2,3,5,8)
  coll_crew_run(algorithm_${name}_short LABELS threads ENVIRONMENT ${environment} ${few_tokens}
    COMMAND ${ahead} 4,7)
  coll_crew_run(algorithm_${name}_requests LABELS threads ENVIRONMENT ${environment}
    COMMAND coll_requests --ranks 5 --plays 1)
  mpj_add_soak(coll_algorithm_${name} COMMAND ${CMAKE_COMMAND} -E env ${environment}
    ${threads} 1-17,32)
  if(TARGET mpjrun)
    list(POP_FRONT play program)
    coll_crew_run(algorithm_${name}_processes ENVIRONMENT ${environment}
      COMMAND $<TARGET_FILE:mpjrun> --timeout 100 -n 5 $<TARGET_FILE:${program}> ${play})
  endif()
endfunction()

foreach(word knomial:2,segment=100 knomial:3 kary:2,segment=64 chain:segment=1000
    scatter_allgather circulant:segment=100 neighbourhood:segment=64 neighbourhood_line:segment=100
    neighbourhood_global neighbourhood_none:segment=200)
  coll_forced(bcast ${word})
endforeach()
foreach(word neighbourhood neighbourhood_line)
  coll_forced(bcast ${word} NODES 3:block)
endforeach()

# Neighbourhoods: who uses the FIFO, and whom a late rank delays. NAME: of the kind of ranks.
coll_crew(coll_neighbourhood coll/neighbourhood.c)
function(neighbourhoods name dims)
  foreach(word neighbourhood neighbourhood_line)
    set(bcast MPJ_COLL_BCAST=${word}:segment=50000)
    add_test(NAME coll_${word}_counts_${name} COMMAND ${ARGN} counts:${dims})
    add_test(NAME coll_${word}_late_${name} COMMAND ${ARGN} late:${dims})
    add_test(NAME coll_${word}_unlike_${name} COMMAND ${ARGN} unlike:${dims})
    set_tests_properties(coll_${word}_unlike_${name} PROPERTIES ENVIRONMENT "${bcast}" TIMEOUT 120)
    set_tests_properties(coll_${word}_counts_${name} PROPERTIES
      ENVIRONMENT "${bcast};MPJ_NEIGHBOURHOOD_US=100000000")
    set_tests_properties(coll_${word}_late_${name} PROPERTIES
      ENVIRONMENT "${bcast};MPJ_NEIGHBOURHOOD_US=200")
    set_tests_properties(coll_${word}_counts_${name} coll_${word}_late_${name} PROPERTIES
      TIMEOUT 120)
  endforeach()
  add_test(NAME coll_torus_disagrees_${name} COMMAND ${ARGN} disagree:${dims})
  set_tests_properties(coll_torus_disagrees_${name} PROPERTIES TIMEOUT 120)
endfunction()
neighbourhoods(threads 4x4x4 coll_neighbourhood --ranks 64)
add_test(NAME coll_neighbourhood_traced COMMAND sh -c
  "\"$0\" --ranks 8 counts:2x2x2 && grep -q judge \"$MPJ_TRACE\" && rm \"$MPJ_TRACE\""
  $<TARGET_FILE:coll_neighbourhood>)
set_tests_properties(coll_neighbourhood_traced PROPERTIES TIMEOUT 120 ENVIRONMENT
  "MPJ_COLL_BCAST=neighbourhood:segment=50000;MPJ_NEIGHBOURHOOD_US=100000000;MPJ_TRACE=${CMAKE_CURRENT_BINARY_DIR}/neighbourhood_traced.json")
if(TARGET mpjrun)
  set(program $<TARGET_FILE:coll_neighbourhood>)
  neighbourhoods(processes 2x2x2 $<TARGET_FILE:mpjrun> --timeout 100 -n 8 ${program})
  if(UCX_FOUND)
    neighbourhoods(hosts 2x2 ${CMAKE_CURRENT_SOURCE_DIR}/net/network.sh 4 4 exit ${program})
    foreach(word neighbourhood neighbourhood_line)
      set_tests_properties(coll_${word}_counts_hosts coll_${word}_late_hosts
        coll_${word}_unlike_hosts PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK hosts)
    endforeach()
    set_tests_properties(coll_torus_disagrees_hosts PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK hosts)
  endif()
endif()
foreach(operation gather scatter)
  foreach(word knomial:2 knomial:4 kary:3 kary:1)
    coll_forced(${operation} ${word})
  endforeach()
endforeach()
foreach(word ring bruck:2 bruck:3 circulant exchange:2 exchange:3)
  coll_forced(allgather ${word})
endforeach()
foreach(word pairwise:1 pairwise:3 bruck:2)
  coll_forced(alltoall ${word})
endforeach()
foreach(word knomial:2 knomial:3,segment=100 kary:2,segment=64 chain:segment=256 rabenseifner
    circulant:segment=100)
  coll_forced(reduce ${word})
endforeach()
foreach(word exchange:2 exchange:3 knomial:2,segment=100 kary:3 chain:segment=256
    rabenseifner ring circulant)
  coll_forced(allreduce ${word})
endforeach()
foreach(word ring circulant exchange:2)
  coll_forced(reduce_scatter ${word})
endforeach()
coll_forced(reduce_scatter exchange:3 PLAYS 5)
foreach(word exchange:2 exchange:3 chain:segment=256)
  coll_forced(scan ${word})
endforeach()
foreach(nodes 3:block 2:cyclic)
  foreach(operation bcast gather scatter reduce allreduce)
    coll_forced(${operation} two_level NODES ${nodes})
  endforeach()
  foreach(operation barrier allgather alltoall)
    coll_forced(${operation} two_level NODES ${nodes} PLAYS 5)
  endforeach()
endforeach()
foreach(operation reduce_scatter scan) # nodes of consecutive ranks alone
  coll_forced(${operation} two_level NODES 3:block PLAYS 5)
endforeach()

# A rank alone, with every algorithm.
coll_program(coll_alone coll/alone.c)
foreach(word flat segments knomial:2 kary:2 chain two_level rabenseifner ring exchange:2
    exchange:3 circulant)
  set(environment)
  foreach(operation REDUCE ALLREDUCE REDUCE_SCATTER SCAN EXSCAN) # auto where there is no such one
    list(APPEND environment MPJ_COLL_${operation}=${word})
  endforeach()
  string(REGEX REPLACE "[^a-z0-9_]+" "_" name ${word})
  coll_crew_run(alone_${name} LABELS threads ENVIRONMENT ${environment} COMMAND coll_alone)
endforeach()

# What goes along the circulant graph in which round.
mpj_add_test(coll_block_rounds SOURCES coll/test_block_rounds.c LABELS threads)

# What is asked for, chosen, and read from a file.
foreach(name asked select)
  mpj_add_test(coll_${name} SOURCES coll/test_${name}.c LABELS threads)
endforeach()
if(JANSSON_FOUND)
  mpj_add_test(coll_rule_files SOURCES coll/test_rule_files.c LABELS threads)
endif()
