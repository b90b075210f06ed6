# Installs a build into an empty prefix, moves the tree and builds and runs two programs from there, with find_package and
# with pkg-config.
# Variables: VERSION (that it must have), BUILD_DIR, SOURCE_DIR (this folder), WORK_DIR (made anew), GENERATOR, CONFIG, C_COMPILER, CXX_COMPILER,
# C_FLAGS, CXX_FLAGS (coverage and the like), PKG_CONFIG, LIBDIR.
cmake_minimum_required(VERSION 3.21)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "failed (${result}): ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/moved)
if(CONFIG)
  set(config --config ${CONFIG})
endif()
run(${CMAKE_COMMAND} --install ${BUILD_DIR} ${config} --prefix ${WORK_DIR}/prefix)
file(RENAME ${WORK_DIR}/prefix ${prefix}) # packages are built in one place and used in another

# Headers only where they cannot meet a vendor's, and all of them.
file(GLOB_RECURSE installed RELATIVE ${prefix}/include/detops ${prefix}/include/detops/*)
file(GLOB_RECURSE expected RELATIVE ${SOURCE_DIR}/../../../include ${SOURCE_DIR}/../../../include/*.h)
list(SORT installed)
list(SORT expected)
if(NOT installed STREQUAL expected)
  message(FATAL_ERROR "installed headers: ${installed}\nexpected: ${expected}")
endif()
file(GLOB beside RELATIVE ${prefix}/include ${prefix}/include/*)
if(NOT beside STREQUAL "detops")
  message(FATAL_ERROR "include/ has ${beside}, expected detops alone")
endif()

# ---- find_package ----
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/cmake -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
    -DEXPECTED_PREFIX=${prefix} -DEXPECTED_VERSION=${VERSION} -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=${C_FLAGS} -DCMAKE_CXX_FLAGS=${CXX_FLAGS})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/cmake --config Release)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/cmake -C Release --no-tests=error --output-on-failure)
message(STATUS "find_package: ${output}")

# ---- pkg-config ----
if(NOT PKG_CONFIG)
  message(FATAL_ERROR "no pkg-config to test with")
endif()
set(ENV{PKG_CONFIG_LIBDIR} ${prefix}/${LIBDIR}/pkgconfig) # nothing but ours: users need no files of Highway
set(ENV{PKG_CONFIG_PATH})
run(${PKG_CONFIG} --modversion detops)
string(STRIP "${output}" version)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "pkg-config says version ${version}, expected ${VERSION}")
endif()
run(${PKG_CONFIG} --cflags --libs detops)
separate_arguments(flags UNIX_COMMAND "${output}")
set(warnings -Wall -Wextra -pedantic -Werror)
separate_arguments(c_flags UNIX_COMMAND "${C_FLAGS}")
separate_arguments(cxx_flags UNIX_COMMAND "${CXX_FLAGS}")
run(${C_COMPILER} -std=c99 ${warnings} ${c_flags} ${SOURCE_DIR}/consumer.c -o ${WORK_DIR}/pkg_c ${flags}
    -Wl,-rpath,${prefix}/${LIBDIR})
run(${CXX_COMPILER} -std=c++11 ${warnings} ${cxx_flags} ${SOURCE_DIR}/consumer.cc -o ${WORK_DIR}/pkg_cc ${flags}
    -Wl,-rpath,${prefix}/${LIBDIR})
foreach(program pkg_c pkg_cc)
  run(${WORK_DIR}/${program})
  message(STATUS "pkg-config: ${output}")
endforeach()
