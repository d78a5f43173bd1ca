# Headers that most files read, compiled once per build: reading them is half of the time
# that the build of a file takes. No file may rely on these sets; the preset `debug` builds
# without.

# Not with ccache: it keys files by the bytes of the compiled headers, which no other folder
# shares, and would compile the headers again from their own old result.
set(default ON)
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  set(default OFF)
endif()
option(MEMKIT_PCH "Compile the most read headers once" ${default})

# memkit_precompile(TARGET SET): the files of TARGET read the headers of SET compiled.
function(memkit_precompile target set)
  if(MEMKIT_PCH)
    target_precompile_headers(${target} REUSE_FROM memkit_headers_${set})
    # libstdc++ has pragmas against these in its headers; GCC forgets them.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:
      -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>)
  endif()
endfunction()

# Most of the rest is what each file makes of the templates in headers: files that are compiled
# together make it once. A static function or a type without linkage so needs a name that no
# other file of its library or tool has.
option(MEMKIT_UNITY "Compile the files of a library, a tool or a unit test together" ON)

# memkit_unite(TARGET)
function(memkit_unite target)
  if(MEMKIT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # To GCC a file that is included is a header, whose types other files might see.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# memkit_compile_alone(FILES...): what each event goes through. GCC inlines by what else it
# sees: together with others, the recorder took 2 % more instructions.
function(memkit_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# memkit_compile_lightly(TARGETS...): what a run goes through once, options and sentences; a third
# less time than with -O3.
function(memkit_compile_lightly)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# memkit_add_headers(SET FLAG HEADERS...): a set for what is compiled with FLAG, since
# what is for -fPIC cannot be read with -fPIE.
function(memkit_add_headers set flag)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/headers/${set}.cpp CONTENT "")
  add_library(memkit_headers_${set} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/headers/${set}.cpp)
  set_target_properties(memkit_headers_${set} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(memkit_headers_${set} PRIVATE ${flag})
  target_include_directories(memkit_headers_${set} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(memkit_headers_${set} SYSTEM PRIVATE ${MEMKIT_LLVM_INCLUDES})
  target_link_libraries(memkit_headers_${set} PRIVATE memkit_flags)
  target_precompile_headers(memkit_headers_${set} PRIVATE ${ARGN})
endfunction()

set(memkit_common_headers
  <algorithm> <array> <cmath> <cstdint> <cstring> <deque> <functional> <map> <memory> <optional>
  <set> <string> <tuple> <unordered_map> <utility> <vector>
  <llvm/ADT/ArrayRef.h> <llvm/ADT/DenseMap.h> <llvm/ADT/DenseSet.h> <llvm/ADT/STLExtras.h>
  <llvm/ADT/SmallVector.h> <llvm/ADT/StringExtras.h> <llvm/ADT/StringMap.h>
  <llvm/ADT/StringRef.h> <llvm/Support/Error.h> <llvm/Support/Format.h>
  <llvm/Support/MemoryBuffer.h> <llvm/Support/raw_ostream.h>
  <memkit/Trace/Sections.h>)
set(model_headers ${memkit_common_headers} <memkit/Model/Trace.h>)
set(tool_headers ${model_headers} <llvm/Support/CommandLine.h> <llvm/Support/JSON.h>)
memkit_add_headers(common -fPIC ${memkit_common_headers})
memkit_add_headers(model -fPIC ${model_headers})
memkit_add_headers(tool -fPIE ${tool_headers})
