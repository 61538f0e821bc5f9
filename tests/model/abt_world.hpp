// Work units of the Argobots face, for models over files of faces/argobots/src as they are. A
// logical thread stands for the unit that it runs (run_as), or for an OS thread outside. What a
// model does not include comes from abt_stand_ins.cpp.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include <abt.h>
#include <weft/ext.h>
#include <weft/hot.h>

#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "face_heap.hpp"
#include "handle.hpp"
#include "unit.hpp"

namespace abt_world {

struct unit {
  alignas(16) unsigned char of_the_core[64] = {};  // what weft/hot.h looks at in a weft_thread is 0
  weft::abt::unit_fields fields{};
  weft_hot_line line{{nullptr}, {nullptr}, {nullptr}, &self};  // of the thread that runs it
  weft_thread* self = reinterpret_cast<weft_thread*>(this);

  explicit unit(std::uint32_t kind) { fields.kind.store(kind | weft::abt::is_unit, std::memory_order_relaxed); }
  ABT_thread handle() const { return weft::abt::handle_of(self); }
};
inline unit* unit_of(weft_thread* thread) { return reinterpret_cast<unit*>(thread); }

// The calling logical thread runs this unit from now on.
inline void run_as(unit& one) { explorer::set_local_word(&one); }
inline unit* running() { return static_cast<unit*>(explorer::local_word()); }

// The body, before anything else.
inline void begin() { face_heap::begin(); }

// What one logical thread tells another by the means of the program, with all that it did before.
struct flag {
  weft::base::atomic<std::uint32_t> raised{0};

  void raise() { raised.store(1, std::memory_order_release); }
  void await() const {
    while (raised.load(std::memory_order_acquire) == 0) weft::abt::spin_hint();
  }
};

}  // namespace abt_world

// For `using namespace` in a model.
namespace abt_world::words {

using namespace explorer::words;
using namespace weft::abt;
using abt_world::flag;
using abt_world::unit;

}  // namespace abt_world::words
