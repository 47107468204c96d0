# Sets FARFIELD_HAVE_NCCL. Only nccl.h is needed to build: the library is opened when a distributed plan first asks for it
# (src/distributed/cuda/nccl/library.cpp), so that binaries run where there is none. FARFIELD_NCCL_FOUND is the one that is
# here; it is tried where the system's loader knows no libnccl.so.2. Looked for in NCCL_ROOT or NCCL_HOME, in the wheel
# nvidia-nccl-cu13 (or -cu12) of the python3 on PATH, and where Debian's and NVIDIA's packages put it.
set(FARFIELD_HAVE_NCCL OFF)
if(FARFIELD_NCCL STREQUAL "OFF")
  return()
endif()
if(NOT FARFIELD_HAVE_CUDA)
  if(FARFIELD_NCCL STREQUAL "ON")
    message(FATAL_ERROR "FARFIELD_NCCL is ON, but CUDA is left out; configure with -DFARFIELD_CUDA=ON, too")
  endif()
  return()
endif()

set(places ${NCCL_ROOT} $ENV{NCCL_ROOT} $ENV{NCCL_HOME})
execute_process(COMMAND python3 -c "import nvidia.nccl as wheel; print(list(wheel.__path__)[0])"
  OUTPUT_VARIABLE wheel OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
list(APPEND places ${wheel})
find_path(FARFIELD_NCCL_INCLUDE nccl.h HINTS ${places} PATH_SUFFIXES include PATHS /usr/local/cuda/include)
find_library(FARFIELD_NCCL_LIBRARY NAMES libnccl.so.2 nccl HINTS ${places} PATH_SUFFIXES lib lib64
  PATHS /usr/local/cuda/lib64 /usr/local/cuda/lib)
mark_as_advanced(FARFIELD_NCCL_INCLUDE FARFIELD_NCCL_LIBRARY)
if(FARFIELD_NCCL_INCLUDE)
  file(STRINGS ${FARFIELD_NCCL_INCLUDE}/nccl.h finalizes REGEX "ncclCommFinalize")  # 2.14
endif()
if(FARFIELD_NCCL_INCLUDE AND finalizes)
  set(FARFIELD_HAVE_NCCL ON)
  set(FARFIELD_NCCL_FOUND "")
  if(FARFIELD_NCCL_LIBRARY)
    set(FARFIELD_NCCL_FOUND ${FARFIELD_NCCL_LIBRARY})
  endif()
  message(STATUS "NCCL: ${FARFIELD_NCCL_INCLUDE}/nccl.h")
elseif(FARFIELD_NCCL STREQUAL "ON")
  message(FATAL_ERROR "FARFIELD_NCCL is ON, but there is no nccl.h of NCCL 2.14 or later; set NCCL_ROOT to the folder "
                      "with its include/, or install libnccl-dev or the wheel nvidia-nccl-cu13")
endif()
