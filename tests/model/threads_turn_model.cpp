// Conditions whose waiters make progress, and turns (faces/threads, src/turn.c): one caller has the
// turn, a signal is not lost, also where the deadline of the waiter that it was for passes, and the
// wait-sync on a waiter's stack may go when its wait has returned.
#include "threads_world.hpp"

namespace {
void make_words(threads_parking* parking) {
  new (&parking->outside) word(0);
  new (&parking->start) word(1);
  for (int part : {0, 8}) new (&parking->opaque[part]) word(0);
}
}  // namespace

extern "C" {
void report_error(const char*, ...) { explorer::fail("assertion", "a call that cannot go on"); }
const char* threads_last_error() { return ""; }
#include <progress.c>

static threads_status make_sync(threads_wait_sync* sync, threads_progress* progress, int32_t count) {
  const threads_status status = threads_wait_sync_init(sync, progress, count);
  new (&sync->count) word(static_cast<std::uint32_t>(count));
  new (&sync->woken) word(0);
  make_words(&sync->parking);
  return status;
}
#define threads_wait_sync_init make_sync
#include <turn.c>
#undef threads_wait_sync_init
}

namespace {

using namespace explorer::words;

void make_lock(threads_lock* lock) {
  new (&lock->state) word(0);
  make_words(&lock->parking);
}

struct scene {
  threads_progress progress;
  threads_lock lock = THREADS_LOCK_INIT;
  threads_progress_cond changed = THREADS_PROGRESS_COND_INIT;

  explicit scene(std::initializer_list<bool> callers, int (*make)(void*) = nullptr, void* argument = nullptr)
      : progress THREADS_PROGRESS_INIT(make, argument, 1) {
    int at = 1;
    is_started = true;
    start_of_words = 1;
    for (bool is_outside : callers) are_outside[at++] = is_outside;
    make_lock(&progress.lock);
    make_lock(&lock);
    new (&renewing) word(0);
  }
  ~scene() { check(changed.first == nullptr && progress.first == nullptr && progress.making == 0, "nothing is left"); }

  void enter() { check(threads_lock_acquire(&lock) == THREADS_OK, "entered"); }
  void leave() { check(threads_lock_release(&lock) == THREADS_OK, "left"); }
  threads_status wait(std::uint64_t deadline_ns = UINT64_MAX) {
    return threads_progress_cond_wait_until(&changed, &lock, &progress, deadline_ns);
  }
  void signal() { check(threads_progress_cond_signal(&changed) == THREADS_OK, "signalled"); }
};

void one_signal(bool is_outside) {
  scene here({is_outside, false});
  bool is_there = false;
  threads(thread{"waiter",
                 [&] {
                   here.enter();
                   while (!is_there) check(here.wait() == THREADS_OK, "waited");
                   here.leave();
                 }},
          thread{"signaller", [&] {
                   here.enter();
                   is_there = true;
                   here.signal();
                   here.leave();
                 }});
}

// The one that waits without end is woken, whichever of the two the signal was for.
void a_deadline_against_a_signal(bool is_outside) {
  scene here({is_outside, false, false});
  int messages = 0;
  threads(thread{"until a deadline",
                 [&] {
                   here.enter();
                   threads_status status = THREADS_OK;
                   while (messages == 0 && status == THREADS_OK) status = here.wait(30'000);
                   if (status == THREADS_OK) here.signal();  // it leaves the message to the other one
                   here.leave();
                 }},
          thread{"without end",
                 [&] {
                   here.enter();
                   while (messages == 0) check(here.wait() == THREADS_OK, "waited");
                   --messages;
                   here.leave();
                 }},
          thread{"signaller", [&] {
                   here.enter();
                   ++messages;
                   here.signal();
                   here.leave();
                 }});
  check(messages == 0, "the message was taken");
}

// The waiter that makes progress finds the message, and its deadline may come first.
struct inbox {
  scene* here;
  int messages = 0, polls = 0;
};

int deliver(void* of) {
  auto* const in = static_cast<inbox*>(of);
  if (in->polls++ > 0) return 0;
  in->here->enter();
  ++in->messages;
  in->here->signal();
  in->here->leave();
  return 1;
}

void a_deadline_of_one_that_makes_progress() {
  inbox in{nullptr};
  scene here({false, true}, deliver, &in);
  in.here = &here;
  threads(thread{"until a deadline",
                 [&] {
                   here.enter();
                   threads_status status = THREADS_OK;
                   while (in.messages == 0 && status == THREADS_OK) status = here.wait(30'000);
                   if (status == THREADS_OK) here.signal();
                   here.leave();
                 }},
          thread{"without end", [&] {
                   here.enter();
                   while (in.messages == 0) check(here.wait() == THREADS_OK, "waited");
                   here.leave();
                 }});
}

void turns(bool is_outside) {
  scene here({false, is_outside});
  threads_turn turn = THREADS_TURN_INIT;
  make_lock(&turn.lock);
  int has_it = 0, taken = 0;
  const auto take = [&] {
    check(threads_turn_acquire(&turn, &here.progress) == THREADS_OK, "taken");
    check(has_it++ == 0, "one has it");
    ++taken;
    --has_it;
    check(threads_turn_release(&turn) == THREADS_OK, "given back");
  };
  threads(thread{"one", take}, thread{"other", take});
  check(taken == 2 && !turn.is_taken, "both had it");
}

// Another caller gives the turn back for the one that has it.
void given_back_by_another() {
  scene here({false, false});
  threads_turn turn = THREADS_TURN_INIT;
  make_lock(&turn.lock);
  int message = 0;
  check(threads_turn_acquire(&turn, &here.progress) == THREADS_OK, "taken");
  threads(thread{"waiter",
                 [&] {
                   check(threads_turn_acquire(&turn, &here.progress) == THREADS_OK, "taken again");
                   check(message == 1, "what was done before it was given back");
                 }},
          thread{"other", [&] {
                   message = 1;
                   check(threads_turn_release(&turn) == THREADS_OK, "given back");
                 }});
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 15'000};
constexpr bounds deep{.preemptions = 3, .weak = 2, .executions = 5'000'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 1, .executions = 30'000};
constexpr bounds timed_deep{.preemptions = 3, .weak = 2, .timeouts = 1, .executions = 5'000'000};
constexpr explorer::expectations usual{.at_least = 20, .quick = quick, .deep = deep};
constexpr explorer::expectations timed_usual{.at_least = 20, .quick = timed, .deep = timed_deep, .outcomes = "0 1"};

const model m1{"threads turn: one signal", usual, [] { one_signal(false); }};
const model m2{"threads turn: one signal, waiter outside", usual, [] { one_signal(true); }};
const model m3{"threads turn: a deadline against a signal", timed_usual, [] { a_deadline_against_a_signal(false); }};
const model m4{"threads turn: a deadline against a signal, outside", timed_usual, [] { a_deadline_against_a_signal(true); }};
const model m5{"threads turn: a deadline of one that makes progress", usual, a_deadline_of_one_that_makes_progress};
const model m6{"threads turn: turns", usual, [] { turns(false); }};
const model m7{"threads turn: turns, one outside", usual, [] { turns(true); }};
const model m8{"threads turn: given back by another", usual, given_back_by_another};

}  // namespace
