# The build functions of memkit: one per kind of thing.

# memkit_add_library(NAME SOURCES... [EXPORT name] [LINK libs...] [LLVM components...])
# The library of room NAME, static. What an outside program needs of it is in
# include/memkit/NAME; other rooms, tools and tests also see lib/NAME, as "NAME/X.h". EXPORT: the
# library is installed, and find_package(memkit) gives it as memkit::name.
function(memkit_add_library name)
  cmake_parse_arguments(ARG "" "EXPORT" "LINK;LLVM" ${ARGN})
  add_library(memkit${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(memkit${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib>)
  # Who links an installed library has the folder of LLVM's headers from cmake/memkit-config.cmake.
  target_include_directories(memkit${name} SYSTEM PUBLIC "$<BUILD_INTERFACE:${MEMKIT_LLVM_INCLUDES}>")
  if(ARG_LLVM)
    llvm_map_components_to_libnames(llvm_libs ${ARG_LLVM})
  endif()
  target_link_libraries(memkit${name} PUBLIC ${ARG_LINK} ${llvm_libs} $<BUILD_INTERFACE:memkit_flags>)
  # Rooms above Model read its headers, too.
  if(TARGET memkitModel)
    memkit_precompile(memkit${name} model)
  else()
    memkit_precompile(memkit${name} common)
  endif()
  memkit_unite(memkit${name})
  if(ARG_EXPORT)
    set_target_properties(memkit${name} PROPERTIES EXPORT_NAME ${ARG_EXPORT})
    target_compile_features(memkit${name} INTERFACE cxx_std_20)
    install(TARGETS memkit${name} EXPORT memkit ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      COMPONENT Development INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endfunction()

# memkit_add_tool(NAME SOURCES... [LINK libs...])
# The tool NAME, from tools/NAME: a program in the build folder, for tests. What is installed is
# tools/memkit, which has all tools.
function(memkit_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} memkit_flags)
  memkit_precompile(${name} tool)
  memkit_unite(${name})
  memkit_compile_lightly(${name})
  target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc
    -Wl,--gc-sections -Wl,--as-needed)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set_property(GLOBAL APPEND PROPERTY MEMKIT_TOOLS ${name})
  set_property(GLOBAL APPEND PROPERTY MEMKIT_TEST_DEPS ${name})
endfunction()

# memkit_add_unittest(NAME SOURCES... [LINK libs...])
# The GoogleTest program NAME, from test/unit.
function(memkit_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main memkit_flags)
  # Tests of what lives in other people's processes know nothing of LLVM.
  if(ARG_LINK)
    memkit_precompile(${name} test)
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/unit)
  set_property(GLOBAL APPEND PROPERTY MEMKIT_TEST_DEPS ${name})
  set_property(GLOBAL APPEND PROPERTY MEMKIT_UNIT_TESTS ${name})
  # What a test runs is in the libraries; most of its own code runs once.
  target_compile_options(${name} PRIVATE -O1)
  memkit_unite(${name})
endfunction()
