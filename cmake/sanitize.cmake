# WEFT_SANITIZE: instruments the core, the tests and the programs alike, with the context switch that ships.
if(WEFT_SANITIZE)
  if(NOT WEFT_SANITIZE MATCHES "^(address|thread|undefined|address,undefined)$")
    message(FATAL_ERROR "WEFT_SANITIZE=${WEFT_SANITIZE}: use address, thread, undefined or \"address,undefined\"")
  endif()
  foreach(language IN ITEMS C CXX)
    set(CMAKE_${language}_FLAGS_RELEASE "-O1 -g1")
  endforeach()
  # vptr checks need RTTI and the C++ library, which the core does without.
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEFT_SANITIZE} -fno-sanitize=vptr)
endif()
