# What `cmake --install` puts where: headers, library, tools, the CMake package
# (find_package(mpj), target mpj::mpj) and mpj.pc. The tree may be moved after it
# was installed: every path in it is relative to where the file itself lies.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mpj DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(TARGETS mpj EXPORT mpj-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(mpi ${MPJ_MPIS})
  set_target_properties(mpj-mpi-${mpi} PROPERTIES INSTALL_RPATH "$ORIGIN" EXPORT_NAME mpi-${mpi})
  install(TARGETS mpj-mpi-${mpi} EXPORT mpj-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # Loaded by name, never linked with.
  set_target_properties(mpj-interpose-${mpi} PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS mpj-interpose-${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(TARGET mpj-scalapack-${mpi})
    set_target_properties(mpj-scalapack-${mpi} PROPERTIES INSTALL_RPATH "$ORIGIN")
    install(TARGETS mpj-scalapack-${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
file(RELATIVE_PATH MPJ_BIN_TO_LIB ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
foreach(tool mpjrun mpj-info mpj-type mpj-sim)
  if(TARGET ${tool})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/${MPJ_BIN_TO_LIB}")
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

# Below 1.0 a minor version may change the interface, above only a major one.
set(MPJ_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mpj)
set(MPJ_COMPATIBILITY SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(MPJ_COMPATIBILITY SameMinorVersion)
endif()
install(EXPORT mpj-targets NAMESPACE mpj:: DESTINATION ${MPJ_PACKAGE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mpj-config.cmake.in
  ${PROJECT_BINARY_DIR}/mpj-config.cmake INSTALL_DESTINATION ${MPJ_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mpj-config-version.cmake
  COMPATIBILITY ${MPJ_COMPATIBILITY})
install(FILES ${PROJECT_BINARY_DIR}/mpj-config.cmake ${PROJECT_BINARY_DIR}/mpj-config-version.cmake
  DESTINATION ${MPJ_PACKAGE_DIR})

file(RELATIVE_PATH MPJ_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH MPJ_PC_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH MPJ_PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/mpj.pc.in ${PROJECT_BINARY_DIR}/mpj.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/mpj.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
