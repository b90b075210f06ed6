# Tests that are not one GoogleTest file each: headers alone, allocation failures, exported symbols, an installed tree.

# ---- headers: each alone, as C99 and as C++11, with nothing before it ---------------------------
file(GLOB detops_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/*.h
     ${PROJECT_SOURCE_DIR}/include/mlu_op/*.h)
set(header_sources)
foreach(header ${detops_headers})
  string(MAKE_C_IDENTIFIER ${header} name)
  foreach(language c cc)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.${language})
    # Twice: the guards must hold. The declaration keeps the file from being empty.
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\nint ${name}_${language};\n")
    list(APPEND header_sources ${source})
  endforeach()
endforeach()
add_library(header_c_test OBJECT ${header_sources})
target_include_directories(header_c_test PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_options(header_c_test PRIVATE -Wall -Wextra -Wpedantic -Werror)
set_target_properties(header_c_test PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
                      CXX_STANDARD 11 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)

if(NOT DETOPS_SANITIZE)
  # ---- allocation failures: replaces malloc, which the sanitizers do too ------------------------
  add_executable(allocation_failure allocation_failure.cc allocation_failure_gen_case.cc
                 allocation_failure_indice_convolution.cc allocation_failure_indice_pairs.cc
                 allocation_failure_indice_pool.cc allocation_failure_late.cc allocation_failure_none.cc
                 allocation_failure_point_to_voxel.cc allocation_failure_rois.cc allocation_hooks.cc)
  target_link_libraries(allocation_failure PRIVATE detops_options detops GTest::gtest_main Threads::Threads
                        ${CMAKE_DL_LIBS})
  target_compile_definitions(allocation_failure PRIVATE
                             DETOPS_EXPORTED_SYMBOLS="${CMAKE_CURRENT_SOURCE_DIR}/exported_symbols.txt")
  gtest_discover_tests(allocation_failure DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)

  # ---- what the shared library gives and needs --------------------------------------------------
  add_test(NAME exported_symbols
           COMMAND ${CMAKE_COMMAND} -DLIBRARY=$<TARGET_FILE:detops> -DNM=${CMAKE_NM} -DREADELF=${CMAKE_READELF}
                   -DEXPECTED=${CMAKE_CURRENT_SOURCE_DIR}/exported_symbols.txt
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/exported_symbols.cmake)

  # ---- an installed tree, used as strangers do --------------------------------------------------
  add_test(NAME install
           COMMAND ${CMAKE_COMMAND} -DBUILD_DIR=${PROJECT_BINARY_DIR} -DSOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}/install
                   -DWORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/install_test -DGENERATOR=${CMAKE_GENERATOR}
                   -DC_COMPILER=${CMAKE_C_COMPILER} -DCXX_COMPILER=${CMAKE_CXX_COMPILER}
                   -DPKG_CONFIG=${PKG_CONFIG_EXECUTABLE} -DLIBDIR=${CMAKE_INSTALL_LIBDIR}
                   -DCONFIG=$<CONFIG> -DC_FLAGS=${CMAKE_C_FLAGS} -DCXX_FLAGS=${CMAKE_CXX_FLAGS}
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/install/install_test.cmake)
  set_tests_properties(exported_symbols install PROPERTIES TIMEOUT 300)
endif()
