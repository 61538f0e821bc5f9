// Attributes of ULTs.
#pragma once

#include <abt.h>

#include <cstddef>

#include "handle.hpp"

namespace weft::abt {

struct thread_attr {
  void* stack;
  std::size_t stack_bytes;
  bool is_migratable;
  void (*callback)(ABT_thread thread, void* argument);
  void* callback_argument;
};

inline thread_attr* attr_of(ABT_thread_attr handle) { return face::object_of<thread_attr>(handle); }
inline ABT_thread_attr handle_of(thread_attr* one) { return face::handle_to<ABT_thread_attr>(one); }

}  // namespace weft::abt
