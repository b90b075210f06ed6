# Compares the binary interface of the library with the promised one: functions, their parameters, enumerators.
# Variables: LIBRARY (with debug information), HEADERS, BASELINE, WORK_DIR, ABIDW, ABIDIFF; WRITE: make BASELINE anew.
cmake_minimum_required(VERSION 3.21)

set(actual ${WORK_DIR}/libdetops.abi)
# Types that no public header defines are the library's own affair: handles and descriptors are pointers to them.
execute_process(COMMAND ${ABIDW} --headers-dir ${HEADERS} --drop-private-types --exported-interfaces-only
                        --drop-undefined-syms --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed
                        --type-id-style hash
                        --out-file ${actual} ${LIBRARY} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "abidw failed: ${result}")
endif()
file(STRINGS ${actual} functions REGEX "<function-decl .*elf-symbol-id=")
list(LENGTH functions count)
if(count LESS 100)
  message(FATAL_ERROR "abidw shows ${count} functions; is there debug information in ${LIBRARY}?")
endif()
if(WRITE)
  file(COPY_FILE ${actual} ${BASELINE})
  message(STATUS "${count} functions written to ${BASELINE}")
  return()
endif()
execute_process(COMMAND ${ABIDIFF} --suppressions ${CMAKE_CURRENT_LIST_DIR}/private.abignore ${BASELINE} ${actual}
                RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The binary interface is not ${BASELINE} (abidiff says ${result}; 8 and above: programs built "
                      "before break):\n${text}\nIf this is meant: ./dev abi --write")
endif()
message(STATUS "${count} functions as promised")
