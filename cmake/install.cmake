# What other projects see: target farfield::farfield, its headers, the CMake package and farfield.pc.
if(NOT TARGET farfield)
  return()
endif()

if(NOT TARGET farfield::farfield)
  add_library(farfield::farfield ALIAS farfield)
endif()
set_target_properties(farfield PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}  # before 1.0 a minor release may change the ABI
  POSITION_INDEPENDENT_CODE ON  # a static library ends up in Python modules and plug-ins, too
  CXX_VISIBILITY_PRESET hidden
  CUDA_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
target_compile_features(farfield INTERFACE cxx_std_20)
target_include_directories(farfield PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(farfield PRIVATE OpenMP::OpenMP_CXX)
if(TARGET farfield_mpi)
  add_library(farfield::mpi ALIAS farfield_mpi)
  set_target_properties(farfield_mpi PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endif()

# All that is installed, without tests: what Python's package and the pages are built from.
add_custom_target(farfield_installed)
foreach(one farfield farfield_mpi farfield_cli farfield_mpi_cli)
  if(TARGET ${one})
    add_dependencies(farfield_installed ${one})
  endif()
endforeach()

if(NOT FARFIELD_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/farfield)

install(TARGETS farfield EXPORT farfield)
install(DIRECTORY include/farfield DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${PROJECT_BINARY_DIR}/include/farfield/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/farfield)
install(EXPORT farfield FILE farfieldTargets.cmake NAMESPACE farfield:: DESTINATION ${package_dir})
if(TARGET farfield_mpi)  # a component, so that only those who ask for it need MPI
  install(TARGETS farfield_mpi EXPORT farfield_mpi)
  install(EXPORT farfield_mpi FILE farfieldMpiTargets.cmake NAMESPACE farfield:: DESTINATION ${package_dir})
endif()
if(TARGET farfield_cli)
  install(TARGETS farfield_cli)
  if(TARGET farfield_mpi_cli)
    install(TARGETS farfield_mpi_cli)
    if(NOT CMAKE_CROSSCOMPILING)
      install(FILES ${PROJECT_BINARY_DIR}/share/farfield-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    endif()
  endif()
  if(NOT CMAKE_CROSSCOMPILING)  # the command writes them itself
    install(FILES ${PROJECT_BINARY_DIR}/share/farfield.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${PROJECT_BINARY_DIR}/share/farfield DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  endif()
endif()

configure_package_config_file(cmake/farfieldConfig.cmake.in ${PROJECT_BINARY_DIR}/farfieldConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/farfieldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/farfieldConfig.cmake ${PROJECT_BINARY_DIR}/farfieldConfigVersion.cmake
  DESTINATION ${package_dir})

set(farfield_pc_private "-lstdc++ -lm ${OpenMP_CXX_FLAGS}")
if(FARFIELD_HAVE_CUDA)
  find_package(CUDAToolkit REQUIRED)  # what src/ found is known there only
  list(GET CUDAToolkit_LIBRARY_DIR 0 cuda_libraries)
  string(APPEND farfield_pc_private " -L${cuda_libraries} -lcudart_static -lpthread -ldl -lrt")
endif()
set(farfield_pc_libs "-L\${libdir} -lfarfield")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND farfield_pc_libs " ${farfield_pc_private}")  # whoever links an archive needs what it needs
endif()
file(RELATIVE_PATH farfield_pc_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/farfield.pc.in ${PROJECT_BINARY_DIR}/farfield.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/farfield.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
