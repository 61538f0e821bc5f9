// The records of a run: its workers, and for each the tasks that it runs, one above the other.
// Everything in a worker belongs to the worker itself but for what stands under "shared".
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <new>

#include <weft/ext.h>
#include <weft/tascell_lowered.h>
#include <weft/weft.h>

#include "base/rng.hpp"
#include "parts.hpp"
#include "settings.hpp"
#include "words.hpp"

namespace weft::tascell_runtime {

inline constexpr std::uint64_t us = 1000, ms = 1000000;  // in ns
inline constexpr unsigned most_workers = 1024;           // of Weft
inline constexpr int failed_status = 70;                 // EX_SOFTWARE of sysexits.h

using record = weft_tascell_record;
using task = weft_tascell_task;
using unwinding = weft_tascell_unwinding;

// What the check mode holds for the tasks below.
struct check_level {
  std::size_t named = 0, floor = 0;
};

// A task that a worker runs. It lies on the native stack; the newest is the one that runs, and the
// others wait in a join or, under the storm mode, in a poll.
struct frame {
  record root;  // first: the root's address is the frame's
  frame* below = nullptr;
  task* running = nullptr;
  record* newest = nullptr;  // while it waits: its newest record
  double probability = 1;    // of the frame below, while this one runs
  check_level checked;       // of the check mode, below
  task* copy = nullptr;      // what runs in the place of a task that was shipped
  part_list parts;           // of the copy's results
  unwinding ended{};         // how it was unwound, if it was
  std::jmp_buf buffer{};
};

enum worker_status : std::uint32_t { is_idle = 0, is_running = 1, is_waiting = 2 };

struct run;
struct checker;

struct alignas(64) worker : weft_tascell_worker {
  run* all = nullptr;
  frame* top = nullptr;
  weft::base::rng random{0};         // for victims and guards
  std::uint64_t* pending = nullptr;  // requests that were taken and not answered, a bit for each thief
  task* own = nullptr;               // tasks that the worker gave to itself: the storm mode
  checker* check = nullptr;          // null: not in the check mode
  bool is_alone = false;             // the check mode runs a task again: the worker neither asks nor gives
  bool offers_parts = false;     // the check mode: on this walk, a choice point whose tasks have parts gives one to the worker
  const task* wanted = nullptr;  // of its own request: null, or the task whose descendants it wants
  weft_tascell_counts counts{};
  weft_thread* thread = nullptr;
  bool is_spare = false;                                    // it goes at once: not all workers of the run could be made
  void* words = nullptr;                                    // the memory of requests and pending
  std::uint64_t ask_back_at_ns = 0, ask_back_delay_ns = 0;  // of asks to the node of the task that it joins
  std::uint64_t asked_back_ns = 0;
  weft_semaphore token{};  // WEFT_SEMAPHORE_INIT(0), which C++ compilers warn about

  // shared
  alignas(64) request_set requests;
  mailbox answers;
  sleeper bed;
  atomic<std::uint32_t> status{is_idle};
  atomic<std::uint32_t> accepts{0};                    // the probability, in steps of 2^-20
  atomic<std::uint32_t> waits_for{0};                  // while it waits: the worker with its task
  atomic<std::uint64_t> asked_since{0};                // when the first request came that it has not seen; 0: none
  atomic<const weft_tascell_place*> seen_at{nullptr};  // its task, or where it last attended
  atomic<std::uint32_t> has_news{0};                   // a task may have come for what it joins
  atomic<std::uint32_t> is_answered{1};                // its last ask to the node of the task that it joins
  atomic<std::uint64_t> ticket{0};                     // of the broadcast that it waits for; 0: none
};

// Requests of other nodes that are under way. Each stands among the workers, behind them, as one of
// a thief without a thread.
inline constexpr unsigned outside_most = 64;
struct node;

struct run {
  settings how{};
  weft_tascell_options options{};
  worker* workers = nullptr;
  unsigned count = 0;
  unsigned thieves = 0;                // count, and in a run on several nodes those without a thread
  node* far = nullptr;                 // null: one node
  weft_event ready = WEFT_EVENT_INIT;  // all workers are made
  task* root = nullptr;
  std::uint32_t looks_always = 0;  // always_look under the modes for tests

  // shared
  alignas(64) atomic<std::uint32_t> has_ended{0};  // its workers go
  watch keeper;
  atomic<std::uint32_t> asleep{0};  // idle workers that sleep until a task starts
};

inline atomic<std::uint32_t>& attention_of(worker* of) { return as_atomic(of->attention); }
inline worker* as_worker(weft_tascell_worker* of) { return static_cast<worker*>(of); }

// ---- notes in the trace: weft_ext_trace_note ----------------------------------------------------

inline constexpr const char* note_of_requests = "tascell: requests taken";
inline constexpr const char* note_of_refusals = "tascell: requests refused";
inline constexpr const char* note_of_walk = "tascell: backtracks (records)";
inline constexpr const char* note_of_gift = "tascell: tasks given (bytes)";
inline constexpr const char* note_of_run = "tascell: tasks run (ns)";

// ---- wait.cpp -----------------------------------------------------------------------------------

void wake(worker* other);
void wake_workers(run* all);
// Wakes an idle worker, if one sleeps.
void wake_an_idle(run* all, unsigned first);
bool has_idle(const run* all);
// Wakes one idle worker that sleeps, because a task has started.
void tell_idle(worker* self);
// Waits for a task that self gave; newest is the record that waits.
void wait_for(worker* self, record* newest, task* what, bool may_steal);
// Draws a running worker, but not self: in proportion to the probability with which it accepts, or
// any. Null: there is none.
worker* draw_victim(worker* self);
// The worker that runs a descendant of a task; null: it is not known, or none does.
worker* follow(worker* self, const task* what);
// Beginning with the worker that runs the task.
worker* follow(worker* self, worker* at);
// Asks for tasks and runs them, until the run ends.
void be_idle(worker* self);

// ---- task.cpp -----------------------------------------------------------------------------------

extern const weft_tascell_operations root_operations;
// Runs a task on top of what the worker runs, and ends it.
void run_task(worker* self, task* what);
// Packs what was given, where every task is shipped. Without memory it stays as it is.
void pack_given(task* given);
std::uint64_t count_live();  // task objects that exist
void unpack_results(task* given);
inline bool is_unwanted(const task* what) { return as_atomic(const_cast<task*>(what)->is_cancelled).load(base::relaxed) != 0; }
inline atomic<std::uint32_t>& state_of(task* what) { return as_atomic(what->state); }

// ---- attend.cpp ---------------------------------------------------------------------------------

// Answers all requests that have come: nothing to give.
void refuse_all(worker* self);

// ---- unwind.cpp ---------------------------------------------------------------------------------

// True: the running task must be unwound, as *out says. newest is its newest record.
bool must_unwind(worker* self, record* newest, unwinding* out);
// Cancels what the waiting tasks of this worker have given and do not want any more.
void pass_on_cancellations(worker* self, frame* from);
// Frees an exception of another language; null: there is none.
void free_foreign(void* foreign);
[[noreturn]] void die(const weft_tascell_place* at, const char* what);

// ---- check.cpp: without a checker the check mode is off, and nothing is done --------------------

checker* make_checker();
void free_checker(checker* of);
// A task begins, or ends, on top of others.
check_level enter_level(checker* of);
void leave_level(checker* of, const check_level& before);
// Notes the workspace at a poll of the record. has_polled: it may have been noted already.
void note_workspace(worker* self, record* newest, bool has_polled);
// Compares it with what was noted there: nothing newer may have left a change.
void compare_for(checker* of, const record* choice);
// Around an undo and its redo.
void save_workspace(worker* self, record* wind);
void compare_saved(checker* of, const record* wind);

}  // namespace weft::tascell_runtime
