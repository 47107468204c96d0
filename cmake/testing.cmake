# farfield_test(<name> [SLOW|TSAN|UNSANITIZED] <source>...)
#
# A GoogleTest program; every TEST is one entry of ctest. Further libraries: target_link_libraries afterwards. All carry the
# label `asan`, the list that is repeated under AddressSanitizer and UndefinedBehaviorSanitizer, unless they are SLOW, or
# UNSANITIZED since that would be compiled for minutes. What that list runs is built by the target asan_tests, without the rest.
# TSAN: repeated under ThreadSanitizer as well.
find_package(GTest REQUIRED)
include(GoogleTest)

# Half of the time that a test takes to compile goes into headers that all of them share (3 of 5 to 9 s), and most of the
# rest into optimisation that few tests need: precompiled headers and -O1 halve the tests' compilation.
# SLOW tests are optimised, since they sum pairs in loops of their own. Each kind of options needs headers of its own.
set(fast_options $<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>>:-O1>)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/test_headers.cpp CONTENT "// Of no use but to own the precompiled headers.\n")
foreach(kind fast slow)
  add_library(farfield_${kind}_headers OBJECT ${PROJECT_BINARY_DIR}/generated/test_headers.cpp)
  target_link_libraries(farfield_${kind}_headers PRIVATE farfield_headers farfield_warnings GTest::gtest)
  target_compile_options(farfield_${kind}_headers PRIVATE ${${kind}_options})
  target_precompile_headers(farfield_${kind}_headers PRIVATE <gtest/gtest.h> <farfield/farfield.hpp> <algorithm> <cmath> <map>
    <numbers> <numeric> <random> <thread>)
endforeach()

add_custom_target(asan_tests)

function(farfield_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SLOW;TSAN;UNSANITIZED" "" "")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE farfield_headers farfield_warnings GTest::gtest_main)
  set(kind fast)
  if(arg_SLOW)
    set(kind slow)
  endif()
  target_compile_options(${name} PRIVATE ${${kind}_options})
  if(NOT "${arg_UNPARSED_ARGUMENTS}" MATCHES "[.]cu")
    target_precompile_headers(${name} REUSE_FROM farfield_${kind}_headers)
  endif()
  set(label asan)  # one label: gtest_discover_tests of CMake 3.25 loses a list; so one label has both words
  if(arg_TSAN)
    set(label asan-tsan)
  elseif(arg_SLOW)
    set(label slow)
  elseif(arg_UNSANITIZED)
    set(label unsanitized)
  endif()
  if(label MATCHES "^asan")
    add_dependencies(asan_tests ${name})
  endif()
  # PRE_TEST: tests are listed when ctest starts, so that a program that crashes fails as a test, not as a build.
  # Threads that wait must not burn the cores of tests that run beside.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
    PROPERTIES LABELS ${label} ENVIRONMENT OMP_WAIT_POLICY=passive)
endfunction()

# Of tests that start MPI: more ranks than cores, containers and, of OpenMPI, root; other MPIs do not look at these.
set(farfield_mpi_environment
  "OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_mpi_yield_when_idle=1;OMPI_MCA_btl_vader_single_copy_mechanism=none;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe;OMP_NUM_THREADS=1")

# Checks that are scripts: exit status 0 passes, 77 skips; the last line that they print is the reason.
function(farfield_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND;LABELS")
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "${arg_LABELS}")
endfunction()
