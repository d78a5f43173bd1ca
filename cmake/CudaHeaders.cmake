# Where the headers of CUDA are, in MEMKIT_CUDA_INCLUDES; empty when one is missing,
# which MEMKIT_CUDA_MISSING then names. They come from a toolkit (CUDA_HOME, or what
# CMake finds) and, what that lacks, from the wheels that utils/setup.sh fetches.
# Nothing of CUDA is linked: what a program has is opened in it.

find_package(CUDAToolkit QUIET)
set(cuda_folders
  $ENV{CUDA_HOME}/include $ENV{CUDA_HOME}/extras/CUPTI/include
  ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_TARGET_DIR}/extras/CUPTI/include
  ${PROJECT_SOURCE_DIR}/.cache/cuda/nvidia/cu13/include)
set(MEMKIT_CUDA_INCLUDES)
set(MEMKIT_CUDA_MISSING)
foreach(header cuda.h cupti.h cuda_runtime_api.h nvml.h)
  string(MAKE_C_IDENTIFIER "MEMKIT_${header}_FOLDER" variable)
  find_path(${variable} ${header} PATHS ${cuda_folders} NO_DEFAULT_PATH)
  mark_as_advanced(${variable})
  if(${variable})
    list(APPEND MEMKIT_CUDA_INCLUDES ${${variable}})
  else()
    list(APPEND MEMKIT_CUDA_MISSING ${header})
  endif()
endforeach()
list(REMOVE_DUPLICATES MEMKIT_CUDA_INCLUDES)
if(MEMKIT_CUDA_MISSING)
  set(MEMKIT_CUDA_INCLUDES)
  list(JOIN MEMKIT_CUDA_MISSING ", " missing)
  message(STATUS "No ${missing} of CUDA: libmemrec-cuda.so is not built")
endif()
