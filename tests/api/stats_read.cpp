// weft_stats_read, and the table of WEFT_STATS.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include <weft/hot.h>
#include <weft/weft.h>

#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace {

void start(unsigned workers, weft_locality locality = WEFT_LOCALITY_STEAL) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.locality = locality;
  NEED(weft_init(&config) == WEFT_OK);
}

weft_stats read(int worker) {
  weft_stats found = WEFT_STATS_INIT;
  REQUIRE(weft_stats_read(worker, &found) == WEFT_OK);
  return found;
}

void nothing(void*) {}

void make_and_join(int count) {
  for (int index = 0; index < count; ++index) {
    weft_thread* made = nullptr;
    NEED(weft_thread_create(nothing, nullptr, nullptr, &made) == WEFT_OK);
    NEED(weft_thread_join(made) == WEFT_OK);
  }
}

std::atomic<bool> has_run_elsewhere{false};

int waiting = 0;

void waits(void* event) {
  ++waiting;
  NEED(weft_event_wait(static_cast<weft_event*>(event)) == WEFT_OK);
}

void runs_elsewhere(void*) { has_run_elsewhere = true; }

}  // namespace

// First, since the child of a process that has had no other OS threads may do all.
TEST_CASE("WEFT_STATS prints a table when the runtime ends") {
  const child_end end = run_in_child([] {
    setenv("WEFT_STATS", "1", 1);
    start(1);
    make_and_join(37);
    NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("weft:   worker      created      ended"));
  CHECK(end.says("\nweft:   0                37         37"));
  CHECK(end.says("\nweft:   all              37         37"));
  CHECK(end.says("\nweft:   migrations 0, stacks made "));
}

TEST_CASE("one worker: what was made has ended, and nothing was stolen") {
  start(1);
  make_and_join(37);
  const weft_stats all = read(WEFT_ANY_WORKER), only = read(0);
  CHECK(all.created == 37);
  CHECK(all.ended == 37);
  CHECK(only.created == 37);
  CHECK(only.ended == 37);
  CHECK(all.thefts == 0);
  CHECK(all.stolen == 0);
  CHECK(all.forks_taken == 0);
  CHECK(all.stacks_made > 0);
  CHECK(only.stacks_made == 0);
  CHECK(weft_finalize() == WEFT_OK);
}

TEST_CASE("what one worker takes from another is counted, by the thief") {
  start(2);
  // The caller keeps its worker until the fork has run: another worker took it.
  weft_forked* forked = weft_fork(runs_elsewhere, "", 1);
  while (!has_run_elsewhere) {
  }
  char back = 0;
  weft_fork_join(forked, runs_elsewhere, &back, 1);
  const weft_stats thief = read(1), forker = read(0);
  CHECK(thief.forks_taken == 1);
  CHECK(thief.thefts == 1);
  CHECK(thief.stolen == 1);
  CHECK(thief.searches >= 1);
  CHECK(thief.idle >= 1);
  CHECK(forker.forks_taken == 0);
  CHECK(read(WEFT_ANY_WORKER).forks_taken == 1);
  CHECK(weft_finalize() == WEFT_OK);
}

namespace {

void tells_where_it_runs(void* work) { *static_cast<int*>(work) = weft_worker_self(); }

}  // namespace

TEST_CASE("under a schedule, too, forks that others take are counted") {
  setenv("WEFT_SCHEDULE", "seed:1", 1);
  start(2);
  unsetenv("WEFT_SCHEDULE");
  std::uint64_t ran_elsewhere = 0;
  weft_mutex free = WEFT_MUTEX_INIT;
  for (int round = 0; round < 100; ++round) {
    int where = 0;
    weft_forked* forked = weft_fork(tells_where_it_runs, &where, sizeof where);
    NEED(weft_mutex_lock(&free) == WEFT_OK);  // others get their turn, and the forker stays
    NEED(weft_mutex_unlock(&free) == WEFT_OK);
    weft_fork_join(forked, tells_where_it_runs, &where, sizeof where);
    ran_elsewhere += where != weft_worker_self();
  }
  CHECK(ran_elsewhere != 0);
  CHECK(read(WEFT_ANY_WORKER).forks_taken == ran_elsewhere);
  CHECK(weft_finalize() == WEFT_OK);
}

TEST_CASE("a worker sleeps and is woken") {
  setenv("WEFT_WAIT_POLICY", "passive", 1);
  start(2, WEFT_LOCALITY_STRICT);
  unsetenv("WEFT_WAIT_POLICY");
  while (read(1).sleeps == 0) NEED(weft_sleep_ns(1'000'000) == WEFT_OK);
  weft_thread_attr there = WEFT_THREAD_ATTR_INIT;
  there.worker = 1;
  weft_thread* made = nullptr;
  while (read(1).woken == 0) {  // the first ones may come when it is awake
    NEED(weft_thread_create(nothing, nullptr, &there, &made) == WEFT_OK);
    NEED(weft_thread_join(made) == WEFT_OK);
    NEED(weft_sleep_ns(1'000'000) == WEFT_OK);
  }
  CHECK(weft_finalize() == WEFT_OK);
}

TEST_CASE("migrations that were carried out are counted") {
  start(2);
  weft_thread_attr named = WEFT_THREAD_ATTR_INIT;
  named.worker = 0;  // so that it has not started yet
  weft_thread* made = nullptr;
  NEED(weft_thread_create(nothing, nullptr, &named, &made) == WEFT_OK);
  CHECK(read(WEFT_ANY_WORKER).migrations == 0);
  NEED(weft_thread_migrate_to_worker(made, 1) == WEFT_OK);
  NEED(weft_thread_join(made) == WEFT_OK);
  CHECK(read(WEFT_ANY_WORKER).migrations == 1);
  CHECK(weft_finalize() == WEFT_OK);
}

TEST_CASE("stacks whose memory went back to the system are counted") {
  setenv("WEFT_STACK_CACHE", "0", 1);
  start(1);
  unsetenv("WEFT_STACK_CACHE");
  CHECK(read(WEFT_ANY_WORKER).stacks_returned == 0);
  constexpr int count = 1000;  // more than the worker keeps ready
  weft_event let_go = WEFT_EVENT_INIT;
  std::vector<weft_thread*> made(count);
  for (weft_thread*& each : made) NEED(weft_thread_create(waits, &let_go, nullptr, &each) == WEFT_OK);
  while (waiting != count) weft_yield();
  NEED(weft_event_set(&let_go) == WEFT_OK);
  NEED(weft_thread_join_many(made.data(), count) == WEFT_OK);
  const weft_stats all = read(WEFT_ANY_WORKER);
  CHECK(all.stacks_made >= count);
  CHECK(all.stacks_returned <= all.stacks_made);
#if !defined(__SANITIZE_THREAD__)  // a stack with a fiber of TSan's is kept
  CHECK(all.stacks_returned > 0);
#endif
  CHECK(read(0).stacks_returned == 0);
  CHECK(weft_finalize() == WEFT_OK);
}

TEST_CASE("bad arguments leave the record untouched") {
  weft_stats found = WEFT_STATS_INIT;
  CHECK(weft_stats_read(0, &found) == WEFT_NOT_INITIALIZED);
  start(1);
  found.created = 12345;
  CHECK(weft_stats_read(0, nullptr) == WEFT_INVALID);
  CHECK(weft_stats_read(1, &found) == WEFT_INVALID);
  CHECK(weft_stats_read(-2, &found) == WEFT_INVALID);
  found.size = 8;
  CHECK(weft_stats_read(0, &found) == WEFT_INVALID);
  CHECK(found.created == 12345);
  CHECK(weft_finalize() == WEFT_OK);
}
