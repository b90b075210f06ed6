# Writes what binaries hold and need as a CycloneDX document: what is compiled into them is told by the caller, what they
# load is read from them. Two runs with the same binaries write the same bytes; a time stands in it if SOURCE_DATE_EPOCH
# gives one.
# Variables: OUTPUT, NAME, VERSION, PURL, TYPE (library or application), FILES, READELF,
# CONTENTS: a list of name|version|license|purl, the last three may be empty.
cmake_minimum_required(VERSION 3.21)

# Whose the libraries are that ours and the program may load.
set(known
    "^libhwy\\.|Highway|Apache-2.0"
    "^libstdc\\+\\+\\.|libstdc++|GPL-3.0-or-later WITH GCC-exception-3.1"
    "^libgcc_s\\.|libgcc|GPL-3.0-or-later WITH GCC-exception-3.1"
    "^(lib(c|m|dl|pthread|rt)\\.|ld-linux)|glibc|LGPL-2.1-or-later"
    "^lib(torch|c10)|PyTorch|BSD-3-Clause"
    "^libfmt\\.|fmt|MIT"
    "^libprotobuf\\.|Protocol Buffers|BSD-3-Clause"
    "^libz\\.|zlib|Zlib")

set(names "")
foreach(content ${CONTENTS})
  string(REGEX MATCH "^([^|]+)\\|([^|]*)\\|([^|]*)\\|([^|]*)$" matched "${content}")
  if(NOT matched)
    message(FATAL_ERROR "the content '${content}' is not name|version|license|purl")
  endif()
  set(name "${CMAKE_MATCH_1}")
  string(MAKE_C_IDENTIFIER "${name}" id)
  list(APPEND names "${name}")
  set(version_${id} "${CMAKE_MATCH_2}")
  set(license_${id} "${CMAKE_MATCH_3}")
  string(REGEX REPLACE "@v?$" "" purl_${id} "${CMAKE_MATCH_4}")  # a version that nobody knows
  set(loaded_${id} "")
endforeach()

foreach(file ${FILES})
  execute_process(COMMAND ${READELF} --dynamic --wide ${file} OUTPUT_VARIABLE dynamic RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "cannot read ${file}")
  endif()
  string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*\\[[^]\n]+\\]" entries "${dynamic}")
  foreach(entry ${entries})
    string(REGEX REPLACE "^.*\\[([^]]+)\\]$" "\\1" soname "${entry}")
    if(soname MATCHES "^libdetops")
      continue()
    endif()
    set(name "${soname}")
    set(license "")
    foreach(row ${known})
      string(REGEX MATCH "^(.*)\\|([^|]+)\\|([^|]+)$" matched "${row}")
      set(owner "${CMAKE_MATCH_2}")
      set(terms "${CMAKE_MATCH_3}")
      if(soname MATCHES "${CMAKE_MATCH_1}")
        set(name "${owner}")
        set(license "${terms}")
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "${name}" id)
    if(NOT name IN_LIST names)
      list(APPEND names "${name}")
      set(version_${id} "")
      set(license_${id} "${license}")
      set(purl_${id} "")
      set(loaded_${id} "")
    endif()
    list(APPEND loaded_${id} "${soname}")
    list(REMOVE_DUPLICATES loaded_${id})
  endforeach()
endforeach()

# Adds ,"key": "value" to a variable if there is a value.
macro(add text key value)
  if(NOT "${value}" STREQUAL "")
    string(APPEND ${text} ",\n      \"${key}\": \"${value}\"")
  endif()
endmacro()

set(components "")
set(references "")
foreach(name ${names})
  string(MAKE_C_IDENTIFIER "${name}" id)
  set(component "      \"type\": \"library\",\n      \"bom-ref\": \"${id}\",\n      \"name\": \"${name}\"")
  add(component version "${version_${id}}")
  if(NOT "${license_${id}}" STREQUAL "")
    string(APPEND component ",\n      \"licenses\": [{\"expression\": \"${license_${id}}\"}]")
  endif()
  add(component purl "${purl_${id}}")
  if(NOT "${loaded_${id}}" STREQUAL "")
    string(REPLACE ";" " " loaded "${loaded_${id}}")
    string(APPEND component ",\n      \"properties\": [{\"name\": \"detops:loads\", \"value\": \"${loaded}\"}]")
  endif()
  list(APPEND components "    {\n${component}\n    }")
  list(APPEND references "\"${id}\"")
endforeach()
list(JOIN components ",\n" components)
list(JOIN references ", " references)

set(time "")
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  string(TIMESTAMP time "%Y-%m-%dT%H:%M:%SZ" UTC)
  set(time "    \"timestamp\": \"${time}\",\n")
endif()
set(subject "      \"type\": \"${TYPE}\",\n      \"bom-ref\": \"detops\",\n      \"name\": \"${NAME}\"")
add(subject version "${VERSION}")
add(subject purl "${PURL}")
string(APPEND subject ",\n      \"licenses\": [{\"expression\": \"MIT\"}]")
set(body "  \"metadata\": {
${time}    \"component\": {
${subject}
    }
  },
  \"components\": [
${components}
  ],
  \"dependencies\": [
    {\"ref\": \"detops\", \"dependsOn\": [${references}]}
  ]
}
")
# A number that follows from what the document says.
string(UUID serial NAMESPACE 6ba7b810-9dad-11d1-80b4-00c04fd430c8 NAME "${body}" TYPE SHA1)
file(WRITE ${OUTPUT} "{
  \"$schema\": \"http://cyclonedx.org/schema/bom-1.6.schema.json\",
  \"bomFormat\": \"CycloneDX\",
  \"specVersion\": \"1.6\",
  \"serialNumber\": \"urn:uuid:${serial}\",
  \"version\": 1,
${body}")
