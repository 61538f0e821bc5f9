# WEFT_COVERAGE: the core counts how often its lines and branches run, for tools/test/coverage.py; with clang it notes which conditions
# decided, for tools/test/conditions.py, which looks at the unit tests, too. Nothing else is instrumented.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(WEFT_COVERAGE_COMPILE -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -fprofile-update=atomic)
  set(WEFT_COVERAGE_LINK -fprofile-instr-generate)
else()
  set(WEFT_COVERAGE_COMPILE --coverage -fprofile-update=atomic)
  set(WEFT_COVERAGE_LINK --coverage)
endif()

if(WEFT_COVERAGE)
  foreach(language IN ITEMS C CXX)
    set(CMAKE_${language}_FLAGS_RELEASE "-O1 -g1")
  endforeach()
  add_link_options(${WEFT_COVERAGE_LINK})
endif()

# A process that dies otherwise than by exit writes nothing down by itself.
function(weft_count_coverage_of_deaths library)
  if(WEFT_COVERAGE)
    target_sources(${library} PRIVATE "${PROJECT_SOURCE_DIR}/tests/coverage_of_deaths.c")
    target_link_options(${library} INTERFACE
      LINKER:--wrap=abort LINKER:--wrap=_exit LINKER:--wrap=sigaction LINKER:--wrap=kill)
  endif()
endfunction()

function(weft_count_coverage target)
  if(WEFT_COVERAGE)
    target_compile_options(${target} INTERFACE "$<$<NOT:$<COMPILE_LANGUAGE:ASM>>:${WEFT_COVERAGE_COMPILE}>")
  endif()
endfunction()
