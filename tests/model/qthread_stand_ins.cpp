// What a model over files of the Qthreads face does not include itself, beyond face_stand_ins.cpp:
// calls of Weft and of the face's other files, in the fewest words that keep the promise. All of it
// is weak: a model that includes the real file, or defines something of its own, replaces it. The
// linker leaves out functions that no model reaches, and what they call.
#include <qthread/qthread.h>
#include <qthread/sinc.h>
#include <weft/ext.h>

#include "children.hpp"
#include "family.hpp"
#include "feb.hpp"
#include "key.hpp"
#include "precondition.hpp"
#include "qthread_world.hpp"
#include "runtime.hpp"
#include "task.hpp"
#include "team.hpp"

#define STAND_IN [[gnu::weak]]

using explorer::check;
using qthread_world::running;
using qthread_world::the_waits;

// ---- weft.h -------------------------------------------------------------------------------------

extern "C" {

STAND_IN weft_thread* weft_self() { return running() != nullptr ? running()->handle() : nullptr; }
STAND_IN int weft_worker_self() { return running() != nullptr ? running()->worker : -1; }

STAND_IN weft_status weft_word_wait(const void* word, std::size_t size, std::uint64_t expected, std::uint64_t) {
  the_waits.lock();
  if (explorer::atomic_load({word, size}, weft::base::relaxed, explorer::site::current()) != expected) {
    the_waits.unlock();
    return WEFT_AGAIN;
  }
  check(the_waits.count < qthread_world::most_waits, "raise most_waits in qthread_world.hpp");
  qthread_world::wait_at_word& mine = the_waits.all[the_waits.count++];
  mine.word = word;
  the_waits.unlock();
  while (!mine.is_over.load(weft::base::relaxed)) weft::arch::pause();
  return WEFT_OK;
}
STAND_IN std::size_t weft_word_wake(const void* word, std::size_t count) {
  std::size_t woken = 0;
  the_waits.lock();
  for (int index = 0; index < the_waits.count && woken < count; ++index) {
    qthread_world::wait_at_word& each = the_waits.all[index];
    if (each.word != word) continue;
    each.word = nullptr;
    each.is_over.store(true, weft::base::relaxed);
    ++woken;
  }
  the_waits.unlock();
  return woken;
}

STAND_IN weft_status weft_ext_park(bool (*commit)(weft_thread*, void*), void* argument, const char*) {
  qthread_world::unit& mine = *running();
  if (!commit(mine.handle(), argument)) return WEFT_OK;
  while (!mine.is_unparked.exchange(false, weft::base::acquire)) weft::arch::pause();
  return WEFT_OK;
}
STAND_IN void weft_ext_unpark(weft_thread* thread) {
  check(!qthread_world::unit_of(thread)->is_unparked.exchange(true, weft::base::release), "once for each time that it parks");
}
STAND_IN weft_status weft_ext_thread_make_copy(weft_function, const void*, std::size_t, const weft_thread_attr*, bool,
                                               weft_thread**) {
  explorer::fail("assertion", "the model copies no arguments");
}
STAND_IN void weft_ext_thread_note_wait(weft_thread*, weft_ext_wait*, const char*, const void*) {}

// An end of the runtime from outside.
[[noreturn]] static void fail_outside() { explorer::fail("assertion", "the main task alone ends the runtime of a model"); }
STAND_IN weft_status weft_thread_create(weft_function, void*, const weft_thread_attr*, weft_thread**) { fail_outside(); }
STAND_IN weft_status weft_thread_join(weft_thread*) { fail_outside(); }
STAND_IN weft_status weft_ext_thread_make_in(weft_pool*, weft_function, unsigned, weft_thread**) { fail_outside(); }
STAND_IN bool weft_ext_pool_remove(weft_pool*, weft_thread*) { fail_outside(); }
STAND_IN void weft_ext_thread_discard(weft_thread*) { fail_outside(); }
STAND_IN weft_status weft_thread_join_until(weft_thread*, std::uint64_t) { fail_outside(); }
STAND_IN weft_status weft_thread_detach(weft_thread*) { fail_outside(); }
STAND_IN weft_thread_state weft_thread_get_state(const weft_thread*) { fail_outside(); }
STAND_IN std::uint64_t weft_deadline_in(std::uint64_t) { fail_outside(); }
STAND_IN weft_thread* weft_ext_pool_pop(weft_pool*) { fail_outside(); }
STAND_IN weft_status weft_ext_pool_push(weft_pool*, weft_thread*, weft_push_reason) { fail_outside(); }
STAND_IN weft_status weft_pool_attach(weft_pool*, unsigned) { fail_outside(); }
STAND_IN weft_status weft_worker_remove(unsigned) { fail_outside(); }

// ---- the face's public functions ----------------------------------------------------------------

STAND_IN std::size_t qthread_readstate(const enum introspective_state) { return 2; }
STAND_IN int qthread_readFE(aligned_t*, const aligned_t*) { explorer::fail("assertion", "the model has no full/empty words"); }
STAND_IN int qthread_readFE_nb(aligned_t*, const aligned_t*) { explorer::fail("assertion", "the model has no full/empty words"); }
STAND_IN int qthread_fill(const aligned_t*) { explorer::fail("assertion", "the model has no full/empty words"); }
STAND_IN void qt_sinc_submit(qt_sinc_t*, const void*) { explorer::fail("assertion", "the model has no sincs"); }

}  // extern "C"

// ---- the face's other files ---------------------------------------------------------------------

namespace weft::qthreads {

STAND_IN std::ptrdiff_t distance_to_task = 0;
STAND_IN constinit thread_local task* acting_task = nullptr;
STAND_IN constinit atomic<runtime*> the_runtime{nullptr};

STAND_IN constinit atomic<bool> has_simple_tasks{false};
STAND_IN bool is_simple_task() { return false; }
STAND_IN void report(const char*, ...) {}
STAND_IN void tell_outside_waiters() {}
STAND_IN bool run_child(const runtime*, child*, aligned_t*) { explorer::fail("assertion", "the model notes no tasks"); }
STAND_IN void run_bottom(void*) { explorer::fail("assertion", "the model runs no unit"); }
STAND_IN void tell_of_simple_that_waits() {}
STAND_IN void free_tasklocal(task*) {}
STAND_IN void end_values(task*) {}
STAND_IN bool join_team(runtime*, const task*, task*, unsigned) { explorer::fail("assertion", "the model has no teams"); }
STAND_IN void leave_team(task*) {}
STAND_IN void add_to_family(task*, task*) { explorer::fail("assertion", "the model counts no children"); }
STAND_IN void end_family(task*) {}
STAND_IN bool start_when_full(weft_thread*, weft_pool*, std::size_t, void**, unsigned) {
  explorer::fail("assertion", "the model has no preconditions");
}

}  // namespace weft::qthreads
