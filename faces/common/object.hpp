// Objects of a face in memory of their own.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace weft::face {

// Null: no memory. Behind the object lie `extra` bytes of memory, aligned for anything.
template <class Object, class... Arguments>
Object* make_object(std::size_t extra, Arguments&&... arguments) {
  static_assert(alignof(Object) <= alignof(std::max_align_t));
  void* const memory = std::malloc(sizeof(Object) + extra);
  return memory != nullptr ? new (memory) Object{std::forward<Arguments>(arguments)...} : nullptr;
}

template <class Object>
void free_object(Object* one) {
  one->~Object();
  std::free(one);
}

}  // namespace weft::face
