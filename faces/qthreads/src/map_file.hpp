// A file in memory, of which qalloc makes its maps: the header that it begins with, and how it is
// opened.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace weft::qthreads {

// Offsets count from the file's beginning; 0 is none.
struct map_header {
  std::uint64_t mark;
  std::uint64_t address;     // at which the file is mapped
  std::uint64_t bytes;       // of the file
  std::uint64_t item_bytes;  // 0: a dynamic map
  std::uint64_t streams;
  std::uint64_t first_free;  // offset of a free piece
  std::uint64_t fresh;       // what lies from this offset on was never handed out
  std::uint64_t reserved;

  char* at(std::uint64_t offset) { return reinterpret_cast<char*>(this) + offset; }
  std::uint64_t offset_of(const void* piece) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(piece) - reinterpret_cast<const char*>(this));
  }
};

// What a file must be that exists, and becomes if it does not. For a file to be loaded bytes is 0,
// and only the file name counts.
struct map_request {
  const char* filename;
  off_t bytes;
  void* address;  // null: any
  std::uint64_t item_bytes;
  std::uint64_t streams;
};

// Null: errno says why not.
map_header* open_map(const map_request& wanted);

}  // namespace weft::qthreads
