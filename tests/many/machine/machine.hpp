// The CPUs of the machine, the OS threads that run on them, and the order in which they run.
//
// One real OS thread runs everything. The OS threads of the program are contexts that it switches
// between; each has the stack and the thread pointer of a real OS thread that was started for it and
// sleeps for ever (threads.cpp). Each CPU has a clock. A CPU that does more than hit its own cache
// first lets every CPU run whose clock is behind (settle), so that what the program sees is the same
// in every run. Only hits may run ahead, by at most `run_ahead`.
//
// More OS threads than CPUs wait in the queues of CPUs. A CPU gives each a slice; an idle CPU takes
// from the queues of others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/costs.hpp"

namespace many {

inline constexpr unsigned most_cpus = 256;
inline constexpr unsigned most_threads = 4096;
inline constexpr picoseconds never = ~picoseconds{0};
inline constexpr picoseconds first_clock = 1'000'000'000'000;  // programs take a clock of 0 for "none"

enum cause : unsigned {
  of_code,
  of_work,
  of_load,
  of_drain,
  of_store_buffer,
  of_read_modify_write,
  of_fence,
  of_pause,
  of_clock,
  of_system_call,
  of_futex,
  of_mm_call,
  of_page_fault,
  of_membarrier,
  of_stop,
  of_switch,
  of_neighbour,
  cause_count,
};

// What has a place in the order: a CPU, or a sleep that ends.
struct event {
  picoseconds clock = first_clock;
  unsigned order = 0;  // among events of the same time
  int place = -1;      // in the heap; -1: not there
};

struct thread;

struct cpu : event {
  picoseconds drain = 0;   // when its store buffer will be empty
  picoseconds stop = 0;    // for which membarriers of others have stopped it, not yet charged
  picoseconds access = 0;  // what a hit costs now
  picoseconds call = 0;    // what an entry into a function costs now
  unsigned index = 0, core = 0, socket = 0;
  cpu* sibling = nullptr;     // the other thread of its core
  thread* running = nullptr;  // null: idle
  thread* first = nullptr;    // those that wait for it
  thread* last = nullptr;
  unsigned waiting = 0;
  picoseconds slice_began = 0, slice_ends = 0;
  picoseconds look_at = 0;  // when hits, too, must look around: the end of a slice that another waits for, or the limit
  picoseconds spent[cause_count] = {};
  std::uint64_t accesses = 0, misses = 0;
};

struct thread : event {  // as an event: the end of its sleep
  void* stack_pointer = nullptr;
  void* thread_pointer = nullptr;
  unsigned index = 0;
  bool is_asleep = false, is_done = false, is_neighbour = false, was_timed_out = false;
  bool is_in_fence = false;  // of Weft, which counts it by its caller
  cpu* on = nullptr;         // that it runs on, or ran on last
  cpu* bound = nullptr;      // the only one that it may run on
  const void* waits_for = nullptr;
  thread* next = nullptr;         // in the queue of a CPU
  thread* next_waiter = nullptr;  // in a list of sleepers
  picoseconds ready_at = 0;
  void* (*start)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  unsigned long handle = 0;  // its pthread_t
};

struct settings {
  unsigned cpu_count, socket_count, threads_a_core, neighbours;
  unsigned socket_cpus[most_cpus];
  std::uint64_t layout;  // a seed
  picoseconds limit;     // a program that runs longer is ended
  const char* report;    // a file; null: none
  bool has_picture;
};

struct totals {
  std::uint64_t switches, heavy_fences, mm_calls, page_faults, futex_waits, futex_wakes, thread_switches, transfers;
};

extern costs cost;
extern settings set;
extern totals total;
extern cpu cpus[most_cpus];
extern thread threads[most_threads];
extern unsigned thread_count;
extern cpu* current;            // the CPU whose context runs
extern picoseconds next_clock;  // the smallest of all others
extern bool is_on;              // false: accesses are the machine's own and cost nothing

void start_cpus();

inline void spend(cause why, picoseconds time) {
  current->clock += time;
  current->spent[why] += time;
}

// Lets everything run that is behind the calling CPU. The caller may be on another CPU afterwards.
void settle();
inline void settle_if_far() {
  const bool is_far = current->clock > next_clock && current->clock - next_clock > cost.run_ahead;
  if (__builtin_expect(is_far || current->clock >= current->look_at, 0)) settle();
}

// Puts the calling OS thread to sleep on an address, until wake() or a time. False: the time came.
bool sleep_on(const void* address, picoseconds until);
// Wakes so many of those that sleep on an address, the longest sleepers first. How many it woke.
int wake(const void* address, int most);
// A new OS thread begins at a time.
void begin_thread(thread* one, picoseconds at);
[[noreturn]] void end_thread();
void yield_cpu();
void bind_thread(thread* one, cpu* to);

void full_fence();
void membarrier();
void mm_call();

// How long something that takes `time` alone takes while the sibling is busy.
picoseconds beside_sibling(picoseconds time);

// A number for each use, from the layout.
std::uint64_t layout_number(std::uint64_t use);

void write_report();
[[noreturn]] void give_up(const char* why);

}  // namespace many

extern "C" void many_switch(void** save, void* stack_pointer, void* thread_pointer);
