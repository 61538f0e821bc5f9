// OS threads: start, join, bind, name. The workers are made of these; nothing here knows of ULTs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace weft::os {

struct os_thread {
  std::uintptr_t handle = 0;
};

// Starts fn(arg) on a new OS thread with the caller's signal mask and affinity. stack_bytes 0: the
// system's default; less than the system's least is raised to it. It names itself: to have its
// starter do that opens a file. Errors: again (no OS thread to be had; *out untouched).
status start_thread(os_thread* out, void* (*fn)(void*), void* arg, std::size_t stack_bytes);

// Waits for its end. Exactly once per started OS thread.
void join_thread(os_thread thread);

// body(arg). ended(arg) is called, on the stack of this call, if pthread_exit or a cancellation
// ends the calling OS thread meanwhile, on whatever stack that happens.
void run_to_end(void (*body)(void*), void (*ended)(void*), void* arg);

// ended(arg) is called once the calling OS thread ends by its return, pthread_exit or a
// cancellation (not by exit). arg null: no more. False: refused, nothing changed; never with null.
// With an arg, one caller at a time, and always the same function.
bool watch_end(void (*ended)(void*), void* arg);

// Binds the calling OS thread to one CPU. cpu is one of allowed_cpus() as read before the first
// bind: then no OS thread leaves the mask that the process inherited. Errors: invalid (no such CPU,
// or the cpuset forbids it).
status bind_thread(unsigned cpu);
// The same for a set of CPUs: gives an adopted OS thread its inherited mask back.
status bind_thread_to(const std::uint16_t* cpus, unsigned count);

// The CPUs on which an OS thread may run, as the kernel has them.
struct cpu_mask {
  alignas(8) unsigned char bits[1024];  // 8192 CPUs: a kernel built for more than CPU_SETSIZE refuses a shorter mask
};
// Of the calling OS thread. False: the system does not say.
bool read_mask(cpu_mask* out);
void write_mask(const cpu_mask& mask);

// How late a sleep of the calling OS thread may end.
void set_timer_slack(std::uint64_t ns);

// What an OS thread has from the one that started it, beside its registers. What the system does
// not say is left alone later.
struct inheritance {
  alignas(8) unsigned char blocked[128] = {};  // signals: a sigset_t
  bool knows_cpus = false;
  cpu_mask cpus;
  long policy = -1;  // of scheduling; -1: unknown
  int priority = 0;
  std::uint64_t timer_slack_ns = 0;  // 0: unknown
};
// As one that the calling OS thread starts now would have it.
void read_inheritance(inheritance* out);
// Of the calling OS thread, but for the slack. What the system refuses stays.
void take_inheritance(const inheritance& from);

// The name is cut to 15 characters.
void name_this_thread(const char* name);

os_thread this_thread();  // the calling one, also where start_thread did not start it

int thread_id();  // the kernel's
void yield_cpu();

// Lowest address and size of the calling OS thread's stack; null and 0 when the system does not
// say.
void stack_bounds(void** low, std::size_t* bytes);

}  // namespace weft::os
