// Joins in place: a reader that waits for the return word of a task that has not started runs that
// task itself, on its own stack, instead of waiting. So trees of tasks are walked depth first,
// whatever the scheduler, and a task whose maker waits for it at once costs no switch.
//
// Each worker notes the tasks that were made on it, by the address of their return word. A note is
// the right to join the task's unit. It is used or given up on that worker alone, between two
// switches, so that nothing is shared. Tasks that stay on a shepherd, and those that have a copy of
// their argument outside of their record, are not noted.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>

#include "runtime.hpp"

namespace weft::qthreads {

struct child {
  const void* word;  // null: none
  weft_thread* unit;
  weft_pool* home;  // where it waits until it starts; its own `home` changes when it migrates
};

struct children {
  static constexpr std::size_t size_as_power = 8;
  static constexpr std::size_t size = std::size_t{1} << size_as_power;
  child notes[size];

  child* note_of(const void* word) {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
    return &notes[reinterpret_cast<std::uintptr_t>(word) * golden >> (64 - size_as_power)];
  }
  // Instead of the note that was there, whose task then frees itself at its end.
  void add(const void* word, weft_thread* unit, weft_pool* home);
  // At the end, once no worker runs.
  void forget_all();
};

// What the caller joins when it waits for a word: null, or the note of a task that was made here.
inline child* child_of(const runtime* all, const void* word) {
  const int here = all != nullptr ? worker_here(all) : -1;
  if (here < 0) return nullptr;
  child* const note = all->workers[here].made->note_of(word);
  return note->word == word && word != nullptr ? note : nullptr;
}

// As run_child_of, with its note.
[[gnu::visibility("hidden")]] bool run_child(const runtime* all, child* note, aligned_t* value);

// The caller is about to wait for a word to be full, or would if it is not: a task that will fill
// it, has not started and may run on the caller's stack has run when the call returns. True: the
// word was empty when the task ended, and *value was written there.
inline bool run_child_of(const void* word, aligned_t* value) {
  const runtime* const all = current_runtime();
  child* const note = child_of(all, word);
  return note != nullptr && run_child(all, note, value);
}
inline void run_child_of(const void* word) {
  aligned_t value;
  static_cast<void>(run_child_of(word, &value));
}

// Joins a task of start_joined_task: runs it on the caller's stack if it has not started and waits
// on this worker, and otherwise waits for its end.
void join_task(weft_thread* unit);

// Runs function(argument) as a task of its own on the caller's stack. False: the caller is no task
// that can lend it, and nothing was done.
bool run_as_task(qthread_f function, void* argument, std::uint16_t flags);

}  // namespace weft::qthreads
