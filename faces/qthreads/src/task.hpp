// What the face keeps of each task, in the extension bytes of its unit. They are zero in a new
// unit; a unit whose `function` is null is a thread of weft.h, outside as far as this interface
// goes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>

#include "family.hpp"
#include "runtime.hpp"

namespace weft::qthreads {

struct team;

struct task_values;

// What a task got beyond its own bytes: more of these, and a table of values under keys.
struct tasklocal {
  std::size_t bytes;    // 0: its own are enough
  task_values* values;  // key.hpp; null: it has set none
  alignas(16) unsigned char data[];
};

enum task_flag : std::uint16_t {
  returns_syncvar = 1 << 0,  // ret is a syncvar_t
  returns_sinc = 1 << 1,     // ret is a qt_sinc_t
  returns_nothing = 1 << 2,  // ... which gets no value
  leads_team = 1 << 3,       // its team ends with it
  is_simple = 1 << 4,        // it said that it does not block
  is_main = 1 << 5,          // the caller of qthread_initialize
  has_moved = 1 << 6,        // it called qthread_migrate_to
  is_cleaned = 1 << 7,       // its unit is of WEFT_MAKE_CLEANED
  uses_more = 1 << 8,        // the fields after the first line, too
};

// The lowest and the highest word of those that a task emptied and that may lie on its stack.
struct emptied_words {
  const char* first;  // null: none
  const char* last;

  void add(const char* word) {
    if (first == nullptr || word < first) first = word;
    if (last == nullptr || word > last) last = word;
  }
  // A task that ran on the caller's stack, beneath frame, emptied words of the caller's.
  void add_above(const char* frame, const emptied_words& others) {
    if (others.first == nullptr || others.last < frame) return;
    add(others.first < frame ? frame : others.first);
    add(others.last);
  }
};

// A task that runs to its end touches the first line only: a million of them may wait at once.
struct alignas(16) task {
  qthread_f function;
  void* argument;
  void* ret;                    // null: nothing is returned
  team* in;                     // null: the default team
  weft_pool* home;              // where it waits when it is ready
  task* acting;                 // the task that runs on this one's stack in its stead; null: itself
  char* stack_low;              // of the stack that it lends; null: not asked yet
  std::uint32_t id;             // 0: not asked for yet
  std::uint16_t flags;          // the task's own, once it runs
  std::uint8_t blocking_depth;  // blocking actions that it is in
  atomic<bool> has_started;

  // ---- only if uses_more ----
  static constexpr std::size_t copy_bytes = 32;
  alignas(16) unsigned char copy[copy_bytes];  // of its argument
  tasklocal* local;                            // null: it has nothing but `own`
  std::uint64_t own;
  emptied_words emptied;
  family* parent;  // of the task that forked it; null: it is not counted there
  offspring made;

  void clean();  // zeroes what it used
};
static_assert(offsetof(task, copy) == 64);

[[gnu::visibility("hidden")]] extern std::ptrdiff_t distance_to_task;
// The task that is in a blocking action on this OS thread: there it is outside as far as Weft goes.
[[gnu::visibility("hidden")]] extern constinit thread_local task* acting_task;

inline task* task_of(weft_thread* thread) { return reinterpret_cast<task*>(reinterpret_cast<char*>(thread) + distance_to_task); }
inline weft_thread* thread_of(task* one) {
  return reinterpret_cast<weft_thread*>(reinterpret_cast<char*>(one) - distance_to_task);
}

// The calling task; null outside.
inline task* self() {
  weft_thread* const thread = weft_self();
  if (thread == nullptr || distance_to_task == 0) return acting_task;  // 0: not yet initialised
  task* const mine = task_of(thread);
  if (mine->acting != nullptr) return mine->acting;
  return mine->function != nullptr ? mine : nullptr;
}

// For the scheduler weft: a task without a return word that may run anywhere, and that the caller
// joins. If it is offered, and a worker looks for work, it starts there at once. Null: no memory.
weft_thread* start_joined_task(qthread_f function, const void* argument, unsigned features, bool is_offered);

// Gives the value that a task's function returned to its return word. True: that is a full/empty
// word that was empty.
bool deliver(void* ret, std::uint16_t flags, aligned_t value);

// Ends the calling task's values under keys, and frees the bytes that it got beyond its own.
void free_tasklocal(task* one);

// Calls a task's function and ends the task, on the caller's stack. The function of every task's
// unit calls it. True: the task found its return word empty, and it wrote *value.
bool run_to_end(task* one, void* argument, aligned_t* value);
void run_bottom(void* argument);

// A simple task waits: a line on stderr, once.
void tell_of_simple_that_waits();

}  // namespace weft::qthreads
