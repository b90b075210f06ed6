# detops_add_operator(NAME): takes in the room src/ops/NAME. Folders say what a file is for:
#   reference/  the plain double-precision version, for tests, fuzz targets and the program
#   contract/   the argument rules as data and how to call the operator: its part of the catalogue (harness/)
#   test/       tests: *_test.cc, a program each, and headers they share
#   bench/      benchmarks
#   fuzz/       the fuzz target
#   all else    the library
# A room needs the first three; benchmarks and a fuzz target follow from contract/, further ones have their folders. Programs are called NAME_<file>, so file names need not repeat the room's.
function(detops_add_operator name)
  set(room ${PROJECT_SOURCE_DIR}/src/ops/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${room}/*.cc)
  foreach(kind reference contract test bench fuzz)
    set(files ${sources})
    list(FILTER files INCLUDE REGEX "^${room}/${kind}/")
    list(FILTER sources EXCLUDE REGEX "^${room}/${kind}/")
    if(NOT files AND kind MATCHES "reference|test")
      message(FATAL_ERROR "operator ${name} has no file in ${kind}/")
    endif()
    if(files AND kind STREQUAL "contract")
      set_property(GLOBAL APPEND PROPERTY DETOPS_ROOMS ${name})
    endif()
    set_property(GLOBAL APPEND PROPERTY DETOPS_OPERATOR_${kind} ${files})
  endforeach()
  target_sources(detops_objects PRIVATE ${sources})
endfunction()

# The program of a file of a room, src/ops/<room>/<kind>/<file>.cc, is <room>_<file>; of any other file the file's name.
function(detops_program_name file result)
  get_filename_component(name ${file} NAME_WE)
  if(file MATCHES "^${PROJECT_SOURCE_DIR}/src/ops/([^/]+)/")
    set(name ${CMAKE_MATCH_1}_${name})
  endif()
  set(${result} ${name} PARENT_SCOPE)
endfunction()
