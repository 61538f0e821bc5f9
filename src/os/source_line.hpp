// Lines of sources, for reports: where the program's debug information is, and is not compressed.
// Callable from any OS thread and from a handler of SIGSEGV: allocates nothing and takes no lock
// but the dynamic linker's. Looks through the whole of that information: milliseconds as a rule.
#pragma once

#include <cstddef>

#include "os/symbol.hpp"

namespace weft::os {

// "main.c:31", without folders. False, and out is "": it is not known.
bool write_source_line(const void* address, code_place place, char* out, std::size_t capacity);

}  // namespace weft::os
