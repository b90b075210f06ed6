# Every name that a room of the library defines is in the namespace detops::<room>, and no other code defines names
# there (the floors src/boxes and src/voxels have namespaces of their own in the same way): two rooms may then use one
# word for two things. A class of the same name in one namespace, differently defined by two files, would be undefined
# behaviour that no compiler reports.
# Variables: OBJECTS (of the library), NM.
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/problems.cmake)

set(count 0)
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} -C --defined-only --extern-only ${object} OUTPUT_VARIABLE listing RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${NM} cannot read ${object}")
  endif()
  set(room "")
  if(object MATCHES "/ops/([^/]+)/")
    set(room ${CMAKE_MATCH_1})
  elseif(object MATCHES "/(boxes|voxels)/")
    set(room ${CMAKE_MATCH_1})
  endif()
  # Strong symbols: weak ones are templates and inline functions, also those of other folders. Brackets and semicolons
  # would end elements of a list.
  string(REGEX REPLACE "[][;]" "_" listing "${listing}")
  string(REGEX MATCHALL " [TDBR] detops::[^\n(<]*" symbols "${listing}")
  foreach(symbol ${symbols})
    string(SUBSTRING "${symbol}" 3 -1 symbol)
    math(EXPR count "${count} + 1")
    if(room AND NOT symbol MATCHES "^detops::${room}::")
      problem("${symbol}, of ${object}, is not in detops::${room}")
    elseif(NOT room AND symbol MATCHES "^detops::([a-z0-9_]+)::" AND NOT CMAKE_MATCH_1 MATCHES "^N_")
      problem("${symbol}, of ${object}, is in the namespace of a room")
    endif()
  endforeach()
endforeach()
conclude(${count} 200 names "are in the namespaces of their folders")
