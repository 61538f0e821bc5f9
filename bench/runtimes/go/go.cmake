# Go: its bodies become a static library that the program links; nothing but the standard library, and no network.
find_program(WEFT_GO go)
mark_as_advanced(WEFT_GO)
if(WEFT_GO)
  execute_process(COMMAND "${WEFT_GO}" env GOVERSION OUTPUT_VARIABLE go_version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

# "go1.22.1"; the bodies need 1.19.
string(REGEX MATCH "[0-9]+[.][0-9]+" go_number "${go_version}")
if(go_number VERSION_GREATER_EQUAL 1.19)
  set(go_folder "${CMAKE_CURRENT_SOURCE_DIR}/go")
  set(go_library "${CMAKE_CURRENT_BINARY_DIR}/go/libweft_bench_go.a")
  set(go_sources go.mod creation.go harness.go matmul.go queens.go sorting.go trees.go waiting.go)
  list(TRANSFORM go_sources PREPEND "${go_folder}/")
  add_custom_command(
    OUTPUT "${go_library}"
    COMMAND ${CMAKE_COMMAND} -E env GOTOOLCHAIN=local GOPROXY=off GOFLAGS= CGO_ENABLED=1 "CC=${CMAKE_C_COMPILER}"
      "GOCACHE=${CMAKE_CURRENT_BINARY_DIR}/go/cache"
      "${WEFT_GO}" build -buildmode=c-archive -buildvcs=false -o "${go_library}" .
    WORKING_DIRECTORY "${go_folder}"
    DEPENDS ${go_sources} foreign/bodies.h
    COMMENT "Building bench/runtimes/go by ${go_version}"
    VERBATIM)
  weft_rival(go LINK "${go_library}" SOURCES foreign/cells.cpp "${go_library}")
  target_compile_definitions(weft-bench-go PRIVATE "WEFT_RIVAL_VERSION=\"${go_version}\"")
endif()
