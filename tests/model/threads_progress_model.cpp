// Wait-syncs of the threads interface (faces/threads, src/progress.c): a waiter misses no update and
// sees what the updaters wrote, its wait-sync may go when the wait has returned, and one that parks
// is promoted when the one that made progress has what it waited for.
#include "threads_world.hpp"

extern "C" {
void report_error(const char*, ...) { explorer::fail("assertion", "a call that cannot go on"); }
const char* threads_last_error() { return ""; }
#include <progress.c>
}

namespace {

using namespace explorer::words;

void make_words(threads_parking* parking) {
  new (&parking->outside) word(0);
  new (&parking->start) word(1);
  for (int part : {0, 8}) new (&parking->opaque[part]) word(0);
}

struct waited {
  threads_wait_sync sync;

  waited(threads_progress* progress, std::int32_t count) {
    check(threads_wait_sync_init(&sync, progress, count) == THREADS_OK, "made");
    new (&sync.count) word(static_cast<std::uint32_t>(count));
    new (&sync.woken) word(0);
    make_words(&sync.parking);
  }
  int wait() {
    int outcome = -1;
    check(threads_wait_sync_wait(&sync, &outcome) == THREADS_OK, "waited");
    return outcome;
  }
  void update(int outcome = 0) { check(threads_wait_sync_update(&sync, 1, outcome) == THREADS_OK, "updated"); }
};

struct scene {
  threads_progress progress;

  explicit scene(std::initializer_list<bool> callers, int (*make)(void*) = nullptr, void* argument = nullptr)
      : progress THREADS_PROGRESS_INIT(make, argument, 1) {
    int at = 1;
    is_started = true;
    start_of_words = 1;
    for (bool is_outside : callers) are_outside[at++] = is_outside;
    new (&progress.lock.state) word(0);
    make_words(&progress.lock.parking);
    new (&renewing) word(0);
  }
};

// The waiter's memory is its own again when the wait has returned.
void one_update(bool waiter_is_outside) {
  scene here({waiter_is_outside, false});
  waited one(&here.progress, 1);
  int message = 0;
  threads(thread{"waiter",
                 [&] {
                   check(one.wait() == 0 && message == 1, "what was done before the update");
                   one.sync.next = one.sync.previous = nullptr;
                   one.sync.outcome = 7;
                 }},
          thread{"updater", [&] {
                   message = 1;
                   one.update();
                 }});
}

void two_updates() {
  scene here({false, false, true});
  waited one(&here.progress, 2);
  int first = 0, second = 0;
  threads(thread{"waiter", [&] { check(one.wait() == 0 && first + second == 2, "both updates"); }},
          thread{"updates",
                 [&] {
                   first = 1;
                   one.update();
                 }},
          thread{"updates too", [&] {
                   second = 1;
                   one.update();
                 }});
}

void an_error_ends_it() {
  scene here({false, false});
  waited one(&here.progress, 2);
  threads(thread{"waiter", [&] { check(one.wait() == 5, "the error"); }}, thread{"updater", [&] { one.update(5); }});
}

// A network with a message for each: the caller that makes progress delivers the first, then the second.
struct network {
  waited* first;
  waited* second;
  int delivered;
};

int deliver(void* of) {
  auto* const net = static_cast<network*>(of);
  (net->delivered++ == 0 ? net->first : net->second)->update();
  return 1;
}

// One makes progress at a time, and the other one is promoted or finds its message there.
void one_makes_progress(bool other_is_outside) {
  network net{nullptr, nullptr, 0};
  scene here({false, other_is_outside}, deliver, &net);
  waited one(&here.progress, 1), other(&here.progress, 1);
  net.first = &one;
  net.second = &other;
  threads(thread{"one", [&] { check(one.wait() == 0, "the first message"); }},
          thread{"other", [&] { check(other.wait() == 0, "the second message"); }});
  check(net.delivered == 2 && here.progress.making == 0 && here.progress.first == nullptr, "nothing is left");
}

// A poller sees what was done before the update, and may use the memory after the release.
void polled() {
  scene here({false, true});
  waited one(&here.progress, 1);
  int message = 0;
  threads(thread{"poller",
                 [&] {
                   while (!threads_wait_sync_is_done(&one.sync)) explorer::pause(explorer::site::current());
                   check(message == 1, "what was done before the update");
                 }},
          thread{"updater", [&] {
                   message = 1;
                   one.update();
                 }});
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 15'000};
constexpr bounds deep{.preemptions = 4, .weak = 2, .executions = 10'000'000};
constexpr explorer::expectations usual{.at_least = 20, .quick = quick, .deep = deep};

const model m1{"threads progress: one update", usual, [] { one_update(false); }};
const model m2{"threads progress: one update, waiter outside", usual, [] { one_update(true); }};
const model m3{"threads progress: two updates", usual, two_updates};
const model m4{"threads progress: an error ends it", usual, an_error_ends_it};
const model m5{"threads progress: one makes progress", usual, [] { one_makes_progress(false); }};
const model m6{"threads progress: one makes progress, one outside", usual, [] { one_makes_progress(true); }};

const model m7{"threads progress: polled", {.at_least = 2, .quick = quick, .deep = deep}, polled};

}  // namespace
