// What a module's tables say of the function around an address: its entry (FDE) with the one that
// it shares with others (CIE).
//
// .eh_frame_hdr is a sorted list of all functions, .eh_frame holds their entries: Linux Standard
// Base, Core, "DWARF Extensions" and "Exception Frames"; DWARF 5, section 6.4.1. Linkers always
// write the list in one form, and only that is read.
#pragma once

#include <cstdint>

#include "unwind/memory.hpp"

namespace weft::unwind {

// Instructions, from one address up to another.
struct program {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

struct function_entry {
  std::uintptr_t begin = 0;  // of the code
  std::uintptr_t end = 0;
  std::uint64_t code_factor = 0;
  std::int64_t data_factor = 0;
  std::uint64_t return_register = 0;
  unsigned pointers = 0;         // how they are written
  bool has_extra = false;        // of augmentation
  bool is_signal_frame = false;  // its caller was interrupted, not called from
  program shared;
  program own;
};

// eh_frame_hdr: where the module's lies. False: it knows no such function, or the table is damaged.
bool find_function(memory* from, std::uintptr_t eh_frame_hdr, std::uintptr_t code, function_entry* out);

// All functions of a module, sorted by where they begin.
struct function_list {
  std::uintptr_t base = 0;
  std::uintptr_t first = 0;
  std::uint64_t count = 0;
};

// False: there is none, or it is damaged.
bool read_list(memory* from, std::uintptr_t eh_frame_hdr, function_list* out);
bool read_listed(memory* from, const function_list& list, std::uint64_t index, function_entry* out);

// The entry (FDE) at an address.
bool read_entry(memory* from, std::uintptr_t at, function_entry* out);

}  // namespace weft::unwind
