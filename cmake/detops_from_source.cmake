# Highway and GoogleTest from their sources, for targets that no distribution has packages of them for. Takes the place
# of find_package and pkg_check_modules: targets of the same names.

# Of Highway the library needs the headers, and at run time the choice of the instruction set.
if(DETOPS_HIGHWAY_SOURCE)
  # abort.cc is a file of later versions.
  file(GLOB highway ${DETOPS_HIGHWAY_SOURCE}/hwy/abort.cc ${DETOPS_HIGHWAY_SOURCE}/hwy/per_target.cc
       ${DETOPS_HIGHWAY_SOURCE}/hwy/targets.cc)
  add_library(detops_highway STATIC ${highway})
  target_include_directories(detops_highway SYSTEM PUBLIC ${DETOPS_HIGHWAY_SOURCE})
  set_target_properties(detops_highway PROPERTIES POSITION_INDEPENDENT_CODE ON)
  add_library(PkgConfig::HWY ALIAS detops_highway)
  file(STRINGS ${DETOPS_HIGHWAY_SOURCE}/hwy/base.h HWY_VERSION REGEX "^#define HWY_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" HWY_VERSION "${HWY_VERSION}")
  string(REPLACE ";" "." HWY_VERSION "${HWY_VERSION}")
endif()

if(DETOPS_GOOGLETEST_SOURCE AND DETOPS_BUILD_TESTS)
  set(INSTALL_GTEST OFF)
  set(BUILD_GMOCK OFF)
  set(gtest_disable_pthreads OFF)
  add_subdirectory(${DETOPS_GOOGLETEST_SOURCE} googletest EXCLUDE_FROM_ALL)
  if(NOT TARGET GTest::gtest)
    add_library(GTest::gtest ALIAS gtest)
    add_library(GTest::gtest_main ALIAS gtest_main)
  endif()
endif()
