// Memory that a walk reads: stacks that may be in use meanwhile, tables that may be wrong or
// unloaded. Everything goes through a function that fails instead of faulting (os::peek), which is
// a system call: so it is read in pieces, and the last few are kept. A piece lies within a page, so
// nothing is lost by reading more than was asked for. One walk, one of these: what it keeps grows
// old.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::unwind {

using read_function = bool (*)(const void* from, void* to, std::size_t bytes);

class memory {
 public:
  explicit memory(read_function how) : read_(how) {}

  // False: not readable; *to is undefined.
  bool read(std::uintptr_t from, void* to, std::size_t bytes);

  template <class T>
  bool read(std::uintptr_t from, T* to) {
    return read(from, to, sizeof *to);
  }

 private:
  static constexpr std::size_t piece_bytes = 256;
  static constexpr unsigned piece_count = 4;

  struct piece {
    std::uintptr_t at = 1;  // no piece begins there
    unsigned char bytes[piece_bytes];
  };

  const piece* piece_at(std::uintptr_t at);

  read_function read_;
  unsigned oldest_ = 0;
  piece pieces_[piece_count];
};

}  // namespace weft::unwind
