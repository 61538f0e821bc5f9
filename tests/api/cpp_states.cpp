// Each movable class: every state × move, assign, assign to itself, swap, destroy. What an object
// still does afterwards tells which state it has.
#include <doctest/doctest.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "callers.hpp"

#include <weft/context.hpp>
#include <weft/coroutine2.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/generator.hpp>
#include <weft/jthread.hpp>
#include <weft/promise.hpp>
#include <weft/runtime.hpp>
#include <weft/task.hpp>
#include <weft/thread.hpp>

namespace {

namespace context = weft::context;

std::string now;  // the row: CAPTURE is bound to an OS thread, and threads move

// Held by each function, so that its count tells which functions are still there.
std::shared_ptr<int> held;
long count_of_held() { return held.use_count() - 1; }

template <class Call>
std::string outcome(const Call& call) {
  try {
    return call();
  } catch (const weft::error&) {
    return "error ";
  } catch (const std::future_error& refused) {
    return "future_error " + std::to_string(refused.code().value()) + " ";
  }
}

struct of_fiber {
  using type = context::fiber;
  static constexpr std::string_view states[] = {"empty", "fresh", "begun", "further", "ended"};
  static constexpr bool swaps_by_assignment = false;
  static type make(std::string_view state) {
    if (state == "empty") return type();
    type made([own = held](type&& caller) {
      for (int i = 0; i < 3; ++i) caller = std::move(caller).resume();
      return std::move(caller);
    });
    const int steps = state == "begun" ? 1 : state == "further" ? 2 : state == "ended" ? 4 : 0;
    for (int i = 0; i < steps; ++i) made = std::move(made).resume();
    return made;
  }
  static std::string rest(type& of) {
    std::string steps;
    for (; of; steps += '.') of = std::move(of).resume();
    return steps;
  }
};

struct of_continuation {
  using type = context::continuation;
  static constexpr std::string_view states[] = {"empty", "begun", "ended"};
  static constexpr bool swaps_by_assignment = false;
  static type make(std::string_view state) {
    if (state == "empty") return type();
    type made = context::callcc([own = held](type&& caller) {
      for (int i = 0; i < 2; ++i) caller = caller.resume();
      return std::move(caller);
    });
    for (int i = 0; state == "ended" && i < 2; ++i) made = made.resume();
    return made;
  }
  static std::string rest(type& of) {
    std::string steps;
    for (; of; steps += '.') of = of.resume();
    return steps;
  }
};

struct of_generator {
  using type = weft::generator<int>;
  static constexpr std::string_view states[] = {"empty", "fresh", "begun", "further", "ended"};
  static constexpr bool swaps_by_assignment = false;
  static type make(std::string_view state) {
    if (state == "empty") return type();
    type made([own = held](weft::yielder<int>& yield) {
      for (int i = 0; i < 3; ++i) yield(i);
    });
    const int steps = state == "begun" ? 1 : state == "further" ? 2 : state == "ended" ? 4 : 0;
    for (int i = 0; i < steps; ++i) static_cast<void>(made.next());
    return made;
  }
  static std::string rest(type& of) {
    return outcome([&of] {
      std::string values = of ? "open " : "closed ";
      while (const auto each = of.next()) values += std::to_string(*each);
      return values;
    });
  }
};

struct of_pull {
  using type = weft::coroutine<int>::pull_type;
  static constexpr std::string_view states[] = {"empty", "begun", "further", "ended"};
  static constexpr bool swaps_by_assignment = true;
  static type make(std::string_view state) {
    type made([own = held](weft::coroutine<int>::push_type& push) {
      for (int i = 0; i < 3; ++i) push(i);
    });
    for (int i = 0; i < (state == "further" ? 1 : state == "ended" ? 3 : 0); ++i) made();
    if (state == "empty") static_cast<void>(type(std::move(made)));
    return made;
  }
  static std::string rest(type& of) {
    return outcome([&of] {
      std::string values;
      for (; of; of()) values += std::to_string(of.get());
      of();  // refused
      return values;
    });
  }
};

struct of_push {
  using type = weft::coroutine<int>::push_type;
  static constexpr std::string_view states[] = {"empty", "fresh", "begun", "ended"};
  static constexpr bool swaps_by_assignment = true;
  static type make(std::string_view state) {
    type made([own = held](weft::coroutine<int>::pull_type& pull) {
      for (int i = 0; i < 2 && pull; ++i) pull();
    });
    for (int i = 0; i < (state == "begun" ? 1 : state == "ended" ? 3 : 0); ++i) made(i);
    if (state == "empty") static_cast<void>(type(std::move(made)));
    return made;
  }
  static std::string rest(type& of) {
    std::string steps;
    const std::string how = outcome([&] {
      for (; of; steps += '.') of(1);
      of(1);  // refused
      return std::string("accepted");
    });
    return steps + how;
  }
};

struct of_future {
  using type = weft::future<int>;
  static constexpr std::string_view states[] = {"empty", "waits", "ready", "threw", "taken", "broken"};
  static constexpr bool swaps_by_assignment = false;
  static type make(std::string_view state) {
    if (state == "empty") return type();
    weft::promise<int> giver;
    type made = giver.get_future();
    if (state == "waits") {  // a thread sets it
      weft::thread([own = std::move(giver)]() mutable { own.set_value(5); }).detach();
      return made;
    }
    if (state == "ready" || state == "taken") giver.set_value(7);
    if (state == "threw") giver.set_exception(std::make_exception_ptr(weft::error(WEFT_BUSY, "x")));
    if (state == "taken") static_cast<void>(made.get());
    return made;
  }
  static std::string rest(type& of) {
    return outcome([&of] { return std::to_string(of.get()); });
  }
};

struct of_shared_future {
  using type = weft::shared_future<int>;
  static constexpr std::string_view states[] = {"empty", "waits", "ready", "broken"};
  static constexpr bool swaps_by_assignment = false;
  static type make(std::string_view state) { return of_future::make(state).share(); }
  static std::string rest(type& of) {
    return outcome([&of] { return of.valid() ? std::to_string(of.get()) : std::string("empty"); });
  }
};

// Of promises and tasks whose future was retrieved.
std::deque<weft::future<int>> futures;

struct of_promise {
  using type = weft::promise<int>;
  static constexpr std::string_view states[] = {"empty", "fresh", "retrieved", "satisfied", "both"};
  static constexpr bool swaps_by_assignment = false;
  static type make(std::string_view state) {
    type made;
    if (state == "retrieved" || state == "both") futures.push_back(made.get_future());
    if (state == "satisfied" || state == "both") made.set_value(3);
    if (state == "empty") static_cast<void>(type(std::move(made)));
    return made;
  }
  static std::string rest(type& of) {
    const auto retrieve = [&of] { return std::to_string(of.get_future().valid()); };
    const auto set = [&of] { return of.set_value(4), std::string("set "); };
    return outcome(retrieve) + outcome(set) + outcome(retrieve);
  }
};

struct of_packaged_task {
  using type = weft::packaged_task<int()>;
  static constexpr std::string_view states[] = {"empty", "fresh", "retrieved", "called", "again"};
  static constexpr bool swaps_by_assignment = false;
  static type make(std::string_view state) {
    if (state == "empty") return type();
    type made([own = held] { return 6; });
    if (state == "retrieved") futures.push_back(made.get_future());
    if (state == "called" || state == "again") made();
    if (state == "again") made.reset();
    return made;
  }
  static std::string rest(type& of) {
    const auto retrieve = [&of] { return std::to_string(of.get_future().valid()); };
    const auto call = [&of] { return of(), std::string("called "); };
    return outcome(retrieve) + outcome(call) + outcome(retrieve) + (of.valid() ? "valid" : "empty");
  }
};

struct of_jthread {
  using type = weft::jthread;
  static constexpr std::string_view states[] = {"empty", "runs", "stops", "joined", "detached"};
  static constexpr bool swaps_by_assignment = false;
  static type make(std::string_view state) {
    if (state == "empty") return type();
    type made([own = held](const std::stop_token& token) {
      while (!token.stop_requested()) weft::this_thread::yield();
    });
    if (state == "stops" || state == "joined" || state == "detached") made.request_stop();
    if (state == "joined") made.join();
    if (state == "detached") made.detach();
    return made;
  }
  static std::string rest(type& of) {
    std::string text = of.joinable() ? "joinable " : "none ";
    text += of.get_stop_token().stop_requested() ? "asked " : "";
    text += of.get_stop_token().stop_possible() ? "possible " : "";
    text += of.request_stop() ? "first" : "";
    if (of.joinable()) of.join();
    return text;
  }
};

struct of_thread {
  using type = weft::thread;
  static constexpr std::string_view states[] = {"empty", "runs"};
  static constexpr bool swaps_by_assignment = false;
  static type make(std::string_view state) {
    return state == "empty" ? type() : type([own = held] {});
  }
  static std::string rest(type& of) {
    if (!of.joinable()) return "none";
    of.join();
    return "joined";
  }
};

weft::task<int> coroutine_of(std::shared_ptr<int>) { co_return 8; }

struct of_task {
  using type = weft::task<int>;
  static constexpr std::string_view states[] = {"empty", "fresh"};
  static constexpr bool swaps_by_assignment = false;
  static type make(std::string_view state) { return state == "empty" ? type() : coroutine_of(held); }
  static std::string rest(type& of) {
    return outcome([&of] { return std::to_string(weft::sync_wait(std::move(of))); });
  }
};

// What a state is known by.
template <class Of>
std::string sign(std::string_view state) {
  auto made = Of::make(state);
  return Of::rest(made);
}

template <class Of>
void check(typename Of::type& of, std::string_view state) {
  const std::string found = Of::rest(of), wanted = sign<Of>(state);
  CHECK_MESSAGE(found == wanted, now, ": ", state);
}

// Threads that were detached let go of what they hold when they end.
void wait_for_none() {
  futures.clear();
  while (count_of_held() != 0) weft::this_thread::yield();
}

template <class Of>
void one_state(std::string_view state) {
  using type = typename Of::type;
  now = std::string(typeid(type).name()) + ", " + std::string(state);
  if (!std::is_same_v<type, weft::thread>) {
    static_cast<void>(Of::make(state));  // and destroyed
    wait_for_none();
  }
  {
    type from = Of::make(state);
    type to(std::move(from));
    check<Of>(to, state);
    check<Of>(from, "empty");
  }
  wait_for_none();
  {
    type own = Of::make(state);
    type& same = own;
    if (!std::is_same_v<type, weft::thread> || state == "empty") own = std::move(same);
    check<Of>(own, state);
  }
  wait_for_none();
  {
    type there = Of::make(state), back(std::move(there));
    there = std::move(back);
    back = type(std::move(there));
    check<Of>(back, state);
  }
  wait_for_none();
}

template <class Of>
void two_states(std::string_view one, std::string_view other) {
  using type = typename Of::type;
  now = std::string(typeid(type).name()) + ", " + std::string(one) + ", " + std::string(other);
  if (!std::is_same_v<type, weft::thread> || one == "empty") {
    {
      type to = Of::make(one);
      type from = Of::make(other);
      to = std::move(from);
      check<Of>(to, other);
      check<Of>(from, Of::swaps_by_assignment ? one : "empty");
    }
    wait_for_none();
  }
  if constexpr (requires(type left, type right) { left.swap(right); }) {
    {
      type left = Of::make(one), right = Of::make(other);
      left.swap(right);
      check<Of>(left, other);
      check<Of>(right, one);
    }
    wait_for_none();
  } else {
    {
      type left = Of::make(one), right = Of::make(other);
      std::swap(left, right);
      check<Of>(left, other);
      check<Of>(right, one);
    }
    wait_for_none();
  }
}

// What an assignment takes the place of goes at once, not when the other object does.
template <class Of>
void releases() {
  using type = typename Of::type;
  if constexpr (!Of::swaps_by_assignment && !std::is_same_v<type, weft::thread>) {
    for (const std::string_view state : Of::states) {
      type from = Of::make("empty");
      type to = Of::make(state);
      to = std::move(from);
      futures.clear();
      while (count_of_held() != 0) {
        REQUIRE_MESSAGE(state == "detached", state);
        weft::this_thread::yield();
      }
    }
  }
}

template <class Of>
void table() {
  for (const std::string_view one : Of::states) {
    one_state<Of>(one);
    for (const std::string_view other : Of::states) two_states<Of>(one, other);
  }
  releases<Of>();
}

void all_tables() {
  held = std::make_shared<int>(0);
  table<of_fiber>();
  table<of_continuation>();
  table<of_generator>();
  table<of_pull>();
  table<of_push>();
  table<of_future>();
  table<of_shared_future>();
  table<of_promise>();
  table<of_packaged_task>();
  table<of_jthread>();
  table<of_thread>();
  table<of_task>();
}

}  // namespace

TEST_CASE("each movable class in each state: move, assign, swap, destroy") {
  for (const unsigned workers : {1U, 2U}) {
    CAPTURE(workers);
    const weft::runtime runtime(config_of(workers));
    all_tables();
    weft::thread(all_tables).join();
  }
}

TEST_CASE("a promise or a task that is assigned another one is broken, and by itself is not") {
  const weft::runtime runtime(config_of(1));
  const auto is_broken = [](weft::future<int>& of) {
    return outcome([&of] { return std::to_string(of.get()); }) ==
           outcome([]() -> std::string { throw std::future_error(std::future_errc::broken_promise); });
  };
  {
    weft::promise<int> one, other;
    auto of_one = one.get_future(), of_other = other.get_future();
    one = std::move(other);
    CHECK(is_broken(of_one));
    one.set_value(1);
    CHECK(of_other.get() == 1);
  }
  {
    weft::promise<int> own;
    auto result = own.get_future();
    auto& same = own;
    own = std::move(same);
    own.set_value(2);
    CHECK(result.get() == 2);
  }
  {
    weft::packaged_task<int()> own([] { return 3; }), other([] { return 4; });
    auto result = own.get_future(), of_other = other.get_future();
    auto& same = own;
    own = std::move(same);
    own.swap(other);
    other();
    CHECK(result.get() == 3);
    own = std::move(other);
    CHECK(is_broken(of_other));
  }
}

// What is resident does not grow with the number of rounds; of a few in the tests, and of as many
// as WEFT_TEST_ROUNDS says in depth.
TEST_CASE("rounds of all tables leave nothing behind") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return;  // their own memory grows
#endif
  const char* const wanted = std::getenv("WEFT_TEST_ROUNDS");
  const int rounds = wanted == nullptr ? 20 : std::atoi(wanted);
  const auto resident_pages = [] {
    std::ifstream from("/proc/self/statm");
    long size = 0, resident = 0;
    from >> size >> resident;
    return resident;
  };
  const weft::runtime runtime(config_of(2));
  for (int i = 0; i < 20; ++i) all_tables();
  const long before = resident_pages();
  for (int i = 0; i < rounds; ++i) all_tables();
  CHECK(resident_pages() < before + 256);  // 1 MiB
}
