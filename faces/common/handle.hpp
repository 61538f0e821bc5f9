// Handles of an interface: pointers to types that it never defines. The object behind a handle is
// the face's, or the core's; a null handle is a null pointer.
#pragma once

#include <type_traits>

namespace weft::face {

template <class Object, class Handle>
Object* object_of(Handle handle) {
  static_assert(std::is_pointer_v<Handle>);
  return reinterpret_cast<Object*>(handle);
}

template <class Handle, class Object>
Handle handle_to(Object* one) {
  static_assert(std::is_pointer_v<Handle>);
  return reinterpret_cast<Handle>(one);
}

}  // namespace weft::face
