# Puts the report's page together and writes it as C++:
#   cmake -DPAGE=page.html -DSTYLES=a.css -DSCRIPTS=a.js,b.js -DOUTPUT=page.cc -P embed_page.cmake
# The page has three marks: {{styles}}, {{scripts}} and {{run}}.
string(REPLACE "," ";" style_files "${STYLES}")
string(REPLACE "," ";" script_files "${SCRIPTS}")

function(join_files result)
  set(text "")
  foreach(file IN LISTS ARGN)
    file(READ "${file}" content)
    string(APPEND text "${content}")
  endforeach()
  string(TOLOWER "${text}" lower)
  if(lower MATCHES "</(script|style)|<!--")
    message(FATAL_ERROR "${ARGN}: the text would end its element or open a comment.")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

join_files(styles ${style_files})
join_files(scripts ${script_files})
file(READ "${PAGE}" page)
string(FIND "${page}" "{{run}}" run_begin)
if(run_begin EQUAL -1)
  message(FATAL_ERROR "${PAGE} has no mark {{run}}.")
endif()
math(EXPR run_end "${run_begin} + 7")
string(SUBSTRING "${page}" 0 ${run_begin} before)
string(SUBSTRING "${page}" ${run_end} -1 after)

foreach(part before after)
  string(REPLACE "{{styles}}" "${styles}" ${part} "${${part}}")
  string(REPLACE "{{scripts}}" "${scripts}" ${part} "${${part}}")
endforeach()
file(WRITE "${OUTPUT}.new" "// Made by embed_page.cmake from the files in page/.
#include \"report/page.h\"

namespace detops_cli {

const std::string_view kPageBeforeRun = R\"detops_page(${before})detops_page\";

const std::string_view kPageAfterRun = R\"detops_page(${after})detops_page\";

}  // namespace detops_cli
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
