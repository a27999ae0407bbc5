# Everything that comes from outside, all of it packaged by Debian 12 (scripts/setup.sh installs it).

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

# LLVM: the one shared library. Debian's exported targets would pull in the static ones, so only the paths are taken.
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_library(ADJOULE_LLVM_LIBRARY NAMES LLVM-19 HINTS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
add_library(adjoule_llvm INTERFACE)
add_library(adjoule::llvm ALIAS adjoule_llvm)
target_include_directories(adjoule_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(adjoule_llvm INTERFACE ${llvm_definitions})
target_link_libraries(adjoule_llvm INTERFACE ${ADJOULE_LLVM_LIBRARY})

# SLEEF has no CMake package. Compiled programs look its functions up at run time, so the library must stay linked even
# where none of our own code calls into it.
find_path(ADJOULE_SLEEF_INCLUDE sleef.h REQUIRED)
find_library(ADJOULE_SLEEF_LIBRARY sleef REQUIRED)
add_library(adjoule_sleef INTERFACE)
add_library(adjoule::sleef ALIAS adjoule_sleef)
# sleef.h shows its deterministic FMA variants only to code that is itself built for FMA, which ours is not.
target_compile_definitions(adjoule_sleef INTERFACE FP_FAST_FMA FP_FAST_FMAF)
target_include_directories(adjoule_sleef SYSTEM INTERFACE ${ADJOULE_SLEEF_INCLUDE})
target_link_libraries(adjoule_sleef INTERFACE
  -Wl,--push-state,--no-as-needed ${ADJOULE_SLEEF_LIBRARY} -Wl,--pop-state)

# nlopt_cxx holds the C interface too, with the C++ algorithms (StoGO) in it.
find_path(ADJOULE_NLOPT_INCLUDE nlopt.hpp REQUIRED)
find_library(ADJOULE_NLOPT_LIBRARY nlopt_cxx REQUIRED)
add_library(adjoule_nlopt INTERFACE)
add_library(adjoule::nlopt ALIAS adjoule_nlopt)
target_include_directories(adjoule_nlopt SYSTEM INTERFACE ${ADJOULE_NLOPT_INCLUDE})
target_link_libraries(adjoule_nlopt INTERFACE ${ADJOULE_NLOPT_LIBRARY})

find_program(ADJOULE_ANTLR antlr4 REQUIRED)
find_path(ADJOULE_ANTLR_INCLUDE antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)
find_library(ADJOULE_ANTLR_LIBRARY antlr4-runtime REQUIRED)

# Flags for our own code only; what others wrote is included as SYSTEM.
add_library(adjoule_own_code INTERFACE)
target_compile_options(adjoule_own_code INTERFACE
  -Wall -Wextra -Wpedantic -Werror
  -Wno-missing-field-initializers  # designated initialisers leave out what has a default, on purpose
  -ffp-contract=off)               # the interpreter's bits must not depend on what g++ fuses
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 warns wrongly about "text" + std::string (GCC bug 105329), and what its optimiser guesses about
  # std::optional, std::variant and std::vector differs with -O: worth seeing, not worth a broken build.
  target_compile_options(adjoule_own_code INTERFACE
    -Wno-restrict -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow
    -Wno-error=stringop-overread -Wno-error=dangling-pointer -Wno-error=free-nonheap-object)
endif()
target_include_directories(adjoule_own_code INTERFACE
  ${PROJECT_SOURCE_DIR}/compiler ${PROJECT_SOURCE_DIR}/runtime/include ${PROJECT_SOURCE_DIR}/runtime)
