// The program's file and the shared libraries that lie in memory. Callable from any OS thread;
// takes no lock but the dynamic linker's, and allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::os {

struct code_module {
  std::uintptr_t low = 0;  // of the segment that holds the code
  std::uintptr_t high = 0;
  std::uintptr_t bias = 0;          // what was added to the addresses of its file
  std::uintptr_t eh_frame_hdr = 0;  // 0: it has none
  char name[64] = "";               // its file's, without the folder; cut

  bool holds(std::uintptr_t code) const { return code - low < high - low; }
};

// False: no module has code there.
bool find_module(std::uintptr_t code, code_module* out);

// How many bytes from that address on belong to one segment of a module and can be read; 0: it lies
// in none.
std::size_t module_bytes_from(std::uintptr_t address);

struct named_module {
  char soname[64] = "";  // DT_SONAME, the name that it was linked with; cut
  char file[64] = "";    // its file's, without the folder; cut
};

// The first module, this code's own left out, whose DT_SONAME begins with this and goes on
// otherwise than `own`; false: there is none. A link to the file, or a copy, may have any name.
bool find_module_beside(std::string_view begins, std::string_view own, named_module* out);

// After a name was looked for that need not be there: the dynamic linker keeps the words about it,
// which the program's next dlerror() would return. Its words about an earlier call go, too.
void forget_linker_errors();

}  // namespace weft::os
