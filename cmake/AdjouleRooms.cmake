# The few functions with which the rooms and their tests are declared.

# adjoule_glob(VARIABLE PATTERN...): files below the source directory; the build looks again each time it runs.
function(adjoule_glob variable)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/)
  file(GLOB found CONFIGURE_DEPENDS ${ARGN})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# adjoule_room(NAME SOURCES folder... [EXCEPT file...] [ROOMS room...] [LINK target...]): static library adjoule_NAME.
# A room without any .cpp is an INTERFACE library, so that headers alone, or nothing yet, can be linked just the same.
function(adjoule_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;EXCEPT;ROOMS;LINK")
  list(TRANSFORM arg_SOURCES APPEND /*.cpp)
  adjoule_glob(sources ${arg_SOURCES})
  foreach(file IN LISTS arg_EXCEPT)
    list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/${file})
  endforeach()
  list(TRANSFORM arg_ROOMS PREPEND adjoule_)

  set(target adjoule_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PRIVATE adjoule_own_code)
    target_link_libraries(${target} PUBLIC ${arg_ROOMS} ${arg_LINK})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_ROOMS} ${arg_LINK})
  endif()
  target_include_directories(${target} INTERFACE
    ${PROJECT_SOURCE_DIR}/compiler ${PROJECT_SOURCE_DIR}/runtime/include)
endfunction()

# adjoule_parser(GRAMMAR FOR room): runs ANTLR at build time; the room sees "grammar/<Name>Parser.h" and "<Name>Parser.h",
# namespace adjoule::parser. Compiled apart from our code, without warnings.
function(adjoule_parser grammar keyword room)
  adjoule_glob(found ${grammar})
  if(NOT found)
    return()
  endif()
  get_filename_component(name ${grammar} NAME_WE)
  set(out ${PROJECT_BINARY_DIR}/generated/grammar)
  set(files ${out}/${name}Lexer.h ${out}/${name}Lexer.cpp ${out}/${name}Parser.h ${out}/${name}Parser.cpp)
  add_custom_command(
    OUTPUT ${files}
    COMMAND ${ADJOULE_ANTLR} -Dlanguage=Cpp -no-listener -no-visitor -Werror -package adjoule::parser -o ${out} ${name}.g4
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/grammar  # ANTLR mirrors the path of its input below -o
    DEPENDS ${PROJECT_SOURCE_DIR}/${grammar}
    COMMENT "Generating the parser from ${grammar}"
    VERBATIM)
  add_library(adjoule_parser STATIC ${files})
  target_compile_options(adjoule_parser PRIVATE -w)
  set_target_properties(adjoule_parser PROPERTIES CXX_STANDARD 17)  # u8"…" must still be plain char for ANTLR 4.7's output
  target_include_directories(adjoule_parser SYSTEM PUBLIC
    ${PROJECT_BINARY_DIR}/generated ${out} ${ADJOULE_ANTLR_INCLUDE})
  target_link_libraries(adjoule_parser PUBLIC ${ADJOULE_ANTLR_LIBRARY})

  get_target_property(type adjoule_${room} TYPE)
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    target_link_libraries(adjoule_${room} PRIVATE adjoule_parser)
  endif()
endfunction()

# adjoule_precompile(ROOM HEADER): for a room whose every file includes the same heavy headers.
function(adjoule_precompile room header)
  get_target_property(type adjoule_${room} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  target_precompile_headers(adjoule_${room} PRIVATE ${PROJECT_SOURCE_DIR}/${header})
  # ccache can only look inside a precompiled header that was built with this.
  target_compile_options(adjoule_${room} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
