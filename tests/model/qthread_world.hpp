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

// A thread of weft.h with the bytes of the face, and the worker that runs it. A model over files of
// the core, too, makes the core's unit where its bytes are.
struct unit {
  alignas(64) unsigned char of_the_core[128] = {};
  weft::qthreads::task fields{};
  int worker = 0;
  weft::base::atomic<bool> is_unparked{false};

  weft_thread* handle() { return reinterpret_cast<weft_thread*>(this); }
};
inline unit* unit_of(weft_thread* thread) { return reinterpret_cast<unit*>(thread); }

// By logical thread: the explorer's local word is the core's worker.
inline constexpr int most_threads = 8;
inline unit* runs[most_threads];

// The calling logical thread runs this unit from now on.
[[gnu::no_sanitize_thread]] inline void run_as(unit& one) { runs[explorer::current_thread()] = &one; }
[[gnu::no_sanitize_thread]] inline unit* running() { return runs[explorer::current_thread()]; }

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
[[gnu::no_sanitize_thread]] inline void begin() {
  face_heap::begin();
  for (unit*& each : runs) each = nullptr;
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
