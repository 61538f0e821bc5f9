// A host: an OS thread that runs a worker, or has run one. The worker's record holds what belongs
// to its OS thread; while another OS thread runs the worker (life/hosts.hpp), the first one keeps
// it here.
#pragma once

#include "fiber/fiber.hpp"
#include "os/thread.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

struct host {
  os::os_thread os_thread;
  int os_thread_id = 0;
  void* carried = nullptr;
  const std::uint64_t* two_carried = nothing_carried;
  arch::fp_control fp{};
  fiber::context origin;  // sp null: none, the OS thread is the program's
  fiber::sanitizer::side origin_side;
  signal_stack fault_stack;
};

// Where the calling OS thread keeps what is carried.
inline void set_carried(const runtime* rt, void** carried, const std::uint64_t** two_carried) {
  if (rt->carried_address == nullptr) return;
  *carried = rt->carried_address();
  *two_carried = rt->carried_bytes == sizeof more_carried ? static_cast<const std::uint64_t*>(*carried) : more_carried;
}

// Of the calling OS thread's own stack.
inline fiber::sanitizer::side own_side() {
  if constexpr (!fiber::sanitizer::is_there) return {};
  void* low = nullptr;
  std::size_t bytes = 0;
  os::stack_bounds(&low, &bytes);
  return fiber::sanitizer::of_os_thread(low, bytes);
}

// Of the OS thread of a worker: whether it is the program's.
inline bool is_programs_own(const host& one) { return one.origin.sp == nullptr; }

inline void keep_host(const worker* w, host* out) {
  out->os_thread = w->os_thread;
  out->os_thread_id = w->os_thread_id.load(base::relaxed);
  out->carried = w->carried;
  out->two_carried = w->two_carried;
  out->fp = w->fp;
  out->origin = w->origin;
  out->origin_side = w->origin_side;
  out->fault_stack = w->fault_stack;
}

inline void set_host(worker* w, const host& now) {
  w->os_thread = now.os_thread;
  w->os_thread_id.store(now.os_thread_id, base::relaxed);
  w->carried = now.carried;
  w->two_carried = now.two_carried;
  w->fp = now.fp;
  w->origin = now.origin;
  w->origin_side = now.origin_side;
  w->fault_stack = now.fault_stack;
}

}  // namespace weft::sched
