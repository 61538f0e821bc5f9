# weft::fortran: the module weft, compiled by the project's Fortran compiler, with libweft. gfortran puts local arrays of more than 64 KiB into
# static memory, one for all threads, unless it is told -frecursive. The module is Fortran 2018, and its variables are each thread's own, whatever
# the project's flags say of its own sources.
get_property(weft_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT "Fortran" IN_LIST weft_languages)
  set(weft_fortran_FOUND FALSE)
  set(weft_fortran_NOT_FOUND_MESSAGE "its module is compiled by the project: name Fortran among the languages of project() before find_package(weft)")
elseif(NOT TARGET weft_fortran)
  add_library(weft_fortran STATIC EXCLUDE_FROM_ALL "${WEFT_FORTRAN_SOURCE}")
  add_library(weft::fortran ALIAS weft_fortran)
  set_target_properties(weft_fortran PROPERTIES POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE Fortran
    Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/weft_fortran_module")
  target_include_directories(weft_fortran PUBLIC "${CMAKE_CURRENT_BINARY_DIR}/weft_fortran_module")
  target_compile_options(weft_fortran PUBLIC "$<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-frecursive;-fstack-clash-protection>")
  target_compile_options(weft_fortran PRIVATE "$<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-std=gnu;-fautomatic>")
  target_link_libraries(weft_fortran PUBLIC weft::weft)
endif()
