// Steps of generators that are nearly the same as the step before, of which the library remembers
// its thread, worker and stack: another thread on the same stack, the same thread on another stack,
// and a thread that blocks after steps that needed no call.
#include <weft/generator.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include <weft/ext.h>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

namespace {

using numbers = weft::generator<int>;
using yielder = weft::yielder<int>;

std::optional<int> next_in_thread(numbers& of) {
  std::optional<int> result;
  weft::thread([&] { result = of.next(); }).join();
  return result;
}

// Whether the library knows on which stack the caller's frame lies.
bool is_where_it_is_said_to_be() {
  void* base = nullptr;
  std::size_t bytes = 0;
  weft_ext_thread_stack(weft_self(), &base, &bytes);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto low = reinterpret_cast<std::uintptr_t>(base);
  return here >= low && here < low + bytes;
}

}  // namespace

TEST_CASE("a thread blocks inside of the function, and outside, after steps without a call") {
  const weft::runtime runtime({.workers = 1});
  weft::counting_semaphore<> gate(0);
  const auto let_go_on = [&gate](const weft::thread& one) {
    while (weft_thread_get_state(one.native_handle()) != WEFT_THREAD_BLOCKED) weft::this_thread::yield();
    gate.release();
  };
  numbers values([&gate](yielder& yield) {
    for (int i = 0; i < 3; ++i) yield(int{i});
    gate.acquire();
    CHECK(is_where_it_is_said_to_be());
    for (int i = 3;; ++i) yield(int{i});
  });
  weft::thread first([&values, &gate] {
    weft::this_thread::yield();
    for (int i = 0; i < 5; ++i) CHECK(values.next() == i);
    CHECK(is_where_it_is_said_to_be());
    gate.acquire();
    CHECK(is_where_it_is_said_to_be());
    numbers around([&values](yielder& yield) {
      numbers inner([&yield](yielder& also) {
        yield(10);
        also(11);
      });
      for (const int each : inner) yield(int{each});
      CHECK(values.next() == 5);
    });
    CHECK(around.next() == 10);
    CHECK(next_in_thread(around) == 11);
    CHECK(around.next() == std::nullopt);
  });
  let_go_on(first);
  let_go_on(first);
  first.join();
  CHECK(next_in_thread(values) == 6);
}

TEST_CASE("threads that follow each other on one stack are told apart") {
  const weft::runtime runtime({.workers = 1});
  numbers outer([](yielder& yield) {
    yield(0);
    numbers inner([&yield](yielder& also) {
      yield(1);
      try {
        throw std::runtime_error("a step while it is handled takes the long way");
      } catch (const std::runtime_error&) {
        also(2);
      }
    });
    for (const int each : inner) yield(int{each});
  });
  for (int i = 0; i < 3; ++i) CHECK(next_in_thread(outer) == i);
  CHECK(next_in_thread(outer) == std::nullopt);
}

TEST_CASE("a thread takes steps of one generator on its own stack and on another one's") {
  const weft::runtime runtime({.workers = 1});
  numbers counted([](yielder& yield) {
    for (int i = 0;; ++i) yield(int{i});
  });
  for (int i = 0; i < 3; ++i) CHECK(counted.next() == i);
  numbers around([&counted](yielder& yield) {
    CHECK(counted.next() == 3);
    numbers inner([&yield](yielder& also) {
      yield(10);
      also(11);
    });
    for (const int each : inner) yield(int{each});
    CHECK(counted.next() == 4);
  });
  CHECK(around.next() == 10);
  CHECK(next_in_thread(around) == 11);
  CHECK(around.next() == std::nullopt);
  CHECK(counted.next() == 5);
}
