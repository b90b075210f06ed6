# Who may include whom, as the table of docs/architecture.md says. Rooms never include each other. A library file that
# includes all of mlu_op.h or detops.h is compiled anew for each operator's header: only the version looks at all of it.
# Within boxes/, what is done with shapes (pairs, gradients, suppression) stands side by side on what they are.
# What the library asks of an operating system goes through src/core/platform.h: no other file of it includes a header that
# is not C++'s or the processor's, or asks which system it is compiled for.
# Variables: SOURCE_DIR.
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/problems.cmake)

# What each part may include, besides itself, the C ABI and Highway. "room" is all of src/ops that is in the library.
set(core_may "")
set(simd_may core/half.h core/long_sum.h)
set(recording_may core)
set(sparse_may core simd)
set(boxes_may core simd)
set(voxels_may core simd)
set(capi_may core recording sparse)
set(room_may boxes core recording simd sparse voxels)
set(reference_may support)
set(contract_may harness support ops boxes voxels sparse)
set(support_may "")
set(harness_may support)
set(bench_may harness)
set(fuzz_may harness support)
set(parts boxes capi core ops recording simd sparse voxels harness support bench fuzz)

# ---- the part of each file that has one: src/boxes/shape/upright.cc is of boxes, src/boxes/contract/quads.cc of contract
file(GLOB_RECURSE files RELATIVE ${SOURCE_DIR}
     ${SOURCE_DIR}/src/*.h ${SOURCE_DIR}/src/*.cc ${SOURCE_DIR}/harness/*.h ${SOURCE_DIR}/harness/*.cc
     ${SOURCE_DIR}/tests/support/*.h ${SOURCE_DIR}/tests/support/*.cc ${SOURCE_DIR}/bench/*.h ${SOURCE_DIR}/bench/*.cc
     ${SOURCE_DIR}/fuzz/*.h ${SOURCE_DIR}/fuzz/*.cc)
set(count 0)
foreach(file ${files})
  set(library FALSE)
  if(file MATCHES "^src/.*/(test|bench|fuzz)/")
    set(part any)
  elseif(file MATCHES "^src/.*/(contract|reference)/")
    set(part ${CMAKE_MATCH_1})
  elseif(file MATCHES "^(src|tests)/([a-z]+)/")
    set(part ${CMAKE_MATCH_2})
    string(COMPARE EQUAL ${CMAKE_MATCH_1} src library)
  else()
    string(REGEX REPLACE "/.*" "" part ${file})
  endif()
  if(part STREQUAL "ops")
    set(part room)
  endif()

  if(library AND NOT part STREQUAL "any" AND NOT file MATCHES "^src/core/platform")
    file(STRINGS ${SOURCE_DIR}/${file} lines
         REGEX "^ *# *include <|^ *# *(el)?if.*(__linux__|__unix__|__APPLE__|_WIN32|__MINGW|__ELF__)")
    foreach(line ${lines})
      if(NOT line MATCHES "include <([a-z_]+|immintrin\\.h)>")
        problem("${file} has ${line}: what differs between systems is in src/core/platform.h")
      endif()
    endforeach()
  endif()

  file(STRINGS ${SOURCE_DIR}/${file} includes REGEX "^#include \"")
  foreach(include ${includes})
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" include "${include}")
    math(EXPR count "${count} + 1")
    set(room "")
    if(include MATCHES "^ops/([^/]+)/")
      set(room ${CMAKE_MATCH_1})
    endif()
    set(side "")
    if(include MATCHES "^boxes/(gradient|pairs|suppression)/")
      set(side ${CMAKE_MATCH_1})
    endif()
    string(REGEX REPLACE "/.*" "" of "${include}")
    if(room AND NOT file MATCHES "^src/ops/${room}/")
      problem("${file} includes ${include}, of another room or from below")
    elseif(library AND (include STREQUAL "mlu_op.h" OR
                        (include STREQUAL "detops.h" AND NOT file STREQUAL "src/capi/detops_api.cc")))
      problem("${file} includes all of ${include}: the header of what it needs is enough")
    elseif(side AND library AND file MATCHES "^src/boxes/" AND NOT file MATCHES "^src/boxes/${side}/")
      problem("${file} includes ${include}, which is beside or above it")
    elseif(of IN_LIST parts AND NOT part STREQUAL "any" AND NOT of STREQUAL part AND NOT (room AND part MATCHES "^r")
           AND NOT of IN_LIST ${part}_may AND NOT include IN_LIST ${part}_may)
      problem("${file} includes ${include}: ${part} may use only itself, ${${part}_may}")
    endif()
  endforeach()
endforeach()
conclude(${count} 1500 includes "keep to the layers")
