# detops_add_operator(NAME): takes in the room src/ops/NAME by the names of its files.
#   *_reference.cc  the plain double-precision version, for tests, fuzz targets and the program
#   *_test.cc       tests
#   *_bench.cc      benchmarks
#   *_fuzz.cc       fuzz targets
#   other *.cc      the library
# A room needs at least one file of each of the first three kinds.
function(detops_add_operator name)
  set(room ${PROJECT_SOURCE_DIR}/src/ops/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${room}/*.cc)
  foreach(kind reference test bench fuzz)
    set(files ${sources})
    list(FILTER files INCLUDE REGEX "_${kind}\\.cc$")
    list(FILTER sources EXCLUDE REGEX "_${kind}\\.cc$")
    if(NOT files AND NOT kind STREQUAL "fuzz")
      message(FATAL_ERROR "operator ${name} has no *_${kind}.cc")
    endif()
    set_property(GLOBAL APPEND PROPERTY DETOPS_OPERATOR_${kind} ${files})
  endforeach()
  target_sources(detops_objects PRIVATE ${sources})
endfunction()
