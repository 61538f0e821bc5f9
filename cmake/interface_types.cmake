# weft_tells_types(target...): the objects of these targets, which define the functions that a library
# exports, are compiled with full debug information in the build that `./dev abi` reads (preset
# release; tools/package/abi.py). Other objects of what ships have line numbers alone (-g1). gcc makes one
# of two functions with the same instructions, and tells the types of that one alone, unless it is told not
# to.
function(weft_tells_types)
  if(NOT PROJECT_IS_TOP_LEVEL OR NOT WEFT_TESTS OR WEFT_CHECKED OR WEFT_SANITIZE OR WEFT_COVERAGE OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      set(is_gcc $<OR:$<COMPILE_LANG_AND_ID:C,GNU>,$<COMPILE_LANG_AND_ID:CXX,GNU>>)
      target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,${is_gcc}>:-g2;-fno-ipa-icf>)
    endif()
  endforeach()
endfunction()
