// ULTs for models over src/run/wait.cpp and resume.cpp. A ULT is a logical thread; a worker that it
// leaves is another one, which runs what remains to be done once the context is saved (leave()),
// while the ULT may already go on elsewhere. Making ready and resuming synchronise, as the queues
// do that carry units from one to the other.
#pragma once

#include "arch/cpu.hpp"
#include "core_world.hpp"
#include "run/ready.hpp"

namespace core_world {

using weft::sched::unit;

struct ult {
  unit one{};
  // the worker that was left
  weft::base::atomic<int> left{0};  // times that the ULT parked; has_ended
  void (*after)(worker* w, void* argument) = nullptr;
  void* argument = nullptr;
  // the ULT
  weft::base::atomic<int> ready{0};  // times that it was made ready
  int parked = 0;
  worker* workers[2] = {};  // run it in turn: the first one until it parks

  worker* after_parking(int times) const { return workers[times % 2]; }
};

inline constexpr int has_ended = 1000;

inline ult* all_ults[2];

inline ult* ult_of(const unit* one) {
  for (ult* each : all_ults) {
    if (each != nullptr && &each->one == one) return each;
  }
  explorer::fail("assertion", "not a ULT of the model");
}

// Thread 0, before the threads start.
inline void prepare(ult& u, unsigned slot, unsigned first, unsigned second) {
  all_ults[slot] = &u;
  u.workers[0] = the.workers[first];
  u.workers[1] = the.workers[second];
  explorer::name(u.left, "left");
  explorer::name(u.ready, "ready");
}

// The ULT's logical thread begins.
inline void begin(ult& u) {
  weft::sched::local::set_worker(u.workers[0]);
  u.workers[0]->current = &u.one;
}

// The logical thread of the worker that `u` leaves: waits until it parks for the nth time, and does
// what remains; or has ended.
inline void leave(ult& u, int nth) {
  worker* w = u.after_parking(nth - 1);
  weft::sched::local::set_worker(w);
  int left;
  while ((left = u.left.load(weft::base::acquire)) < nth) weft::arch::pause();
  if (left != has_ended) u.after(w, u.argument);
}

// The ULT ended: a thread that waits for it to park again need not.
inline void finish(ult& u) { u.left.store(has_ended, weft::base::release); }

}  // namespace core_world

namespace weft::sched {

inline worker* park_ult(core_world::ult& u, void (*after)(worker* w, void* argument), void* argument) {
  u.after = after;
  u.argument = argument;
  u.after_parking(u.parked)->current = nullptr;
  u.left.store(++u.parked, base::release);
  while (u.ready.load(base::acquire) < u.parked) arch::pause();
  worker* w = u.after_parking(u.parked);
  local::set_worker(w);
  w->current = &u.one;
  return w;
}

// Stands for the queues; a unit that is made ready twice would run twice.
inline void make_ult_ready(core_world::ult& u) {
  const int left = u.left.load(base::relaxed);
  if (left == core_world::has_ended || u.ready.fetch_add(1, base::acq_rel) + 1 > left) {
    explorer::fail("assertion", "made ready twice");
  }
}

}  // namespace weft::sched
