# Tests that are not one GoogleTest file each: headers alone, allocation failures, exported symbols, how binaries are
# linked, an installed tree.

# ---- headers: each alone, in four standards, by this build's compiler and by the other of gcc and clang if it is there
set(header_compilers "${CMAKE_C_COMPILER}|${CMAKE_CXX_COMPILER}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_program(DETOPS_OTHER_C NAMES clang-19 clang)
  find_program(DETOPS_OTHER_CXX NAMES clang++-19 clang++)
else()
  find_program(DETOPS_OTHER_C gcc)
  find_program(DETOPS_OTHER_CXX g++)
endif()
mark_as_advanced(DETOPS_OTHER_C DETOPS_OTHER_CXX)
if(DETOPS_OTHER_C AND DETOPS_OTHER_CXX)
  string(APPEND header_compilers ",${DETOPS_OTHER_C}|${DETOPS_OTHER_CXX}")
endif()
add_test(NAME headers
         COMMAND ${CMAKE_COMMAND} -DINCLUDE_DIR=${PROJECT_SOURCE_DIR}/include
                 -DWORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/headers -DCOMPILERS=${header_compilers}
                 -P ${CMAKE_CURRENT_SOURCE_DIR}/headers_test.cmake)
set_tests_properties(headers PROPERTIES TIMEOUT 300)

if(NOT DETOPS_SANITIZE)
  # ---- allocation failures: replaces malloc, which the sanitizers do too ------------------------
  add_executable(allocation_failure allocation_failure.cc allocation_failure_gen_case.cc
                 allocation_failure_indice_convolution.cc allocation_failure_indice_pairs.cc
                 allocation_failure_indice_pool.cc allocation_failure_late.cc allocation_failure_none.cc
                 allocation_failure_point_to_voxel.cc allocation_failure_rois.cc allocation_hooks.cc)
  target_link_libraries(allocation_failure PRIVATE detops_options detops_test_options detops GTest::gtest_main
                        Threads::Threads ${CMAKE_DL_LIBS})
  target_compile_definitions(allocation_failure PRIVATE
                             DETOPS_EXPORTED_SYMBOLS="${CMAKE_CURRENT_SOURCE_DIR}/exported_symbols.txt")
  gtest_discover_tests(allocation_failure DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)

  # ---- what the shared library gives and needs --------------------------------------------------
  add_test(NAME exported_symbols
           COMMAND ${CMAKE_COMMAND} -DLIBRARY=$<TARGET_FILE:detops> -DNM=${CMAKE_NM} -DREADELF=${CMAKE_READELF}
                   -DEXPECTED=${CMAKE_CURRENT_SOURCE_DIR}/exported_symbols.txt
                   -DCONTRACT_PAGE=${PROJECT_SOURCE_DIR}/docs/contract.md
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/exported_symbols.cmake)

  # ---- where binaries look for libraries, how they are linked, which paths they hold --------------
  set(shipped $<TARGET_FILE:detops>)
  if(DETOPS_BUILD_PROGRAM)
    list(APPEND shipped $<TARGET_FILE:detops_program>)
  endif()
  add_test(NAME binaries
           COMMAND ${CMAKE_COMMAND} "-DSHIPPED=${shipped}" -DBUILD_DIR=${PROJECT_BINARY_DIR}
                   -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DREADELF=${CMAKE_READELF}
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/binaries_test.cmake)

  # ---- the binary interface: functions, parameters and enumerators ------------------------------
  # abidiff reads debug information. The entry points alone are compiled again with it, unoptimised: 11 s of one core.
  # What they call need not be there, because nothing is run.
  find_program(ABIDW abidw)
  find_program(ABIDIFF abidiff)
  if(ABIDW AND ABIDIFF AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    file(GLOB entry_points CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/capi/*.cc
         ${PROJECT_SOURCE_DIR}/src/ops/*/*_api.cc)
    set(abi_dir ${CMAKE_CURRENT_BINARY_DIR}/abi)
    add_library(detops_abi SHARED ${entry_points})
    target_include_directories(detops_abi PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(detops_abi PRIVATE detops_kernel_options)
    target_compile_options(detops_abi PRIVATE -g -O0)
    target_link_options(detops_abi PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/detops.map
                        -Wl,--unresolved-symbols=ignore-all)
    set_target_properties(detops_abi PROPERTIES OUTPUT_NAME detops LIBRARY_OUTPUT_DIRECTORY ${abi_dir}
                          VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    add_test(NAME abi
             COMMAND ${CMAKE_COMMAND} -DLIBRARY=$<TARGET_FILE:detops_abi> -DHEADERS=${PROJECT_SOURCE_DIR}/include
                     -DBASELINE=${CMAKE_CURRENT_SOURCE_DIR}/abi/libdetops.abi -DWORK_DIR=${abi_dir} -DABIDW=${ABIDW}
                     -DABIDIFF=${ABIDIFF}
                     -P ${CMAKE_CURRENT_SOURCE_DIR}/abi/abi_test.cmake)
    set_tests_properties(abi PROPERTIES TIMEOUT 300)
  endif()

  # ---- an installed tree, used as strangers do --------------------------------------------------
  add_test(NAME install
           COMMAND ${CMAKE_COMMAND} -DBUILD_DIR=${PROJECT_BINARY_DIR} -DSOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}/install
                   -DWORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/install_test -DGENERATOR=${CMAKE_GENERATOR}
                   -DC_COMPILER=${CMAKE_C_COMPILER} -DCXX_COMPILER=${CMAKE_CXX_COMPILER}
                   -DPKG_CONFIG=${PKG_CONFIG_EXECUTABLE} -DLIBDIR=${CMAKE_INSTALL_LIBDIR}
                   -DCONFIG=$<CONFIG> -DC_FLAGS=${CMAKE_C_FLAGS} -DCXX_FLAGS=${CMAKE_CXX_FLAGS}
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/install/install_test.cmake)
  set_tests_properties(exported_symbols binaries install PROPERTIES TIMEOUT 300)
endif()
