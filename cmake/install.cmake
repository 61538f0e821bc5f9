# cmake --install: headers, both libraries, find_package(weft) and pkg-config's weft.pc.
