# Installation: libraries, headers under include/detops/ (so that they never meet a vendor's mlu_op.h), a CMake package
# and a pkg-config file that put this folder on the include path.
include(CMakePackageConfigHelpers)

set(detops_installed detops)
if(DETOPS_BUILD_STATIC)
  list(APPEND detops_installed detops_static)
endif()
install(TARGETS ${detops_installed} EXPORT detopsTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/detops COMPONENT development
        FILES_MATCHING PATTERN "*.h")

set(detops_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/detops)
install(EXPORT detopsTargets NAMESPACE detops:: DESTINATION ${detops_package_dir} COMPONENT development)
configure_package_config_file(cmake/detopsConfig.cmake.in detopsConfig.cmake INSTALL_DESTINATION ${detops_package_dir})
write_basic_package_version_file(detopsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/detopsConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/detopsConfigVersion.cmake
        DESTINATION ${detops_package_dir} COMPONENT development)

# From the pkg-config folder up to the prefix, so that an installed tree can be moved.
file(RELATIVE_PATH detops_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/detops.pc.in detops.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/detops.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
