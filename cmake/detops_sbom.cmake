# detops_sbom(OUTPUT NAME PURL TYPE FILES... CONTENTS...): a target of the default build that writes OUTPUT, what these
# binaries hold and need (sbom.cmake). CONTENTS are name|version|license|purl of what is compiled in.
set(DETOPS_SBOM_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/sbom.cmake)
function(detops_sbom output name purl type)
  cmake_parse_arguments(sbom "" "" "FILES;CONTENTS" ${ARGN})
  add_custom_command(OUTPUT ${output} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAME=${name} -DVERSION=${PROJECT_VERSION} -DPURL=${purl} -DTYPE=${type}
            "-DFILES=${sbom_FILES}" "-DCONTENTS=${sbom_CONTENTS}" -DREADELF=${CMAKE_READELF} -P ${DETOPS_SBOM_SCRIPT}
    DEPENDS ${sbom_FILES} ${DETOPS_SBOM_SCRIPT})
  get_filename_component(target ${output} NAME_WE)
  add_custom_target(${target}_sbom ALL DEPENDS ${output})
endfunction()
