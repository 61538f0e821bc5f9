// Which line of which file an address comes from: the line number programs of DWARF 2 to 5 (6.2 of
// the standard), as compilers write them into .debug_line. Reads memory that it is given, damaged
// or not, and nothing else; allocates nothing. Callable from any.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::os {

struct section {
  const unsigned char* begin = nullptr;
  std::size_t bytes = 0;
};

struct line_sections {
  section lines;         // .debug_line
  section line_strings;  // .debug_line_str, of DWARF 5
  section strings;       // .debug_str
};

struct source_line {
  const char* file;  // in one of the sections
  std::uint64_t line;
};

// address: as the file has it. False: no program of these tells. Programs that look damaged are
// left out. Takes time in proportion to what comes before in .debug_line; of very large ones the
// end is not looked at.
bool find_line(const line_sections& all, std::uint64_t address, source_line* out);

}  // namespace weft::os
