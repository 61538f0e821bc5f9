// See running_frames.hpp.
#include "see/running_frames.hpp"

#include <errno.h>
#include <limits.h>
#include <signal.h>

#include "arch/signal_registers.hpp"
#include "base/atomic.hpp"
#include "base/config.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/peek.hpp"
#include "os/signal.hpp"
#include "os/thread.hpp"
#include "os/thread_state.hpp"
#include "queue/spinlock.hpp"
#include "worker/clock.hpp"
#include "worker/glance.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

constexpr std::uint64_t patience_ns = 2'000'000'000;   // for the answer
constexpr std::uint64_t most_held_ns = 2'000'000'000;  // of an OS thread that has answered
constexpr char untold[] = "it sleeps in the kernel, and the system does not tell where";

// ---- a question, and its answer in a signal handler ----

struct question {
  queue::spinlock lock;
  base::atomic<int> os_thread{0};  // that is asked; 0: none, or not any more. Written inside the lock
  bool is_answered = false;
  arch::registers registers;
  std::uintptr_t code = 0;
};

constinit queue::spinlock asking;  // for one question from its begin to its end
constinit question open_question;
constinit base::atomic<std::uint32_t> news{0};  // futex: what happened to questions; counted inside the lock

// By the asker.
constinit base::atomic<bool> is_installed{false};
struct sigaction before;

bool is_asked(int os_thread) { return open_question.os_thread.load(base::relaxed) == os_thread; }

bool is_held(int os_thread) { return is_asked(os_thread) && open_question.is_answered; }

bool answer(int os_thread, const void* context) {
  {
    const queue::guard hold(open_question.lock);
    if (!is_asked(os_thread) || open_question.is_answered) return false;
    open_question.code = arch::registers_of_signal(context, &open_question.registers);
    open_question.is_answered = true;
    news.fetch_add(1, base::relaxed);
  }
  os::futex_wake(&news, INT_MAX);
  return true;
}

// True: the answer held until now.
bool withdraw_question(int os_thread) {
  bool was_held;
  {
    const queue::guard hold(open_question.lock);
    was_held = is_held(os_thread);
    if (is_asked(os_thread)) open_question.os_thread.store(0, base::relaxed);
    news.fetch_add(1, base::relaxed);
  }
  os::futex_wake(&news, INT_MAX);
  return was_held;
}

// Waits until the OS thread is held, or no more; false: the deadline is over.
bool await_held(bool wanted, int os_thread, std::uint64_t deadline_ns) {
  for (;;) {
    std::uint32_t seen;
    {
      const queue::guard hold(open_question.lock);
      if (is_held(os_thread) == wanted) return true;
      seen = news.load(base::relaxed);
    }
    if (!os::futex_wait_until(&news, seen, deadline_ns)) return false;
  }
}

constinit base::atomic<void (*)(const void* context)> look{nullptr};

void on_question(int, siginfo_t* info, void* context) {
  const int kept = errno;
  const int me = os::thread_id();
  // Not by taking the lock: another's signal may come to the asker, which holds it.
  if (is_asked(me) && answer(me, context)) {
    const bool is_released = await_held(false, me, os::now_ns() + most_held_ns);
    if (!is_released) static_cast<void>(withdraw_question(me));
  }
  if (info->si_code == SI_TIMER) {
    if (const auto on_tick = look.load(base::relaxed); on_tick != nullptr) on_tick(context);
  }
  errno = kept;
}

bool is_ours(const struct sigaction& action) { return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_question; }

// False: the program wants the signal itself, or the system refuses.
bool install() {
  struct sigaction now;
  if (!os::set_signal_action(signal_of_questions, nullptr, &now)) return false;
  if (!is_ours(now)) {  // else it could not be taken away before
    if ((now.sa_flags & SA_SIGINFO) != 0 || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)) return false;
    before = now;
    struct sigaction ours = {};
    ours.sa_sigaction = on_question;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&ours.sa_mask);
    if (!os::set_signal_action(signal_of_questions, &ours, nullptr)) return false;
  }
  is_installed.store(true, base::relaxed);
  return true;
}

// One that comes late is ignored by the system.
void uninstall() {
  struct sigaction now;
  if (look.load(base::relaxed) != nullptr) return;
  is_installed.store(false, base::relaxed);
  if (os::set_signal_action(signal_of_questions, nullptr, &now) && is_ours(now))
    static_cast<void>(os::set_signal_action(signal_of_questions, &before, nullptr));
}

// A starter of an OS thread blocks all signals for a moment; one that blocks this one for longer
// will not answer.
bool awaits_answer_in_vain(int os_thread) {
  constexpr std::uint64_t look_ns = 50'000'000;
  constexpr int most_looks = 4;
  const std::uint64_t deadline_ns = os::now_ns() + patience_ns;
  for (int blocked = 0; blocked < most_looks && os::now_ns() < deadline_ns;) {
    if (await_held(true, os_thread, os::now_ns() + look_ns)) return false;
    blocked = os::blocks_signal(os_thread, signal_of_questions) ? blocked + 1 : 0;
  }
  return true;
}

// False: no answer. Else the OS thread stands still, until the question is withdrawn or it has lost
// its patience.
bool ask(int os_thread, arch::registers* registers, std::uintptr_t* code) {
  {
    const queue::guard hold(open_question.lock);
    open_question.os_thread.store(os_thread, base::relaxed);
    open_question.is_answered = false;
    open_question.registers = {};
  }
  if (!os::send_signal(os_thread, signal_of_questions) || awaits_answer_in_vain(os_thread)) return false;
  const queue::guard hold(open_question.lock);
  *registers = open_question.registers;
  *code = open_question.code;
  return open_question.is_answered;
}

// ---- the two kinds ----

// Another may have its descriptor by now, or, on virtual workers, its OS thread.
bool still_runs(const worker* w, const unit_view& one) {
  unit_view now;
  return glance(w->current) == one.where && !(w->rt->turns != nullptr && the_hooks.awaits_turn(w)) && look_at(one.where, &now) &&
         now.function == one.function && now.id == one.id;
}

const char* find_asleep(const worker* w, const unit_view& one, const os::thread_state& state, unwind::known_rows* rows,
                        unwind::backtrace* found) {
  unwind::memory from(os::peek);
  arch::registers registers;
  registers.set(arch::dwarf::stack_pointer, state.stack_pointer);
  unwind::walk(&from, rows, registers, state.code, found);
  os::thread_state now;
  const bool is_there = os::read_thread_state(w->os_thread_id.load(base::relaxed), &now) &&
                        now.stack_pointer == state.stack_pointer && now.code == state.code;
  return is_there && still_runs(w, one) ? nullptr : went_on;
}

const char* find_by_asking(const worker* w, const unit_view& one, unwind::known_rows* rows, unwind::backtrace* found) {
  if constexpr (config::thread_sanitizer) return "it runs; ThreadSanitizer delays the signal by which it would be asked where";
  const int os_thread = w->os_thread_id.load(base::relaxed);
  const queue::guard one_at_a_time(asking);
  if (!install()) return "it runs; SIGURG, by which it would be asked where, is the program's";
  arch::registers registers;
  std::uintptr_t code;
  const bool is_answered = ask(os_thread, &registers, &code);
  const bool is_it = is_answered && still_runs(w, one);
  if (is_it) {
    unwind::memory from(os::peek);
    unwind::walk(&from, rows, registers, code, found);
  }
  const bool was_held = withdraw_question(os_thread);
  uninstall();
  if (!is_answered) return "it runs; its OS thread does not say where: it blocks SIGURG, or gets no CPU";
  return is_it && was_held ? nullptr : went_on;
}

const char* find_in_kernel(const worker* w, const unit_view& one, const os::thread_state& state, unwind::known_rows* rows,
                           unwind::backtrace* found) {
  const bool is_found = state.waits_for_others && find_by_asking(w, one, rows, found) == nullptr;
  return is_found ? nullptr : find_asleep(w, one, state, rows, found);
}

}  // namespace

const char* find_running_frames(runtime* rt, const unit_view& one, unwind::known_rows* rows, unwind::backtrace* found) {
  const worker* w = worker_in_slot(rt, static_cast<unsigned>(one.worker));
  os::thread_state state;
  if (w == nullptr || !os::read_thread_state(w->os_thread_id.load(base::relaxed), &state)) return went_on;
  const bool may_be_asleep = state.letter != 'R' && state.place == os::kernel_place::untold;
  if (may_be_asleep) return untold;
  return state.stack_pointer != 0 ? find_in_kernel(w, one, state, rows, found) : find_by_asking(w, one, rows, found);
}

const char* find_frames_in_kernel(const worker* w, const unit_view& one, const os::thread_state& state,
                                  unwind::backtrace* found) {
  return state.stack_pointer != 0 ? find_in_kernel(w, one, state, nullptr, found) : untold;
}

bool begin_looks(void (*on_tick)(const void* context)) {
  const queue::guard hold(asking);
  if (!install()) return false;
  look.store(on_tick, base::relaxed);
  return true;
}

void end_looks_by_signal() {
  const queue::guard hold(asking);
  if (look.exchange(nullptr, base::relaxed) != nullptr) uninstall();
}

void abandon_question() {
  look.store(nullptr, base::relaxed);
  if (is_installed.load(base::relaxed)) uninstall();
}

}  // namespace weft::sched
