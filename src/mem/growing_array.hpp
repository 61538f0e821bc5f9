// An array of plain values in pages of its own, twice as large whenever it is full. One user at a
// time.
#pragma once

#include <cstddef>
#include <type_traits>

#include "base/debug_fields.hpp"
#include "os/vm.hpp"

namespace weft::mem {

template <typename T>
class growing_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Room for `wanted` values in all, so that as many can be pushed without failing. False: no
  // memory; nothing changed.
  bool make_room(std::size_t wanted) {
    if (wanted <= room_) return true;
    std::size_t room = room_ == 0 ? os::page_bytes() / sizeof(T) : room_;
    while (room < wanted) room *= 2;
    void* memory = os::reserve(room * sizeof(T), os::page_bytes());
    if (memory == nullptr) return false;
    const std::size_t count = count_;
    copy(values_, count, static_cast<T*>(memory));
    clear();
    values_ = static_cast<T*>(memory);
    count_ = count;
    room_ = room;
    return true;
  }
  void clear() {  // gives the memory back
    if (values_ != nullptr) os::release(values_, room_ * sizeof(T));
    values_ = nullptr;
    count_ = room_ = 0;
  }

  bool is_empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  const T& operator[](std::size_t index) const { return values_[index]; }
  const T& last() const { return values_[count_ - 1]; }

  void push(const T& value) { values_[count_++] = value; }  // there is room
  void push(const T* those, std::size_t count) {
    copy(those, count, values_ + count_);
    count_ += count;
  }
  T pop() { return values_[--count_]; }  // not empty

 private:
  friend struct weft::debug_fields;

  static void copy(const T* from, std::size_t count, T* to) {
    for (std::size_t index = 0; index < count; ++index) to[index] = from[index];
  }

  T* values_ = nullptr;
  std::size_t count_ = 0;
  std::size_t room_ = 0;
};

}  // namespace weft::mem
