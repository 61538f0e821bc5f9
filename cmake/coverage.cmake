# WEFT_COVERAGE: the core counts how often its lines and branches run, for tools/test/coverage.py. Nothing else is instrumented.
if(WEFT_COVERAGE)
  foreach(language IN ITEMS C CXX)
    set(CMAKE_${language}_FLAGS_RELEASE "-O1 -g1")
  endforeach()
  add_link_options(--coverage)
endif()

# A process that dies otherwise than by exit writes nothing down by itself.
function(weft_count_coverage_of_deaths library)
  if(WEFT_COVERAGE)
    target_sources(${library} PRIVATE "${PROJECT_SOURCE_DIR}/tests/coverage_of_deaths.c")
    target_link_options(${library} INTERFACE LINKER:--wrap=abort LINKER:--wrap=_exit LINKER:--wrap=sigaction LINKER:--wrap=kill)
  endif()
endfunction()

function(weft_count_coverage target)
  if(WEFT_COVERAGE)
    target_compile_options(${target} INTERFACE $<$<NOT:$<COMPILE_LANGUAGE:ASM>>:--coverage> $<$<NOT:$<COMPILE_LANGUAGE:ASM>>:-fprofile-update=atomic>)
  endif()
endfunction()
