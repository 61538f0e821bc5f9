// Tasks of the Qthreads face, for models over files of faces/qthreads/src as they are. A logical
// thread stands for the task that it runs (run_as), or for an OS thread outside. What a model does
// not include comes from qthread_stand_ins.cpp, and from face_stand_ins.cpp.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include <qthread/qthread.h>
#include <weft/ext.h>

#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "face_heap.hpp"
#include "task.hpp"

namespace qthread_world {

// A thread of weft.h with the bytes of the face, and the worker that runs it.
struct unit {
  alignas(16) unsigned char of_the_core[64] = {};
  weft::qthreads::task fields{};
  int worker = 0;

  weft_thread* handle() { return reinterpret_cast<weft_thread*>(this); }
};
inline unit* unit_of(weft_thread* thread) { return reinterpret_cast<unit*>(thread); }

// The calling logical thread runs this unit from now on.
inline void run_as(unit& one) { explorer::set_local_word(&one); }
inline unit* running() { return static_cast<unit*>(explorer::local_word()); }

// Callers that wait at words, in the order in which they came: what weft_word_wait promises and no
// more. So the lock hands on what its holders did before, and a wake-up hands on nothing.
inline constexpr int most_waits = 16;
struct wait_at_word {
  const void* word = nullptr;  // null: woken
  weft::base::atomic<bool> is_over{false};
};
struct waits_at_words {
  weft::base::atomic<bool> is_locked{false};
  int count = 0;  // of all waits that have begun
  wait_at_word all[most_waits];

  void lock() {
    while (is_locked.exchange(true, weft::base::acquire)) weft::arch::pause();
  }
  void unlock() { is_locked.store(false, weft::base::release); }
};
inline waits_at_words the_waits;

// The body, before anything else.
inline void begin() {
  face_heap::begin();
  new (&the_waits) waits_at_words;
  weft::qthreads::distance_to_task = offsetof(unit, fields);
}

// What one logical thread tells another by the means of the program, with all that it did before.
struct flag {
  weft::base::atomic<std::uint32_t> raised{0};

  void raise() { raised.store(1, weft::base::release); }
  bool is_raised() const { return raised.load(weft::base::acquire) != 0; }
  void await() const {
    while (!is_raised()) weft::arch::pause();
  }
};

}  // namespace qthread_world

// For `using namespace` in a model.
namespace qthread_world::words {

using namespace explorer::words;
using namespace weft::qthreads;
using qthread_world::flag;
using qthread_world::unit;

}  // namespace qthread_world::words
