// A mutex, in ABT_mutex_memory or in memory of its own.
#pragma once

#include <abt.h>

#include <cstddef>
#include <cstdint>

#include <weft/weft.h>

#include "handle.hpp"

namespace weft::abt {

struct mutex {
  weft_mutex lock;
  std::uint32_t is_recursive;  // never changes
};
static_assert(sizeof(mutex) <= sizeof(ABT_mutex_memory) && alignof(mutex) <= alignof(ABT_mutex_memory));
static_assert(offsetof(mutex, is_recursive) == 12 * sizeof(int), "ABT_RECURSIVE_MUTEX_INITIALIZER names it");

inline mutex* mutex_of(ABT_mutex handle) { return face::object_of<mutex>(handle); }

struct mutex_attr {
  bool is_recursive;
};

inline mutex_attr* mutex_attr_of(ABT_mutex_attr handle) { return face::object_of<mutex_attr>(handle); }
inline ABT_mutex_attr handle_of(mutex_attr* one) { return face::handle_to<ABT_mutex_attr>(one); }

}  // namespace weft::abt
