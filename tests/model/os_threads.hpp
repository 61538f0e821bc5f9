// OS threads that the core starts itself, for models over the files that do. Each is a logical
// thread of the model (run) that waits until the core starts it, or the thread that started the
// last one says that no more will come (close). Start and join are in core_stand_ins.cpp.
#pragma once

#include <new>

#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"

namespace os_threads {

enum stage : int { awaited, started, ended, unwanted };

struct slot {
  weft::base::atomic<int> at{awaited};
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
};

inline constexpr unsigned most = 3;
alignas(slot) inline unsigned char memory[most][sizeof(slot)];
inline unsigned there;   // that the model has
inline unsigned in_use;  // by the thread that starts one; models start them one after the other

inline slot& at(unsigned index) { return *reinterpret_cast<slot*>(memory[index]); }

// The body, before anything else.
inline void prepare(unsigned count) {
  there = count;
  in_use = 0;
  for (unsigned index = 0; index < count; ++index) new (memory[index]) slot;
}

// The whole of a logical thread.
inline void run(unsigned index) {
  slot& own = at(index);
  int seen = awaited;
  while ((seen = own.at.load(weft::base::acquire)) == awaited) weft::arch::pause();
  if (seen == unwanted) return;
  static_cast<void>(own.function(own.argument));
  own.at.store(ended, weft::base::release);
}

// By the thread that has started the last one.
inline void close() {
  while (in_use < there) at(in_use++).at.store(unwanted, weft::base::release);
}

}  // namespace os_threads
