// weft_dump, and the high-water marks of WEFT_STACK_REPORT.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include <weft/ext.h>

#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace {

void start(unsigned workers, bool caller_outside) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.caller_outside = caller_outside;
  NEED(weft_init(&config) == WEFT_OK);
}

// Dumps into a file, which takes any amount.
std::string dumped() {
  char path[] = "/tmp/weft-dump-XXXXXX";
  const int file = mkstemp(path);
  NEED(file >= 0);
  unlink(path);
  NEED(weft_dump(file) == WEFT_OK);
  std::string all(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  NEED(pread(file, all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()));
  close(file);
  return all;
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

bool says(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

void print(const std::string& text) { NEED(write(STDERR_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size())); }

}  // namespace

extern "C" {
void waits_here(void* event) { static_cast<void>(weft_event_wait(static_cast<weft_event*>(event))); }
void dumps_itself(void* out) { *static_cast<std::string*>(out) = dumped(); }
void uses_little(void*) {}
void begins_for_others(void* event) { waits_here(event); }
void uses_much(void*) {
  volatile char frame[20000];
  for (std::size_t i = 0; i < sizeof frame; i += 64) frame[i] = 1;
}
void uses_much_later(void* event) {
  static_cast<void>(weft_event_wait(static_cast<weft_event*>(event)));
  uses_much(nullptr);
}
}

TEST_CASE("a dump needs a runtime and a descriptor") {
  const child_end end = run_in_child([] {
    NEED(weft_dump(1) == WEFT_NOT_INITIALIZED);
    start(1, false);
    NEED(weft_dump(-1) == WEFT_INVALID);
    NEED(weft_dump(12345) == WEFT_INVALID);
    NEED(weft_finalize() == WEFT_OK);
    NEED(weft_dump(1) == WEFT_NOT_INITIALIZED);
    return 0;
  });
  CHECK(end.exit_code == 0);
}

TEST_CASE("a dump shows every thread") {
  for (const bool outside : {false, true}) {
    const child_end end = run_in_child([outside] {
      start(2, outside);
      weft_event event = WEFT_EVENT_INIT;
      weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
      attr.name = "patient";
      weft_thread* threads[100];
      for (auto& each : threads) {
        NEED(weft_thread_create(waits_here, &event, &attr, &each) == WEFT_OK);
        while (weft_thread_get_state(each) != WEFT_THREAD_BLOCKED) weft_yield();
      }
      std::string text;
      weft_thread* dumper = nullptr;
      NEED(weft_thread_create(dumps_itself, &text, nullptr, &dumper) == WEFT_OK);
      NEED(weft_thread_join(dumper) == WEFT_OK);
      print(text);
      print(dumped());
      NEED(weft_event_set(&event) == WEFT_OK);
      for (auto* each : threads) NEED(weft_thread_join(each) == WEFT_OK);
      return 0;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.says("(dumps_itself): running"));
    std::size_t shown = 0;
    const std::string line = "\"patient\" (waits_here): waits for event at 0x";
    for (std::size_t at = end.errors.find(line); at != std::string::npos; at = end.errors.find(line, at + 1)) ++shown;
    CHECK(shown == 200);
    CHECK(end.says_for_how_long(line.c_str()));
    CHECK(end.says("; made in "));
    CHECK(end.says(outside ? "OS thread " : "main: "));
    CHECK(end.says("2 workers"));
  }
}

TEST_CASE("a dump sees through the bottom of a builder's threads") {
  const child_end end = run_in_child([] {
    std::size_t offset = 0;
    NEED(weft_ext_reserve(sizeof(weft_function), &offset) == WEFT_OK);
    weft_ext_show_function(begins_for_others, offset);
    start(2, false);
    weft_event event = WEFT_EVENT_INIT;
    weft_thread* threads[3];
    for (auto& each : threads) NEED(weft_thread_create(begins_for_others, &event, nullptr, &each) == WEFT_OK);
    const weft_function shown = uses_much;
    std::memcpy(weft_ext_bytes(threads[0], offset), &shown, sizeof shown);
    std::memcpy(weft_ext_bytes(threads[1], offset), &shown, sizeof shown);
    print(dumped());
    NEED(weft_event_set(&event) == WEFT_OK);
    for (auto* each : threads) NEED(weft_thread_join(each) == WEFT_OK);
    NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(count(end.errors, "(uses_much)") == 2);
  CHECK(count(end.errors, "(begins_for_others)") == 1);
}

TEST_CASE("dumps while everything moves") {
  const child_end end = run_in_child([] {
    start(4, true);
    static std::atomic<bool> is_over{false};
    weft_thread* movers[4];
    for (auto& each : movers) {
      const auto move = [](void*) {
        while (!is_over.load()) {
          weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
          attr.name = "mayfly";
          attr.stack_bytes = 32768;
          weft_thread* made = nullptr;
          NEED(weft_thread_create([](void*) { weft_yield(); }, nullptr, &attr, &made) == WEFT_OK);
          NEED(weft_thread_join(made) == WEFT_OK);
          NEED(weft_sleep_ns(1000) == WEFT_OK);
        }
      };
      NEED(weft_thread_create(move, nullptr, nullptr, &each) == WEFT_OK);
    }
    for (int i = 0; i < 50; ++i) NEED(says(dumped(), "weft: "));
    is_over.store(true);
    for (auto* each : movers) NEED(weft_thread_join(each) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

// ---- high-water marks ----

namespace {

// The number before " of " in the line of a function.
long deepest(const child_end& end, const std::string& function) {
  const std::size_t at = end.errors.find("  " + function + ": ");
  return at == std::string::npos ? -1 : std::atol(end.errors.c_str() + at + function.size() + 4);
}

void run_all(int count, weft_function function, void* argument, std::size_t stack_bytes) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = stack_bytes;
  for (int i = 0; i < count; ++i) {
    weft_thread* made = nullptr;
    NEED(weft_thread_create(function, argument, &attr, &made) == WEFT_OK);
    NEED(weft_thread_join(made) == WEFT_OK);
  }
}

}  // namespace

TEST_CASE("high-water marks by entry function") {
  const child_end end = run_in_child([] {
    setenv("WEFT_STACK_REPORT", "1", 1);
    start(1, false);
    run_all(3, uses_much, nullptr, 0);
    run_all(5, uses_little, nullptr, 0);  // on the stack that the others made dirty
    run_all(1, uses_little, nullptr, 1 << 20);
    weft_event event = WEFT_EVENT_INIT;
    weft_thread* made = nullptr;
    NEED(weft_thread_create(uses_much_later, &event, nullptr, &made) == WEFT_OK);
    while (weft_thread_get_state(made) != WEFT_THREAD_BLOCKED) weft_yield();
    NEED(weft_event_set(&event) == WEFT_OK);
    NEED(weft_thread_join(made) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(deepest(end, "uses_much") >= 20000);
  CHECK(deepest(end, "uses_much_later") >= 20000);
  CHECK(deepest(end, "uses_little") > 0);
  CHECK(deepest(end, "uses_little") < 16000);
  CHECK(end.says(", 3 threads\n"));
  CHECK(end.says(", 6 threads\n"));
  CHECK(end.says(", 1 thread\n"));
}

TEST_CASE("no marks unless asked for") {
  const child_end end = run_in_child([] {
    start(1, false);
    run_all(3, uses_much, nullptr, 0);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}
