// weft_ext_frames: the frames of one thread, for a builder's own dumps.
#include <doctest/doctest.h>

#include <sched.h>

#include <atomic>
#include <string>
#include <vector>

#include <weft/ext.h>

#include "../support/child.hpp"
#include "../support/frames.hpp"

using weft::test::has_process_vm_readv;

namespace {

volatile int hundred = 100;  // not known to the compiler

struct frame {
  const void* code;
  std::string name;
};
using frames = std::vector<frame>;

void keep(void* all, const void* code, const char* name) { static_cast<frames*>(all)->push_back({code, name}); }

weft_status read(const weft_thread* thread, frames* out) {
  out->clear();
  return weft_ext_frames(thread, keep, out);
}

void start() {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  REQUIRE(weft_init(&config) == WEFT_OK);
}

weft_thread* make(weft_function function, void* argument) {
  weft_thread* made = nullptr;
  REQUIRE(weft_thread_create(function, argument, nullptr, &made) == WEFT_OK);
  return made;
}

void await_state(const weft_thread* one, weft_thread_state state) {
  while (weft_thread_get_state(one) != state) {
    weft_yield();
    sched_yield();
  }
}

// A thread has its state a moment before it has left its worker.
weft_status read_at_rest(const weft_thread* thread, frames* out) {
  weft_status result;
  while ((result = read(thread, out)) == WEFT_BUSY) {
    weft_yield();
    sched_yield();
  }
  return result;
}

bool stands_in(const frames& all, const char* function) {
  for (const frame& one : all) {
    if (one.code != nullptr && one.name.find(function) != std::string::npos) return true;
  }
  return false;
}

[[gnu::noinline, gnu::used]] void waits_for_it(weft_event* event) {
  CHECK(weft_event_wait(event) == WEFT_OK);
  asm volatile("" ::: "memory");  // no jump instead of the call
}

void waits_below(void* event) {
  waits_for_it(static_cast<weft_event*>(event));
  asm volatile("" ::: "memory");
}

[[gnu::noinline, gnu::used]] void descends(weft_event* event, int depth) {
  if (depth == 0) {
    waits_for_it(event);
  } else {
    descends(event, depth - 1);
  }
  asm volatile("" ::: "memory");
}

}  // namespace

TEST_CASE("the frames of a thread that waits, and of one with more than are shown") {
  if (!has_process_vm_readv()) return;
  start();
  weft_event event = WEFT_EVENT_INIT;
  weft_thread* const one = make(waits_below, &event);
  weft_thread* const deep = make([](void* it) { descends(static_cast<weft_event*>(it), hundred); }, &event);
  frames found;
  await_state(one, WEFT_THREAD_BLOCKED);
  CHECK(read_at_rest(one, &found) == WEFT_OK);
  CHECK(stands_in(found, "waits_for_it"));
  CHECK(stands_in(found, "waits_below"));
  CHECK((!found.empty() && found.back().code != nullptr));
  await_state(deep, WEFT_THREAD_BLOCKED);
  CHECK(read_at_rest(deep, &found) == WEFT_OK);
  REQUIRE(found.size() == 33);
  CHECK((found[31].code != nullptr && found[32].code == nullptr));
  CHECK(found[32].name == "... and more");
  CHECK(weft_event_set(&event) == WEFT_OK);
  CHECK(weft_thread_join(one) == WEFT_OK);
  CHECK(weft_thread_join(deep) == WEFT_OK);
  CHECK(weft_finalize() == WEFT_OK);
}

TEST_CASE("a thread that has not started has none, nor one that has ended; one that runs has none to be read") {
  if (!has_process_vm_readv()) return;
  start();
  frames found;
  std::atomic<int> turn{0};
  const auto runs = [](void* it) {
    auto* const at = static_cast<std::atomic<int>*>(it);
    at->store(1);
    while (at->load() == 1) sched_yield();
  };
  weft_thread* const running = make(runs, &turn);
  while (turn.load() == 0) sched_yield();  // on the other worker
  CHECK(read(running, &found) == WEFT_BUSY);
  CHECK(read(weft_self(), &found) == WEFT_BUSY);
  weft_thread* const new_one = make([](void*) {}, nullptr);
  CHECK(read(new_one, &found) == WEFT_OK);
  CHECK(found.empty());
  turn.store(2);
  await_state(running, WEFT_THREAD_ENDED);
  CHECK(read(running, &found) == WEFT_OK);
  CHECK(found.empty());
  CHECK(weft_thread_join(running) == WEFT_OK);
  CHECK(weft_thread_join(new_one) == WEFT_OK);
  CHECK(weft_finalize() == WEFT_OK);
}

TEST_CASE("frames that cannot be asked for") {
  frames found;
  CHECK(weft_ext_frames(nullptr, keep, &found) == WEFT_INVALID);
  start();
  CHECK(weft_ext_frames(weft_self(), nullptr, &found) == WEFT_INVALID);
  weft_thread* const one = make([](void*) {}, nullptr);
  if (!has_process_vm_readv()) CHECK(read(one, &found) == WEFT_UNSUPPORTED);
  CHECK(weft_thread_join(one) == WEFT_OK);
  CHECK(weft_finalize() == WEFT_OK);
  CHECK(weft_ext_frames(one, keep, &found) == WEFT_NOT_INITIALIZED);
}
