# Debian packages (./dev deb): the library, what compiles against it, the program. Each is a component of the
# installation; dependencies on other packages are found by dpkg-shlibdeps.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME detops)
set(CPACK_PACKAGE_VENDOR "The detops authors")
set(CPACK_PACKAGE_CONTACT "The detops authors <detops@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library development program)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")

# What the packages hold and need, as CycloneDX documents.
include(detops_sbom)
detops_sbom(${PROJECT_BINARY_DIR}/library.cdx.json libdetops pkg:generic/detops@${PROJECT_VERSION} library
            FILES $<TARGET_FILE:detops>
            CONTENTS "Highway|${HWY_VERSION}|Apache-2.0|pkg:github/google/highway@${HWY_VERSION}")

foreach(package libdetops${PROJECT_VERSION_MAJOR}:library libdetops-dev:development detops:program)
  string(REPLACE ":" ";" package ${package})
  list(GET package 0 name)
  list(GET package 1 component)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/${name} RENAME copyright COMPONENT ${component})
  set(document library)  # The static library holds what the shared one does.
  if(component STREQUAL "program")
    set(document program)
  endif()
  # Optional, because somebody may install what was built of a choice of targets.
  install(FILES ${PROJECT_BINARY_DIR}/${document}.cdx.json DESTINATION share/doc/${name} RENAME sbom.cdx.json
          COMPONENT ${component} OPTIONAL)
endforeach()

set(library libdetops${PROJECT_VERSION_MAJOR})
set(same "${library} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "Sparse convolution, RoI pooling, rotated align, overlap and suppression of boxes: the shared library")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdetops-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${same}, libhwy-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers of detops, its static library, files for CMake and pkg-config")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME detops)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${same}")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Program that judges and measures libraries with the API of mlu_op.h")
include(CPack)
