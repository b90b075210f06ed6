# What tests written in CMake share. They gather problems and tell all of them at the end.
set(problems "")

function(problem text)
  set(problems "${problems}  ${text}\n" PARENT_SCOPE)
endfunction()

# The output of a command that must succeed.
function(run output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# The end: fails if there were problems, or if so few things were looked at that the test cannot have seen them all.
function(conclude count least things verdict)
  if(problems)
    message(FATAL_ERROR "\n${problems}")
  endif()
  if(count LESS least)
    message(FATAL_ERROR "only ${count} ${things} were found: this test does not see them")
  endif()
  message(STATUS "${count} ${things} ${verdict}")
endfunction()
