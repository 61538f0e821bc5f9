// Tasks of the Qthreads face that wait for words to be full, over precondition.cpp, init.cpp and the
// core's full/empty words: such a task becomes ready once, after its words were filled, and the
// caller that makes it ready sees what was done before each filling. One whose runtime has ended
// never does, in no later life either. Its record is freed once.
// Built with faces/qthreads/src/precondition.cpp faces/qthreads/src/feb.cpp
// Built with faces/qthreads/src/syncvar.cpp
// Built with src/capi/sync.cpp src/capi/syncvar.cpp src/sync/feb.cpp src/sync/feb_table.cpp
// Built with src/sync/syncvar.cpp src/sync/waiters.cpp src/run/awaiter.cpp src/run/wait.cpp
// Built with src/run/resume.cpp src/unit/timer.cpp
#include "core_world.hpp"
#include "feb.hpp"
#include "feb_entries.hpp"
#include "precondition.hpp"
#include "qthread_life.hpp"
#include "qthread_world.hpp"
#include "run/awaiter.hpp"
#include "sync/feb_table.hpp"
#include "sync/syncvar.hpp"

namespace {

using namespace qthread_world::words;
using qthread_life::life;
using weft::sync::feb_entry;
using weft::sync::feb_stripe;
namespace base = weft::base;
namespace sched = weft::sched;

// A task with two preconditions at most.
struct waiting : life {
  unit task, filler;
  aligned_t words[2] = {0, 0};
  syncvar_t variables[2] = {{{0}}, {{0}}};
  int done[2] = {1, 1};  // 0: before its word is filled
  int fillings = 0;      // that the task waits for
  base::atomic<int> starts{0};

  waiting();
  weft_pool* home() const { return current_runtime()->shepherds[0].staying; }
  // The body, before the threads.
  void wait_for_words(int count) {
    void* all[2];
    for (int index = 0; index < count; ++index) {
      check(qthread_empty(&words[index]) == QTHREAD_SUCCESS, "there is memory");
      all[index] = &words[index];
      done[index] = 0;
    }
    wait(count, all, 0);
  }
  void wait(int count, void** all, unsigned features) {
    check(start_when_full(task.handle(), home(), static_cast<std::size_t>(count), all, features), "there is memory");
  }
  void fill(int index) {
    done[index] = 1;
    check(qthread_fill(&words[index]) == QTHREAD_SUCCESS, "always");
  }
  // The main thread, again.
  void finalise() {
    qthread_world::run_as(main_task);
    qthread_finalize();
  }
  void ends(int wanted) {
    check(starts.load(base::relaxed) == wanted, wanted != 0 ? "it starts once" : "it does not start");
    finalise();
    check(face_heap::live() == 0, "nothing is left");
    for (const aligned_t& each : words) check(weft::sync::feb_stripe_of(&each)->find(&each) == nullptr, "no entry is left");
  }
};
waiting* of_the_model;

waiting::waiting() {
  core_world::make(1);
  of_the_model = this;
  entries_made = 0;
  new (&weft::qthreads::those_outside) weft::qthreads::waits_outside;  // of an execution that was cut
  for (const aligned_t* each : {&words[0], &words[1], &variables[0].u.w, &variables[1].u.w}) {
    feb_stripe* const stripe = weft::sync::feb_stripe_of(each);
    new (stripe) feb_stripe;
  }
  check(qthread_initialize() == QTHREAD_SUCCESS, "nothing is refused");
}

// ---- the core's awaiters ------------------------------------------------------------------------

struct inside {
  sched::awaiter core;
  alignas(sched::await_record) unsigned char record[sizeof(sched::await_record)];
};
static_assert(sizeof(inside) <= sizeof(weft_awaiter::opaque));

void call_ready(sched::awaiter* one, weft::status result) {
  auto* const outer = reinterpret_cast<weft_awaiter*>(reinterpret_cast<char*>(one) - offsetof(weft_awaiter, opaque));
  outer->ready(outer, static_cast<weft_status>(result));
}

weft::status arm(sched::await_record* one, void* object, weft_await_kind kind, sched::armed_as* what) {
  using weft::sync::feb::operation;
  if (kind == WEFT_AWAIT_FEB_READ) return weft::sync::feb::await(one, static_cast<std::uint64_t*>(object), operation::read, what);
  check(kind == WEFT_AWAIT_SYNCVAR_READ, "the task reads");
  return static_cast<weft::sync::syncvar*>(object)->await(one, operation::read, what);
}

}  // namespace

extern "C" {

// As arm_alone in src/sync/await.cpp.
weft_status weft_ext_await(weft_awaiter* awaiter, void* object, weft_await_kind kind, bool* waits) {
  auto* const mine = new (awaiter->opaque) inside{};
  auto* const record = new (mine->record) sched::await_record(&mine->core, object);
  mine->core.call = call_ready;
  mine->core.records = record;
  sched::begin_arming(&mine->core, sched::armed);
  sched::armed_as what{};
  const weft::status result = arm(record, object, kind, &what);
  *waits = result == weft::status::ok && what == sched::armed_as::waits;
  if (!*waits) sched::disarm(&mine->core);
  return static_cast<weft_status>(result);
}

weft_status weft_ext_pool_push(weft_pool* one, weft_thread* thread, weft_push_reason) {
  check(thread == of_the_model->task.handle(), "the only one");
  check(of_the_model->done[0] == 1 && of_the_model->done[1] == 1, "what was done before the words were filled");
  one->pushed.fetch_add(1, base::relaxed);
  of_the_model->starts.fetch_add(1, base::relaxed);
  return WEFT_OK;
}

}  // extern "C"

namespace weft::qthreads {

void make_ready(weft_thread* unit, weft_pool* home) { static_cast<void>(weft_ext_pool_push(home, unit, WEFT_PUSH_NEW)); }

}  // namespace weft::qthreads

namespace {

void two_words() {
  waiting shared;
  shared.wait_for_words(2);
  threads(thread{"a", [&] { shared.fill(0); }}, thread{"b", [&] { shared.fill(1); }});
  shared.ends(1);
}

// The words may be full before the task is made, or while it is.
void filled_while_it_is_made() {
  waiting shared;
  check(qthread_empty(&shared.words[0]) == QTHREAD_SUCCESS && qthread_empty(&shared.words[1]) == QTHREAD_SUCCESS,
        "there is memory");
  shared.done[0] = shared.done[1] = 0;
  threads(thread{"maker",
                 [&] {
                   void* all[] = {&shared.words[0], &shared.words[1]};
                   shared.wait(2, all, 0);
                 }},
          thread{"a", [&] { shared.fill(0); }}, thread{"b", [&] { shared.fill(1); }});
  shared.ends(1);
}

// A reader that empties the word comes behind the task.
void emptied_again() {
  waiting shared;
  shared.wait_for_words(1);
  threads(thread{"fills", [&] { shared.fill(0); }}, thread{"takes", [&] {
                                                             aligned_t value = 1;
                                                             check(qthread_readFE(&value, &shared.words[0]) == QTHREAD_SUCCESS,
                                                                   "always");
                                                             check(value == 0 && shared.done[0] == 1, "what was filled in");
                                                           }});
  check(shared.starts.load(base::relaxed) == 1, "one filling is enough");
  check(qthread_fill(&shared.words[0]) == QTHREAD_SUCCESS, "always");
  shared.ends(1);
}

void syncvars() {
  waiting shared;
  void* all[2];
  for (int index = 0; index < 2; ++index) {
    check(qthread_syncvar_empty(&shared.variables[index]) == QTHREAD_SUCCESS, "there is memory");
    all[index] = &shared.variables[index];
    shared.done[index] = 0;
  }
  shared.wait(2, all, QTHREAD_SPAWN_PC_SYNCVAR_T);
  const auto write = [&](int index) {
    shared.done[index] = 1;
    check(qthread_syncvar_writeEF_const(&shared.variables[index], 3) == QTHREAD_SUCCESS, "it is empty");
  };
  threads(thread{"a", [&] { write(0); }}, thread{"b", [&] { write(1); }});
  shared.ends(1);
}

// A worker fills the word while the runtime ends: the task becomes ready before, or not at all.
void dropped_while_it_is_filled() {
  waiting shared;
  flag has_ended;
  shared.worker = &has_ended;
  shared.wait_for_words(1);
  threads(thread{"main", [&] { shared.finalise(); }}, thread{"worker", [&] {
                                                               qthread_world::run_as(shared.filler);
                                                               shared.fill(0);
                                                               has_ended.raise();
                                                             }});
  explorer::outcome(shared.starts.load(base::relaxed));
  check(face_heap::live() == 0, "nothing is left");
}

// An OS thread outside, for which the end does not wait.
void dropped_while_it_is_filled_outside() {
  waiting shared;
  shared.wait_for_words(1);
  threads(thread{"main", [&] { shared.finalise(); }}, thread{"outside", [&] { shared.fill(0); }});
  explorer::outcome(shared.starts.load(base::relaxed));
  check(face_heap::live() == 0, "nothing is left");
}

// The runtime has ended, or the next one has begun.
void filled_in_the_next_life() {
  waiting shared;
  flag is_over;
  shared.wait_for_words(1);
  threads(thread{"main",
                 [&] {
                   shared.finalise();
                   is_over.raise();
                   check(qthread_initialize() == QTHREAD_SUCCESS, "nothing is refused");
                 }},
          thread{"outside", [&] {
                   is_over.await();
                   shared.fill(0);
                 }});
  shared.ends(0);
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Q preconditions: two words", {.at_least = 50, .quick = quick, .deep = deep}, two_words};
const model m2{
    "Q preconditions: filled while it is made", {.at_least = 50, .quick = quick, .deep = deep}, filled_while_it_is_made};
const model m3{"Q preconditions: emptied again", {.at_least = 50, .quick = quick, .deep = deep}, emptied_again};
const model m4{"Q preconditions: syncvars", {.at_least = 50, .quick = quick, .deep = deep}, syncvars};
const model m5{"Q preconditions: dropped while it is filled",
               {.at_least = 10, .quick = quick, .deep = deep, .outcomes = "0 1"},
               dropped_while_it_is_filled};
const model m6{
    "Q preconditions: filled in the next life", {.at_least = 10, .quick = quick, .deep = deep}, filled_in_the_next_life};
const model m7{"Q preconditions: dropped, filled outside",
               {.at_least = 10, .quick = quick, .deep = deep, .outcomes = "0 1"},
               dropped_while_it_is_filled_outside};

}  // namespace
