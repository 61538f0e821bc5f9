// Memory that malloc gives in logical threads of models over a face; face_stand_ins.cpp has its
// calls. What was freed is never given out again in the same execution, and a thread that touches
// it without having come before fails the model.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"

namespace face_heap {

inline constexpr std::size_t bytes = 8192;
struct heap {
  alignas(64) unsigned char memory[bytes];
  std::size_t used;
  long live;  // blocks that were not freed
};
inline heap the;

// The body, before anything else.
inline void begin() {
  the.used = 0;
  the.live = 0;
}

// Without the explorer's looking.
[[gnu::no_sanitize_thread]] inline void count(long change) { the.live += change; }
[[gnu::no_sanitize_thread]] inline long live() { return the.live; }

}  // namespace face_heap

// Words in objects of libc and weft.h, which are opaque there: zero-filled, so never constructed.
inline weft::base::atomic<std::uint32_t>& word_in(const void* object) {
  return *static_cast<weft::base::atomic<std::uint32_t>*>(const_cast<void*>(object));
}
