// What ends the program: switches to where nothing can go on, and overflows of contexts' stacks.
// Each scene runs in a child.
#include <doctest/doctest.h>

#include <unistd.h>

#include <csignal>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <weft/context.hpp>
#include <weft/generator.hpp>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

#include "../support/checked_build.hpp"
#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::is_checked_build;
using weft::test::run_in_child;
namespace context = weft::context;

namespace {

// Which finds the access to frames that are gone by itself.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_address_sanitized = true;
#else
constexpr bool is_address_sanitized = false;
#endif

template <class Body>
void check_aborts(const char* message, Body body) {
  const child_end end = run_in_child([body] {
    const weft::runtime runtime({.workers = 2});
    body();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says(message));
}

context::fiber end_at_once(context::fiber&& caller) { return std::move(caller); }

[[gnu::noinline]] int go_deeper(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : go_deeper(depth + 1) + frame[0];
}

weft_context* end_with_null(weft_context*, void*, void*) { return nullptr; }
weft_context* end_where_it_came_from(weft_context* from, void*, void*) { return from; }

}  // namespace

extern "C" [[gnu::noinline]] void wait_inside_of_a_generator(weft::latch* latch) {
  latch->wait();
  asm volatile("" : : : "memory");  // not a tail call
}

TEST_CASE("a dump shows where a thread waits inside of a generator") {
  const child_end end = run_in_child([] {
    const weft::runtime runtime({.workers = 2});
    weft::latch latch(1);
    weft::thread waits([&latch] {
      weft::generator<int> source([&latch](weft::yielder<int>& yield) {
        yield(1);
        wait_inside_of_a_generator(&latch);
      });
      static_cast<void>(source.next());
      weft::this_thread::yield();  // it has parked on its own stack before
      static_cast<void>(source.next());
    });
    while (weft_thread_get_state(waits.native_handle()) != WEFT_THREAD_BLOCKED) weft::this_thread::yield();
    NEED(weft_dump(STDERR_FILENO) == WEFT_OK);
    latch.count_down();
    waits.join();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  if (end.says("no backtraces")) return;  // an emulator
  CHECK(end.says("waits for event"));
  CHECK(end.says("wait_inside_of_a_generator"));
}

TEST_CASE("an empty fiber") {
  check_aborts("weft: fatal: weft_context_switch: null: the context runs, has ended, or its handle was used up", [] {
    context::fiber ended(end_at_once);
    ended = std::move(ended).resume();
    ended = std::move(ended).resume();
  });
}

TEST_CASE("a handle that was used up, in the library with checks" * doctest::skip(is_address_sanitized)) {
  if (!weft::test::is_checked_build()) return;
  check_aborts("weft_context_switch: the context runs, or its handle was used up", [] {
    weft_context* made = nullptr;
    NEED(weft_context_create([](weft_context* from, void* self,
                                void*) { return weft_context_switch(*static_cast<weft_context**>(self), from).from; },
                             nullptr, &made, nullptr) == WEFT_OK);
    weft_context_switch(made, &made);
  });
}

TEST_CASE("a context that ends nowhere") {
  check_aborts("weft_context_switch: a context's function returned null", [] {
    weft_context* made = nullptr;
    NEED(weft_context_create(end_with_null, nullptr, &made, nullptr) == WEFT_OK);
    weft_context_switch(made, nullptr);
  });
}

TEST_CASE("the frames of another thread") {
  check_aborts("weft_context_switch: these are the frames of another thread", [] {
    context::fiber other([](context::fiber&& caller) {
      weft::thread([&caller] { caller = std::move(caller).resume(); }).join();
      return std::move(caller);
    });
    other = std::move(other).resume();
  });
  check_aborts("weft_context_destroy: these are the frames of a thread", [] {
    weft_context* made = nullptr;
    NEED(weft_context_create(
             [](weft_context* from, void*, void*) {
               weft_context_destroy(from);
               return from;
             },
             nullptr, &made, nullptr) == WEFT_OK);
    weft_context_switch(made, nullptr);
  });
}

TEST_CASE("no thread") {
  const child_end end = run_in_child([] {
    const weft::runtime runtime({.workers = 1});
    weft_context* made = nullptr;
    NEED(weft_context_create(end_where_it_came_from, nullptr, &made, nullptr) == WEFT_OK);
    std::thread([made] { weft_context_destroy(made); }).join();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft_context_destroy: the caller is no thread"));
}

TEST_CASE("a context that outlives its runtime is named and destroyed") {
  const child_end end = run_in_child([] {
    weft_context* made = nullptr;
    {
      const weft::runtime runtime({.workers = 1});
      NEED(weft_context_create(end_where_it_came_from, nullptr, &made, nullptr) == WEFT_OK);
    }
    weft_context_destroy(made);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("outlived its runtime: destroy it before") == is_checked_build());
  CHECK(end.says("context_death.cpp:") == is_checked_build());
}

TEST_CASE("a generator that its own function destroys") {
  check_aborts("weft_context_switch: null: the context runs", [] {
    std::unique_ptr<weft::generator<int>> own;
    own = std::make_unique<weft::generator<int>>([&own](weft::yielder<int>&) { own.reset(); });
    static_cast<void>(own->next());
  });
}

TEST_CASE("an exception that leaves a fiber's function terminates") {
  const child_end end = run_in_child([] {
    std::set_terminate([] { _exit(42); });
    const weft::runtime runtime({.workers = 1});
    context::fiber throwing([](context::fiber&& caller) {
      throw 1;
      return std::move(caller);
    });
    throwing = std::move(throwing).resume();
    return 0;
  });
  CHECK(end.exit_code == 42);
}

TEST_CASE("an overflow names the thread that ran the context, and where that was made") {
  const child_end end = run_in_child([] {
    const weft::runtime runtime({.workers = 1});
    weft::thread([] {
      weft::this_thread::set_name("resumer");
      weft::generator<int> bottomless([](weft::yielder<int>& yield) { yield(go_deeper(0)); });
      static_cast<void>(bottomless.next());
    }).join();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says("weft: fatal: stack overflow in a context that is run by thread 2 \"resumer\""));
  CHECK(end.says("the context was made in"));
  CHECK(end.says("context_death.cpp:"));
  CHECK(end.says("cure: raise stack_bytes of its weft_context_attr"));
}

// As WEFT_STACK_SIZE is by default: such a stack has no page more.
constexpr std::size_t usual_stack_bytes = std::size_t{192} * 1024;

TEST_CASE("a canary beneath a context is looked at when its stack is given back") {
  const child_end end = run_in_child([] {
    setenv("WEFT_GUARD", "canary", 1);
    const weft::runtime runtime({.workers = 1});
    weft::thread([] {
      weft::this_thread::set_name("resumer");
      weft_context_attr attr = WEFT_CONTEXT_ATTR_INIT;
      attr.stack_bytes = usual_stack_bytes;
      weft_context* one = nullptr;
      const auto writes_too_far = [](weft_context* caller, void*, void*) {
        // Writes where an overflow would have, and comes back.
        char here = 0;
        volatile std::uintptr_t top = reinterpret_cast<std::uintptr_t>(&here);
        for (std::uintptr_t down = usual_stack_bytes - 4096; down < usual_stack_bytes; ++down)
          *reinterpret_cast<volatile char*>(top - down) = 1;
        return caller;
      };
      if (weft_context_create(writes_too_far, &attr, &one, nullptr) == WEFT_OK) weft_context_switch(one, nullptr);
    }).join();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("stack overflow in a context that is run by thread 2 \"resumer\""));
  CHECK(end.says("canary"));
}
