# Compares what the shared library exports, its SONAME and the libraries it needs with what is promised, and the list of
# the contract's functions in the documents with the symbols.
# Variables: LIBRARY, NM, READELF, EXPECTED (one symbol a line, sorted), CONTRACT_PAGE. After an intended change edit
# those two files.
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/problems.cmake)

# ---- symbols ----
run(listing ${NM} -D --defined-only ${LIBRARY})
string(REGEX MATCHALL "[^\n]+" lines "${listing}")
set(actual)
foreach(line ${lines})
  string(REGEX REPLACE "@+[^@]*$" "" line "${line}") # the version: name@@DETOPS_0
  string(REGEX REPLACE "^.* " "" symbol "${line}")
  list(APPEND actual ${symbol})
endforeach()
list(SORT actual)

file(STRINGS ${EXPECTED} expected)
set(sorted ${expected})
list(SORT sorted)
list(REMOVE_DUPLICATES sorted)
if(NOT expected STREQUAL sorted)
  problem("${EXPECTED} is not sorted or has a line twice")
endif()
foreach(symbol ${expected})
  if(NOT symbol IN_LIST actual)
    problem("- ${symbol}   (promised, but not exported)")
  endif()
endforeach()
foreach(symbol ${actual})
  if(NOT symbol IN_LIST expected)
    problem("+ ${symbol}   (exported, but not in the list)")
  endif()
endforeach()

# ---- the page that lists the contract's functions ----
file(READ ${CONTRACT_PAGE} page)
string(REGEX MATCHALL "`mlu[oO]p[A-Z][A-Za-z0-9_]*`" listed "${page}")
string(REPLACE "`" "" listed "${listed}")
foreach(symbol ${expected})
  if(symbol MATCHES "^mlu" AND NOT symbol IN_LIST listed)
    problem("${symbol} is not in ${CONTRACT_PAGE}")
  endif()
endforeach()
foreach(symbol ${listed})
  if(NOT symbol IN_LIST expected)
    problem("${CONTRACT_PAGE} lists ${symbol}, which is not exported")
  endif()
endforeach()

# ---- SONAME and needed libraries ----
run(dynamic ${READELF} -dW ${LIBRARY})
if(NOT dynamic MATCHES "\\(SONAME\\)[^[]*\\[libdetops\\.so\\.0\\]")
  problem("the SONAME is not libdetops.so.0")
endif()
string(REGEX MATCHALL "\\(NEEDED\\)[^[]*\\[[^]\n]*" entries "${dynamic}")
if(NOT entries)
  problem("readelf shows no NEEDED entry; this test cannot read its output")
endif()
foreach(entry ${entries})
  string(REGEX REPLACE "^.*\\[" "" library "${entry}")
  if(NOT library MATCHES "^(libhwy|libstdc\\+\\+|libm|libgcc_s|libc|ld-linux[-a-z0-9_]*)\\.so(\\.[0-9]+)*$")
    problem("needs ${library}")
  endif()
endforeach()

list(LENGTH actual count)
conclude(${count} 100 "exported symbols," "the SONAME and needed libraries of ${LIBRARY} are as promised")
