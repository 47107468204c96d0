# cmake -DBUILD_DIR=<build tree> -DWORK_DIR=<scratch> -P run.cmake
# Installs the build tree into a fresh prefix, then configures, builds and runs the stranger's project against it,
# through CMake and, where pkg-config exists, through farfield.pc.
include(${CMAKE_CURRENT_LIST_DIR}/../support/step.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -DCMAKE_PREFIX_PATH=${prefix}
     -DCMAKE_BUILD_TYPE=Release)
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step(${WORK_DIR}/build/consumer_cpp)
step(${WORK_DIR}/build/consumer_c)

# A compiler of an earlier standard is told so before anything else, and C is not asked for more than C.
execute_process(COMMAND c++ -std=c++17 -fsyntax-only -I${prefix}/include ${CMAKE_CURRENT_LIST_DIR}/main.cpp
                RESULT_VARIABLE status ERROR_VARIABLE said)
string(REGEX MATCH "error: [^\n]*" first "${said}")
if(status EQUAL 0 OR NOT first MATCHES "Farfield needs C\\+\\+20")
  message(FATAL_ERROR "a C++17 compiler is told first: ${first}")
endif()

# The lines of docs/ that compile, in a folder of their own; `~/farfield` is the prefix.
set(root ${CMAKE_CURRENT_LIST_DIR}/../..)
file(COPY ${root}/examples/ DESTINATION ${WORK_DIR}/examples)
function(documented page command)
  file(STRINGS ${root}/docs/${page} line REGEX "^${command} -std")
  string(REPLACE "~/farfield" "${prefix}" line "${line}")
  if(line STREQUAL "")
    message(FATAL_ERROR "docs/${page} has no line that starts with ${command} -std")
  endif()
  step(${CMAKE_COMMAND} -E chdir ${WORK_DIR}/examples ${CMAKE_COMMAND} -E env ${ARGN} sh -c "${line}")
endfunction()
find_program(nvcc nvcc PATHS /usr/local/cuda/bin)
file(GLOB_RECURSE archive ${prefix}/*/libfarfield.a)
if(nvcc AND archive)
  cmake_path(GET nvcc PARENT_PATH nvcc_dir)
  documented(gpu.md nvcc PATH=${nvcc_dir}:$ENV{PATH})
  execute_process(COMMAND ${WORK_DIR}/examples/quickstart_device RESULT_VARIABLE status OUTPUT_VARIABLE said)
  if(NOT status MATCHES "^(0|77)$")  # 77: there is no device
    message(FATAL_ERROR "docs/gpu.md: its program ends with ${status}: ${said}")
  endif()
endif()

find_program(pkg_config pkg-config)
if(NOT pkg_config)
  message(STATUS "farfield.pc was not tried: there is no pkg-config")
  return()
endif()
file(GLOB_RECURSE pc ${prefix}/*/farfield.pc)
cmake_path(GET pc PARENT_PATH pc_dir)
cmake_path(GET pc_dir PARENT_PATH lib_dir)
file(STRINGS ${pc} wrong REGEX "NOTFOUND")
if(wrong)
  message(FATAL_ERROR "farfield.pc: ${wrong}")
endif()
documented(quickstart.md "c[+][+]" PKG_CONFIG_PATH=${pc_dir})
step(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${lib_dir} ${WORK_DIR}/examples/quickstart)
step(sh -c "c++ -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${WORK_DIR}/with_pc \
  $(PKG_CONFIG_PATH=${pc_dir} pkg-config --cflags --libs farfield)")
step(sh -c "LD_LIBRARY_PATH=${lib_dir} ${WORK_DIR}/with_pc")
