# rayon: its bodies become a static library that the program links. cargo takes rayon and what it needs from the folder of installed crates,
# where Debian's librust-rayon-dev puts them, and has no network.
set(WEFT_RUST_CRATES /usr/share/cargo/registry CACHE PATH "A folder of crates, one of them rayon")
mark_as_advanced(WEFT_RUST_CRATES)
find_program(WEFT_CARGO cargo)
mark_as_advanced(WEFT_CARGO)
file(GLOB rayon_crate "${WEFT_RUST_CRATES}/rayon-1.*")

if(WEFT_CARGO AND rayon_crate)
  execute_process(COMMAND "${WEFT_CARGO}" --version OUTPUT_VARIABLE cargo_version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(GET rayon_crate -1 rayon_crate)
  string(REGEX REPLACE ".*/rayon-" "rayon " rayon_version "${rayon_crate}")
endif()

if(cargo_version)
  # cargo writes beside its manifest: it works on a copy.
  set(rayon_folder "${CMAKE_CURRENT_BINARY_DIR}/rayon")
  set(rayon_library "${rayon_folder}/target/release/libweft_bench_rayon.a")
  set(rayon_sources Cargo.toml)
  foreach(name IN ITEMS creation foreign lib matmul queens sorting trees)
    list(APPEND rayon_sources src/${name}.rs)
  endforeach()
  foreach(source IN LISTS rayon_sources)
    configure_file(rayon/${source} "${rayon_folder}/${source}" COPYONLY)
  endforeach()
  list(TRANSFORM rayon_sources PREPEND "${rayon_folder}/")
  file(CONFIGURE OUTPUT "${rayon_folder}/.cargo/config.toml" CONTENT [[
[source.crates-io]
replace-with = "installed"

[source.installed]
directory = "@WEFT_RUST_CRATES@"
]] @ONLY)
  add_custom_command(
    OUTPUT "${rayon_library}"
    COMMAND ${CMAKE_COMMAND} -E rm -f Cargo.lock # of another cargo, perhaps
    COMMAND "${WEFT_CARGO}" build --release --offline --quiet --target-dir "${rayon_folder}/target"
    WORKING_DIRECTORY "${rayon_folder}"
    DEPENDS ${rayon_sources}
    COMMENT "Building bench/runtimes/rayon by ${cargo_version}"
    VERBATIM)
  weft_rival(rayon LINK "${rayon_library}" SOURCES foreign/cells.cpp "${rayon_library}")
  target_compile_definitions(weft-bench-rayon PRIVATE "WEFT_RIVAL_VERSION=\"${rayon_version}, ${cargo_version}\"")
endif()
