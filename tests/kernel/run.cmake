# cmake -DWORK_DIR=<scratch> -P run.cmake
# Adds tests/kernel/plain.hpp to a copy of the sources by the steps of docs/developer/adding-a-kernel.md, builds the
# library for the CPU's baseline and runs main.cpp with it.
include(${CMAKE_CURRENT_LIST_DIR}/../support/step.cmake)

set(root ${CMAKE_CURRENT_LIST_DIR}/../..)
set(copy ${WORK_DIR}/copy)
foreach(part CMakeLists.txt cmake include src)
  file(COPY ${root}/${part} DESTINATION ${copy})
endforeach()

# Inserts the line of the page that begins with `begin` into a list, before the line that begins with `next`.
function(add_line begin list next)
  file(STRINGS ${root}/docs/developer/adding-a-kernel.md lines)
  file(READ ${copy}/include/farfield/${list} text)
  foreach(each IN LISTS lines)
    string(FIND "${each}" "  ${begin}" at)
    if(at EQUAL 0)
      set(line "${each}")
    endif()
  endforeach()
  string(FIND "${text}" "  ${next}" place)
  if(NOT DEFINED line OR place EQUAL -1)
    message(FATAL_ERROR "the page has no line ${begin} ...), or ${list} none of ${next} ...)")
  endif()
  string(SUBSTRING "${text}" 0 ${place} before)
  string(SUBSTRING "${text}" ${place} -1 after)
  file(WRITE ${copy}/include/farfield/${list} "${before}${line} \\\n${after}")
endfunction()

# 1. The header. 2. The line of the registry, as the page shows it. 3. That of the option.
file(COPY ${CMAKE_CURRENT_LIST_DIR}/plain.hpp DESTINATION ${copy}/src/kernels)
add_line("KERNEL(plain," kernels.h "KERNEL(laplace3d,")
add_line("OPTION(real, plain_core," options_list.h "OPTION(Method, method,")

file(WRITE ${copy}/try/CMakeLists.txt "add_executable(try ${CMAKE_CURRENT_LIST_DIR}/main.cpp)
target_link_libraries(try PRIVATE farfield)\n")
file(APPEND ${copy}/CMakeLists.txt "add_subdirectory(try)\n")
# Not optimised: twice as fast to compile, and functions that would be inlined are those of the linker, which shows where two
# classes have one name.
step(${CMAKE_COMMAND} -S ${copy} -B ${WORK_DIR}/build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DFARFIELD_CUDA=OFF
     -DFARFIELD_BASELINE_ONLY=ON -DFARFIELD_BUILD_CLI=OFF -DFARFIELD_BUILD_TESTS=OFF -DFARFIELD_INSTALL=OFF)
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build --parallel 2 --target try)
execute_process(COMMAND ${WORK_DIR}/build/try/try RESULT_VARIABLE status OUTPUT_VARIABLE said)
message("${said}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the added kernel does not give what 1/r, or a loop over all pairs, gives")
endif()
