// A frame of 131,160 bytes of which hardly any is written, as an MPI library has one, never writes
// to another thread's stack: it fits, or the overflow is told. Each scene runs in a child.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <alloca.h>
#include <weft/ext.h>
#include <weft/weft.h>

#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace {

constexpr std::size_t K = 1024;
constexpr unsigned neighbours = 10;
constexpr std::size_t wide_bytes = 131160;

struct scene {
  std::size_t own_bytes;    // of frames above the wide one
  std::size_t frame_bytes;  // of the wide one
  std::size_t kept_bytes;   // of each neighbour
  weft_event go = WEFT_EVENT_INIT;
  long lost = 0;
};

// The lowest 64 bytes of so large a frame.
[[gnu::noinline]] void enter_wide_frame(std::size_t bytes) {
  auto* const frame = static_cast<volatile char*>(alloca(bytes));
  for (int i = 0; i < 64; ++i) frame[i] = 1;
}

void call(void* argument) {
  const auto* const self = static_cast<scene*>(argument);
  auto* const own = static_cast<volatile char*>(alloca(self->own_bytes));
  for (std::size_t from_top = 1; from_top <= self->own_bytes; from_top += 512) own[self->own_bytes - from_top] = 1;
  for (int i = 0; i < 100; ++i) weft_yield();
  enter_wide_frame(self->frame_bytes);
  own[0] = 2;
}

void keep(void* argument) {
  auto* const self = static_cast<scene*>(argument);
  auto* const kept = static_cast<volatile char*>(alloca(self->kept_bytes));
  for (std::size_t i = 0; i < self->kept_bytes; ++i) kept[self->kept_bytes - 1 - i] = 0x5a;
  NEED(weft_event_wait(&self->go) == WEFT_OK);
  for (std::size_t i = 0; i < self->kept_bytes; ++i) self->lost += kept[i] != 0x5a;
}

void wait_only(void* go) { NEED(weft_event_wait(static_cast<weft_event*>(go)) == WEFT_OK); }

// In the midst of its neighbours, beside so many others that wait. Exits with 3 where bytes were
// lost.
int play(scene now, unsigned crowd, const char* guard, const weft_thread_attr* attr = nullptr) {
  setenv("WEFT_GUARD", guard, 1);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  NEED(weft_init(&config) == WEFT_OK);
  std::vector<weft_thread*> waiting(crowd);
  for (weft_thread*& each : waiting) NEED(weft_thread_create(wait_only, &now.go, attr, &each) == WEFT_OK);
  for (weft_thread* const each : waiting) {
    while (weft_thread_get_state(each) != WEFT_THREAD_BLOCKED) weft_yield();
  }
  std::array<weft_thread*, neighbours + 1> threads{};
  for (unsigned i = 0; i <= neighbours; ++i)
    NEED(weft_thread_create(i == neighbours / 2 ? call : keep, &now, attr, &threads[i]) == WEFT_OK);
  NEED(weft_thread_join(threads[neighbours / 2]) == WEFT_OK);
  threads[neighbours / 2] = threads[neighbours];
  NEED(weft_event_set(&now.go) == WEFT_OK);
  for (unsigned i = 0; i < neighbours; ++i) NEED(weft_thread_join(threads[i]) == WEFT_OK);
  for (weft_thread* const each : waiting) NEED(weft_thread_join(each) == WEFT_OK);
  NEED(weft_finalize() == WEFT_OK);
  return now.lost == 0 ? 0 : 3;
}

bool is_told(const child_end& end) {
  return (end.signal == SIGSEGV || end.signal == SIGBUS) && end.says("weft: fatal: stack overflow in ");
}

constexpr unsigned crowds[] = {0, 600};  // with the second, the scene's stacks are not the first ones
constexpr const char* guards[] = {"auto", "mprotect"};

}  // namespace

#if !defined(IS_EMULATED)  // without markers each guard is a mapping

namespace {

// The lowest addresses of so many stacks of that size (0: the default).
std::vector<std::uintptr_t> lows_of(unsigned count, std::size_t stack_bytes) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = stack_bytes;
  weft_event go = WEFT_EVENT_INIT;
  std::vector<weft_thread*> threads(count);
  std::vector<std::uintptr_t> lows;
  for (weft_thread*& each : threads) {
    NEED(weft_thread_create(wait_only, &go, &attr, &each) == WEFT_OK);
    while (weft_thread_get_state(each) != WEFT_THREAD_BLOCKED) weft_yield();
    void* low = nullptr;
    std::size_t bytes = 0;
    weft_ext_thread_stack(each, &low, &bytes);
    lows.push_back(reinterpret_cast<std::uintptr_t>(low));
  }
  NEED(weft_event_set(&go) == WEFT_OK);
  for (weft_thread* const each : threads) NEED(weft_thread_join(each) == WEFT_OK);
  std::sort(lows.begin(), lows.end());
  return lows;
}

}  // namespace

TEST_CASE("WEFT_GUARD_SIZE lies between all neighbours, whatever the size of their stacks") {
  for (const std::size_t stack_bytes : {std::size_t{0}, 64 * K, 512 * K}) {
    const child_end end = run_in_child([stack_bytes] {
      constexpr unsigned many = 300;  // more than have wide guards unless a size is asked for
      setenv("WEFT_GUARD_SIZE", "4M", 1);
      weft_config config = WEFT_CONFIG_INIT;
      config.workers = 1;
      NEED(weft_init(&config) == WEFT_OK);
      const std::vector<std::uintptr_t> lows = lows_of(many, stack_bytes);
      for (unsigned each = 1; each < many; ++each) NEED(lows[each] - lows[each - 1] >= 4 * K * K + stack_bytes);
      return weft_finalize() == WEFT_OK ? 0 : 1;
    });
    INFO(stack_bytes, "\n", end.errors);
    CHECK(end.exit_code == 0);
  }
}

#endif

TEST_CASE("a default stack has room for the frame") {
  for (const char* const guard : guards) {
    for (const unsigned crowd : crowds) {
      for (const std::size_t own : {std::size_t{0}, 4 * K, 8 * K, 48 * K}) {
        const child_end end = run_in_child([&] { return play({own, wide_bytes, 40'000}, crowd, guard); });
        INFO(own, " bytes of own frames, ", crowd, " others, guard ", std::string(guard), "\n", end.errors);
        CHECK(end.exit_code == 0);
        CHECK(end.signal == 0);
      }
    }
  }
}

TEST_CASE("near the end of a default stack it loses no byte of another") {
  for (const unsigned crowd : crowds) {
    for (std::size_t own = 52 * K; own < 190 * K; own += 6 * K) {
      const child_end end = run_in_child([&] { return play({own, wide_bytes, 40'000}, crowd, "auto"); });
      INFO(own, " bytes of own frames, ", crowd, " others\n", end.errors);
      CHECK((is_told(end) || (end.exit_code == 0 && end.signal == 0)));
    }
  }
}

TEST_CASE("in a small stack it is told, by default guards of both kinds") {
  for (const char* const guard : guards) {
    for (const unsigned crowd : crowds) {
      for (const std::size_t bytes : {16 * K, 32 * K, 64 * K, 100 * K, 120 * K}) {
        const child_end end = run_in_child([&] {
          weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
          attr.stack_bytes = bytes;
          return play({bytes / 2 + 4 * K, wide_bytes, 8000}, crowd, guard, &attr);
        });
        INFO("a stack of ", bytes, " bytes, ", crowd, " others, guard ", std::string(guard), "\n", end.errors);
        CHECK(is_told(end));
        CHECK(end.says("a frame jumped there"));
      }
    }
  }
}

TEST_CASE("a stack of no size class has such a guard, too") {
  const child_end end = run_in_child([] {
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = 20 * K;
    scene now{4 * K, wide_bytes, 8000};
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 1;
    NEED(weft_init(&config) == WEFT_OK);
    for (int size = 0; size < 16; ++size) {  // the last ones have none
      attr.stack_bytes += 4 * K;
      weft_thread* made = nullptr;
      NEED(weft_thread_create(wait_only, &now.go, &attr, &made) == WEFT_OK && weft_thread_detach(made) == WEFT_OK);
    }
    weft_thread* made = nullptr;
    NEED(weft_thread_create(call, &now, &attr, &made) == WEFT_OK && weft_thread_join(made) == WEFT_OK);
    return 0;
  });
  INFO(end.errors);
  CHECK(is_told(end));
}

TEST_CASE("the first stacks, and all with WEFT_GUARD_SIZE=1M, take a frame of half a megabyte") {
  for (const unsigned crowd : crowds) {
    const child_end end = run_in_child([&] {
      if (crowd != 0) setenv("WEFT_GUARD_SIZE", "1M", 1);
      return play({8 * K, 560 * K, 40'000}, crowd, "auto");
    });
    INFO(crowd, " others\n", end.errors);
    CHECK((is_told(end) || (end.exit_code == 0 && end.signal == 0)));
  }
}

// ---- WEFT_STACK_REPORT ----

namespace {

constexpr std::size_t half_megabyte = 560 * K;

// How often the report says that threads of a function went deeper than their stack.
int deeper_rows(const child_end& end) {
  constexpr char words[] = "; deeper than its stack\n";
  int found = 0;
  for (std::size_t at = end.errors.find(words); at != std::string::npos; at = end.errors.find(words, at + 1)) ++found;
  return found;
}

#ifdef IS_EMULATED  // an emulator has no guard markers: all of each guard faults
constexpr bool is_emulated = true;
#else
constexpr bool is_emulated = false;
#endif

void measure_stacks() { setenv("WEFT_STACK_REPORT", "1", 1); }

}  // namespace

TEST_CASE("while stacks are measured all have wide guards, and what lies beneath is measured, too" * doctest::skip(is_emulated)) {
  for (const char* const guard : {"auto", "canary"}) {
    for (const unsigned crowd : crowds) {
      const child_end end = run_in_child([&] {
        measure_stacks();
        return play({8 * K, half_megabyte, 40'000}, crowd, guard);
      });
      INFO(crowd, " others, guard ", std::string(guard), "\n", end.errors);
      CHECK(end.signal == 0);
      CHECK(end.exit_code == 0);
      CHECK(deeper_rows(end) == 1);
      CHECK(end.says("  call: 58"));  // 8 KiB and the frame, in bytes
      CHECK(end.says(" bytes, 1 thread; deeper than its stack\n"));
    }
  }
}

TEST_CASE("where all of the guard faults it is told with what the thread needs") {
  for (const unsigned crowd : crowds) {
    const child_end end = run_in_child([&] {
      measure_stacks();
      return play({8 * K, half_megabyte, 40'000}, crowd, "mprotect");
    });
    INFO(crowd, " others\n", end.errors);
    CHECK(is_told(end));
    CHECK(end.says("the thread needs at least 576 KiB"));
  }
}

TEST_CASE("a stack of a size class and one of none have such guards" * doctest::skip(is_emulated)) {
  const child_end end = run_in_child([] {
    measure_stacks();
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = 48 * K;
    return play({8 * K, half_megabyte, 8000}, 600, "auto", &attr);
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(deeper_rows(end) == 1);
}

TEST_CASE("of a function's threads one that went deeper than its stack counts most, whichever came first" *
          doctest::skip(is_emulated)) {
  for (const bool is_beneath_first : {true, false}) {
    const child_end end = run_in_child([is_beneath_first] {
      measure_stacks();
      weft_config config = WEFT_CONFIG_INIT;
      config.workers = 1;
      NEED(weft_init(&config) == WEFT_OK);
      for (const bool is_beneath : {is_beneath_first, !is_beneath_first}) {
        weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
        attr.stack_bytes = is_beneath ? 48 * K : 2048 * K;
        scene now{8 * K, is_beneath ? half_megabyte : 2 * half_megabyte, 0};
        weft_thread* made = nullptr;
        NEED(weft_thread_create(call, &now, &attr, &made) == WEFT_OK && weft_thread_join(made) == WEFT_OK);
      }
      return weft_finalize() == WEFT_OK ? 0 : 1;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.says("  call: 58"));
    CHECK(end.says(" bytes, 2 threads; deeper than its stack\n"));
  }
}

TEST_CASE("what an earlier thread left beneath a stack does not count" * doctest::skip(is_emulated)) {
  const child_end end = run_in_child([] {
    measure_stacks();
    scene now{8 * K, half_megabyte, 40'000};
    NEED(weft_event_set(&now.go) == WEFT_OK);
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 1;
    NEED(weft_init(&config) == WEFT_OK);
    weft_thread* made = nullptr;
    NEED(weft_thread_create(call, &now, nullptr, &made) == WEFT_OK && weft_thread_join(made) == WEFT_OK);
    NEED(weft_thread_create(keep, &now, nullptr, &made) == WEFT_OK && weft_thread_join(made) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(deeper_rows(end) == 1);
  CHECK(end.says("  keep: 4"));
}
