# cmake -DBUILD_DIR=<build tree> -DWORK_DIR=<scratch> -P run.cmake
# Installs the build tree into a fresh prefix, then configures, builds and runs the stranger's project against it,
# through CMake and, where pkg-config exists, through farfield.pc.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${status}): ${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -DCMAKE_PREFIX_PATH=${prefix}
     -DCMAKE_BUILD_TYPE=Release)
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step(${WORK_DIR}/build/consumer_cpp)
step(${WORK_DIR}/build/consumer_c)

find_program(pkg_config pkg-config)
if(NOT pkg_config)
  message(STATUS "farfield.pc was not tried: there is no pkg-config")
  return()
endif()
file(GLOB_RECURSE pc ${prefix}/*/farfield.pc)
cmake_path(GET pc PARENT_PATH pc_dir)
cmake_path(GET pc_dir PARENT_PATH lib_dir)
step(sh -c "c++ -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${WORK_DIR}/with_pc \
  $(PKG_CONFIG_PATH=${pc_dir} pkg-config --cflags --libs farfield)")
step(sh -c "LD_LIBRARY_PATH=${lib_dir} ${WORK_DIR}/with_pc")
