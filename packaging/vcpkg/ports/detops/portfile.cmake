# Builds the checkout that this port lies in: vcpkg install detops --overlay-ports=packaging/vcpkg/ports
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

# Its symbols are chosen by a version script, and one copy serves the whole process.
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
    -DDETOPS_BUILD_TESTS=OFF
    -DDETOPS_BUILD_BENCHMARKS=OFF
    -DDETOPS_BUILD_EXAMPLES=OFF
    -DDETOPS_BUILD_PROGRAM=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/detops)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/licenses/Highway-Apache-2.0.txt")
