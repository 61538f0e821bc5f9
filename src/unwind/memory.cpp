// See memory.hpp.
#include "unwind/memory.hpp"

#include <cstring>

namespace weft::unwind {

const memory::piece* memory::piece_at(std::uintptr_t at) {
  for (const piece& each : pieces_) {
    if (each.at == at) return &each;
  }
  piece* one = &pieces_[oldest_];
  oldest_ = (oldest_ + 1) % piece_count;
  one->at = 1;
  if (!read_(reinterpret_cast<const void*>(at), one->bytes, piece_bytes)) return nullptr;
  one->at = at;
  return one;
}

bool memory::read(std::uintptr_t from, void* to, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  while (bytes != 0) {
    const std::size_t skipped = from % piece_bytes;
    const std::size_t here = piece_bytes - skipped < bytes ? piece_bytes - skipped : bytes;
    const piece* one = piece_at(from - skipped);
    if (one == nullptr) return false;
    std::memcpy(out, one->bytes + skipped, here);
    from += here;
    out += here;
    bytes -= here;
  }
  return true;
}

}  // namespace weft::unwind
