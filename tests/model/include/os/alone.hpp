// The model's os/alone.hpp: there are others, but for what a body does before its threads start, if
// the model says so.
#pragma once

#include "explorer/execution.hpp"

namespace weft::os {

inline bool is_alone() { return explorer::is_alone(); }

template <class Atomic, class Value>
bool replace_alone(Atomic* word, Value expected, Value wanted) {
  if (word->load(std::memory_order_relaxed) != expected) return false;
  word->store(wanted, std::memory_order_relaxed);
  return true;
}

}  // namespace weft::os
