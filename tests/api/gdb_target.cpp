// What gdb_backtrace.py looks into: C++ threads without names; threads that have switched and then
// stop, one on a stack that it shared with others before, one on a stack of its own; and exceptions
// that go all the way up such a stack.
#include <weft/weft.hpp>

#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include <unistd.h>

extern "C" {
[[gnu::noinline]] void gdb_stops_here(void* argument) { __asm__ volatile("" : : "r"(argument) : "memory"); }

[[gnu::noinline]] void middle_of_thread(void* argument) {
  gdb_stops_here(argument);
  __asm__ volatile("");  // no tail call
}

[[gnu::noinline]] void entry_of_thread(void* argument) {
  weft_yield();
  if (weft_sleep_ns(1000000) != WEFT_OK) return;
  middle_of_thread(argument);
  __asm__ volatile("");
}

[[gnu::noinline]] void entry_that_throws(void*) {
  weft_yield();
  if (weft_sleep_ns(1000000) != WEFT_OK) return;
  throw 42;
}
}

namespace {

bool run(weft_function function, std::size_t stack_bytes) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = stack_bytes;
  weft_thread* one = nullptr;
  weft_thread* other = nullptr;
  return weft_thread_create(function, nullptr, stack_bytes != 0 ? &attr : nullptr, &one) == WEFT_OK &&
         weft_thread_create([](void*) { weft_yield(); }, nullptr, nullptr, &other) == WEFT_OK &&
         weft_thread_join(one) == WEFT_OK && weft_thread_join(other) == WEFT_OK;
}

struct cook {
  void operator()(weft_event* event) const { static_cast<void>(weft_event_wait(event)); }
};

// Threads that have no name, made in each way that tells another one to debuggers.
[[gnu::noinline]] void make_nameless_threads(weft_event* event, std::vector<weft::thread>* all) {
  all->push_back(weft::thread([event] { static_cast<void>(weft_event_wait(event)); }));  // gdb_backtrace.py looks for this line
  all->emplace_back([event] { static_cast<void>(weft_event_wait(event)); });
  all->emplace_back(cook{}, event);
}

int show_nameless_threads() {
  weft_event event = WEFT_EVENT_INIT;
  std::vector<weft::thread> all;
  make_nameless_threads(&event, &all);
  weft_yield();
  gdb_stops_here(nullptr);
  static_cast<void>(weft_event_set(&event));
  for (weft::thread& each : all) each.join();
  return weft_finalize() == WEFT_OK ? 0 : 4;
}

}  // namespace

// "names": threads without names wait while the program stops. "throw" or "throw-own": a thread
// throws what nothing catches, and the program ends with 42 if the unwinder came to the stack's
// end.
int main(int count, char** arguments) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  if (weft_init(&config) != WEFT_OK) return 1;
  if (count > 1 && std::strcmp(arguments[1], "names") == 0) return show_nameless_threads();
  if (count > 1) {
    std::set_terminate([] { _exit(42); });
    static_cast<void>(run(entry_that_throws, std::strcmp(arguments[1], "throw-own") == 0 ? 100000 : 0));
    return 2;
  }
  if (!run(entry_of_thread, 0) || !run(entry_of_thread, 100000)) return 3;
  return weft_finalize() == WEFT_OK ? 0 : 4;
}
