// A table of pointers that grows without a limit and never moves, for writers that hold a lock and
// readers that hold none.
//
// The user keeps the count of entries, and publishes an entry by a release of that count; a reader
// that acquired the count sees the entries below it, and the segments in which they lie. An entry
// may be replaced at any time. Segments stay until clear(), when no reader is left.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/atomic.hpp"
#include "os/heap.hpp"

namespace weft::mem {

template <class T>
class pointer_table {
  using entry = base::atomic<T*>;

 public:
  pointer_table() = default;
  pointer_table(const pointer_table&) = delete;
  pointer_table& operator=(const pointer_table&) = delete;

  // By one writer at a time: room for the entry `index`, below which there is room already. False:
  // no memory.
  bool make_room(std::uint32_t index) {
    if (index < inside_entries) return true;
    base::atomic<entry*>& segment = segments_[segment_of(index)];
    if (segment.load(base::relaxed) != nullptr) return true;
    auto* const made = static_cast<entry*>(os::allocate(first_of(index) * sizeof(entry)));  // zeroed
    segment.store(made, base::relaxed);
    return made != nullptr;
  }

  entry& operator[](std::uint32_t index) { return *find(index); }
  const entry& operator[](std::uint32_t index) const { return *const_cast<pointer_table*>(this)->find(index); }

  void clear() {
    for (base::atomic<entry*>& segment : segments_) std::free(segment.exchange(nullptr, base::relaxed));
  }

 private:
  static constexpr std::uint32_t inside_entries = 8;
  static constexpr unsigned width_of_first = std::bit_width(inside_entries);

  // Each segment has as many entries as all before it.
  static unsigned segment_of(std::uint32_t index) { return static_cast<unsigned>(std::bit_width(index)) - width_of_first; }
  static std::uint32_t first_of(std::uint32_t index) { return std::bit_floor(index); }

  entry* find(std::uint32_t index) {
    if (index < inside_entries) [[likely]]
      return &inside_[index];
    return &segments_[segment_of(index)].load(base::relaxed)[index - first_of(index)];
  }

  entry inside_[inside_entries]{};
  base::atomic<entry*> segments_[32 - width_of_first + 1]{};
};

}  // namespace weft::mem
