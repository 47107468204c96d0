# Decides whether CUDA is compiled: sets FARFIELD_HAVE_CUDA and enables the language. AUTO builds for this machine: with
# CUDA where there are nvcc and a GPU, or nvcc and a CMAKE_CUDA_ARCHITECTURES that says for which GPU. On a login node,
# with nvcc alone, all architectures would take an hour and nothing there could run them. ON builds for other machines:
# a missing nvcc is an error. nvcc is looked for in CMAKE_CUDA_COMPILER, CUDACXX, on PATH and in /usr/local/cuda/bin.
# FARFIELD_BUILT is the line that says what was built; `make` shows it.
set(FARFIELD_HAVE_CUDA OFF)
set(FARFIELD_BUILT "Built for the CPU alone.")
if(FARFIELD_CUDA STREQUAL "OFF")
  return()
endif()

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(FARFIELD_NVCC nvcc PATHS /usr/local/cuda/bin)
  mark_as_advanced(FARFIELD_NVCC)
  if(FARFIELD_NVCC)
    set(ENV{CUDACXX} ${FARFIELD_NVCC})
  elseif(FARFIELD_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA is left out: there is no nvcc on PATH or in /usr/local/cuda/bin")
    set(FARFIELD_BUILT "Built for the CPU alone: there is no nvcc.")
    return()
  else()
    message(FATAL_ERROR "FARFIELD_CUDA is ON, but there is no nvcc on PATH or in /usr/local/cuda/bin; "
                        "install the CUDA toolkit, set CUDACXX, or configure with -DFARFIELD_CUDA=OFF")
  endif()
endif()

file(GLOB gpus /dev/nvidia[0-9]* /dev/nvhost-gpu /dev/dxg)  # a card, a Jetson, Windows' own under WSL
if(FARFIELD_CUDA STREQUAL "AUTO" AND NOT gpus AND NOT CMAKE_CUDA_ARCHITECTURES)
  string(CONCAT FARFIELD_BUILT "Built for the CPU alone: nvcc is here, but no GPU. "
    "For CUDA as well: make build ARCH=90 (your GPU's number) or ARCH=all.")
  message(STATUS "CUDA is left out: nvcc is here, but no GPU. To compile for GPUs elsewhere: -DFARFIELD_CUDA=ON (all "
                 "architectures) or -DCMAKE_CUDA_ARCHITECTURES=90")
  return()
endif()

# All that this nvcc knows from sm_75 to sm_120: what is handed to others must run on their devices. One architecture, as
# in CMAKE_CUDA_ARCHITECTURES=90 or native, compiles in a fraction of the time.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(nvcc $ENV{CUDACXX})
  if(CMAKE_CUDA_COMPILER)
    set(nvcc ${CMAKE_CUDA_COMPILER})
  endif()
  execute_process(COMMAND ${nvcc} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
  set(architectures "")
  foreach(one 75 80 86 89 90 100 120)
    if(known MATCHES "sm_${one}\n")
      list(APPEND architectures ${one}-real)
      set(newest ${one})
    endif()
  endforeach()
  if(architectures)
    list(APPEND architectures ${newest}-virtual)  # devices to come compile from this when they first load it
    set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "Device architectures to compile for")
  endif()
endif()
if(FARFIELD_CUDA STREQUAL "AUTO")
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    message(STATUS "CUDA is left out: $ENV{CUDACXX} cannot compile (configure with -DFARFIELD_CUDA=ON to see why)")
    return()
  endif()
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake of Debian 12 does not know that nvcc has C++20
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(FARFIELD_HAVE_CUDA ON)
list(JOIN CMAKE_CUDA_ARCHITECTURES ", " architectures)
set(FARFIELD_BUILT "Built for the CPU and for CUDA, architectures ${architectures}.")
