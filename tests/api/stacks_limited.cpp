// Where address space is short (RLIMIT_AS, as by ulimit -v), threads whose stacks have the default
// size get smaller ones, and one line says so. Each scene runs in a child.
#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <weft/ext.h>
#include <weft/weft.h>

#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace {

constexpr std::size_t K = 1024;
constexpr const char* line = "warning: address space is short";

void use_some(void* go) {
  char used[20 * K];
  std::memset(used, 1, sizeof used);
  NEED(weft_event_wait(static_cast<weft_event*>(go)) == WEFT_OK);
  NEED(used[10 * K] == 1);
}

int block(unsigned count, rlim_t limit_bytes, std::size_t stack_bytes = 0) {
  const rlimit limit = {limit_bytes, limit_bytes};
  NEED(setrlimit(RLIMIT_AS, &limit) == 0);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  config.stack_bytes = stack_bytes;
  NEED(weft_init(&config) == WEFT_OK);
  weft_event go = WEFT_EVENT_INIT;
  std::vector<weft_thread*> threads(count);
  for (weft_thread*& each : threads) NEED(weft_thread_create(use_some, &go, nullptr, &each) == WEFT_OK);
  for (weft_thread* const each : threads) {
    while (weft_thread_get_state(each) != WEFT_THREAD_BLOCKED) weft_yield();
  }
  NEED(weft_event_set(&go) == WEFT_OK);
  for (weft_thread* const each : threads) NEED(weft_thread_join(each) == WEFT_OK);
  NEED(weft_finalize() == WEFT_OK);
  return 0;
}

}  // namespace

TEST_CASE("more threads than default stacks fit: all block at once, and one line tells it") {
  const child_end end = run_in_child([] { return block(1500, rlim_t{512} << 20); });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says(line));
  CHECK(end.says("get stacks of 64 KiB, not of 192 KiB"));
  CHECK(end.lines() == 1);
}

TEST_CASE("a thread that asks for a size has it, also for the default one") {
  const child_end end = run_in_child([] {
    const rlimit limit = {rlim_t{512} << 20, rlim_t{512} << 20};
    NEED(setrlimit(RLIMIT_AS, &limit) == 0);
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 1;
    NEED(weft_init(&config) == WEFT_OK);
    static std::size_t least = SIZE_MAX;
    static weft_event go = WEFT_EVENT_INIT;
    const auto measure = [](void*) {
      void* low = nullptr;
      std::size_t bytes = 0;
      weft_ext_thread_stack(weft_self(), &low, &bytes);
      least = std::min(least, bytes);
      NEED(weft_event_wait(&go) == WEFT_OK);
    };
    std::vector<weft_thread*> small(1000);
    for (weft_thread*& each : small) NEED(weft_thread_create(use_some, &go, nullptr, &each) == WEFT_OK);
    for (weft_thread* const each : small) {
      while (weft_thread_get_state(each) != WEFT_THREAD_BLOCKED) weft_yield();
    }
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = 192 * K;
    std::vector<weft_thread*> asked(100);
    for (weft_thread*& each : asked) NEED(weft_thread_create(measure, nullptr, &attr, &each) == WEFT_OK);
    for (weft_thread* const each : asked) {
      while (weft_thread_get_state(each) != WEFT_THREAD_BLOCKED) weft_yield();
    }
    NEED(weft_event_set(&go) == WEFT_OK);
    for (weft_thread* const each : small) NEED(weft_thread_join(each) == WEFT_OK);
    for (weft_thread* const each : asked) NEED(weft_thread_join(each) == WEFT_OK);
    NEED(weft_finalize() == WEFT_OK);
    return least >= 190 * K ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("where not one stack fits, a line names the variables and the limit") {
  for (const char* variable : {"WEFT_STACK_SIZE", "WEFT_GUARD_SIZE"}) {
    const child_end end = run_in_child([variable] {
      setenv(variable, "1G", 1);
      const rlimit limit = {rlim_t{512} << 20, rlim_t{512} << 20};
      NEED(setrlimit(RLIMIT_AS, &limit) == 0);
      return weft_init(nullptr) == WEFT_NOMEM ? 0 : 1;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.says("no address space for the first stack of a worker"));
    CHECK(end.says(variable));
    CHECK(end.says("RLIMIT_AS, ulimit -v"));
    CHECK(end.lines() == 1);
  }
}

TEST_CASE("a few threads under a narrow limit have default stacks, and no line") {
  const child_end end = run_in_child([] { return block(50, rlim_t{256} << 20); });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.lines() == 0);
}

TEST_CASE("a size that the program or the user chose stays") {
  for (const bool is_programs : {true, false}) {
    const child_end end = run_in_child([is_programs] {
      if (!is_programs) setenv("WEFT_STACK_SIZE", "192K", 1);
      return block(900, rlim_t{512} << 20, is_programs ? 192 * K : 0);
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK_FALSE(end.says(line));
  }
}
