// ULTs for models over src/sched/park.cpp. A ULT is a logical thread; a worker that it leaves is another one, which runs what remains
// to be done once the context is saved (leave()), while the ULT may already go on elsewhere. Making ready and resuming synchronise, as
// the queues do that carry units from one to the other.
#pragma once

#include "arch/cpu.hpp"
#include "core_world.hpp"
#include "sched/dispatch.hpp"
#include "sched/ready.hpp"

namespace core_world {

using weft::sched::unit;

struct ult {
  unit one{};
  // the worker that was left
  weft::base::atomic<int> left{0};  // times that the ULT parked
  void (*after)(worker* w, void* argument) = nullptr;
  void* argument = nullptr;
  // the ULT
  weft::base::atomic<int> ready{0};  // times that it was made ready
  int parked = 0;
  worker* first = nullptr;   // runs it before it parks, and the worker thread afterwards
  worker* second = nullptr;  // runs it afterwards
};

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
  u.first = the.workers[first];
  u.second = the.workers[second];
  explorer::name(u.left, "left");
  explorer::name(u.ready, "ready");
}

// The ULT's logical thread begins.
inline void begin(ult& u) {
  weft::sched::local::set_worker(u.first);
  u.first->current = &u.one;
}

// The logical thread of the worker that `u` leaves: waits until it parks for the nth time, or ended, and does what remains.
inline void leave(ult& u, int nth) {
  weft::sched::local::set_worker(u.first);
  while (u.left.load(weft::base::acquire) < nth) weft::arch::pause();
  if (u.after != nullptr) u.after(u.first, u.argument);
}

// The ULT ended without parking (again): its worker need not wait.
inline void finish(ult& u) {
  if (u.parked == 0) u.left.store(1, weft::base::release);
}

}  // namespace core_world

namespace weft::sched {

inline worker* park_ult(core_world::ult& u, void (*after)(worker* w, void* argument), void* argument) {
  u.after = after;
  u.argument = argument;
  u.first->current = nullptr;
  u.left.store(++u.parked, base::release);
  while (u.ready.load(base::acquire) < u.parked) arch::pause();
  local::set_worker(u.second);
  u.second->current = &u.one;
  return u.second;
}

// Stands for the queues; a unit that is made ready twice would run twice.
inline void make_ult_ready(core_world::ult& u) {
  if (u.ready.fetch_add(1, base::acq_rel) + 1 > u.left.load(base::relaxed)) explorer::fail("assertion", "made ready twice");
}

}  // namespace weft::sched
