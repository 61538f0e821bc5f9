// What `weft launch` wants to know of a program's file. ELF, 64 bits, of this machine's byte order.
#pragma once

#include <string>

namespace cli {

struct elf_facts {
  bool is_elf = false;
  bool starts_ranks = false;  // "Weft", 1: net/start/start.cpp
  bool is_a_node = false;     // "Weft", 2: net/frames/note.hpp
  unsigned machine = 0;       // EM_*
  std::string loader;         // the program interpreter; empty: linked statically, or a library
};

// What cannot be read has no facts.
elf_facts read_elf(const std::string& file);

}  // namespace cli
