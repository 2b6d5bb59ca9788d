# Builds a library.
cmake_minimum_required(VERSION 3.20)
project(garden VERSION 1.2 LANGUAGES C CXX)

set(GARDEN_SOURCES
    src/bed.c
    src/plant.c)
option(GARDEN_TESTS "Whether tests are built" ON)

include(GNUInstallDirs)
find_package(Threads REQUIRED)

# Adds a plant, "Gemüse".
# NAME is how it is called.
function(add_plant NAME)
  set(full "${NAME}_plant")
  if(ARGN)
    message(STATUS "more: ${ARGN}")
  endif()
  add_library(${full} ${ARGN})
endfunction()

#[[
A macro leaks
its variables.
]]
macro(warn_all target)
  target_compile_options(${target} PRIVATE -Wall)
endmacro()

FUNCTION(upper_case X)
  message("🎉 ${X}")
ENDFUNCTION()

add_library(garden STATIC ${GARDEN_SOURCES})
target_link_libraries(garden PUBLIC Threads::Threads)

# The program.
add_executable(gardener
  src/main.c
)
add_custom_target(docs COMMAND doxygen)

if(GARDEN_TESTS)
  enable_testing()
  add_executable(garden_test test/test.c)
  add_test(NAME garden_test COMMAND garden_test)
endif()

foreach(dir IN ITEMS src test)
  add_subdirectory(${dir})
endforeach()

install(TARGETS garden)
