// Senders: the concepts of P2300, completions, stops and errors. The same file is also compiled
// against stdexec where WEFT_STDEXEC_INCLUDE names its headers.
#include <weft/execution.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <weft/async.hpp>
#include <weft/promise.hpp>

#include "../support/scene.hpp"
#include "coroutines.hpp"

using namespace std::chrono_literals;
namespace ex = weft::execution;

namespace {

// What is thrown is not read, as doctest would: TSan does not see how libstdc++ counts the owners that an
// exception has on several OS threads.
template <class Exception, class F>
bool throws(const F& function) {
  try {
    function();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

// How an operation ended: "value", "error", "stopped"; empty: not yet.
template <class T>
struct outcome {
  weft::latch has_ended{1};
  std::string how;
  std::optional<T> value;
  std::exception_ptr error;
  bool in_ult = false;
  std::stop_source source;

  void end(const char* text) {
    how = text;
    in_ult = weft_self() != nullptr && !weft_thread_is_tasklet(weft_self());
    has_ended.count_down();
  }
};

struct token_env {
  std::stop_token token;
  std::stop_token query(ex::get_stop_token_t) const noexcept { return token; }
};

template <class T>
struct to_outcome {
  using receiver_concept = ex::receiver_t;
  outcome<T>* to;

  template <class... Values>
  void set_value(Values&&... values) && noexcept {
    if constexpr (sizeof...(Values) == 1) to->value.emplace(std::forward<Values>(values)...);
    to->end("value");
  }
  void set_error(std::exception_ptr error) && noexcept {
    to->error = std::move(error);
    to->end("error");
  }
  void set_stopped() && noexcept { to->end("stopped"); }
  token_env get_env() const noexcept { return {to->source.get_token()}; }
};

// Starts a sender, and waits for its end. change(outcome) runs between both.
template <class T, class Sender, class Change>
void run(outcome<T>& result, Sender&& sender, Change change) {
  static_assert(ex::sender<Sender>);
  static_assert(ex::receiver<to_outcome<T>>);
  auto operation = ex::connect(std::forward<Sender>(sender), to_outcome<T>{&result});
  static_assert(ex::operation_state<decltype(operation)>);
  ex::start(operation);
  change();
  result.has_ended.wait();
}
template <class T, class Sender>
void run(outcome<T>& result, Sender&& sender) {
  run(result, std::forward<Sender>(sender), [] {});
}

weft_status status_in(const std::exception_ptr& error) {
  return status_of([&] { std::rethrow_exception(error); });
}

using scheduler = weft::runtime::scheduler;
static_assert(ex::scheduler<scheduler>);
static_assert(std::same_as<scheduler, std::remove_cvref_t<decltype(ex::get_completion_scheduler<ex::set_value_t>(
                                          ex::get_env(ex::schedule(std::declval<scheduler>()))))>>);

}  // namespace

TEST_CASE("schedule completes in a ULT, which may block") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([&] {
    outcome<int> result;
    run(result, ex::schedule(weft::runtime::get_scheduler()));
    CHECK(result.how == "value");
    CHECK(result.in_ult);
  });
  CHECK(weft::runtime::get_scheduler() == weft::runtime::get_scheduler());
  CHECK(ex::get_forward_progress_guarantee(weft::runtime::get_scheduler()) == ex::forward_progress_guarantee::weakly_parallel);
}

TEST_CASE("connect of schedule throws without a runtime, and after a stop it is stopped") {
  outcome<int> none;
  const auto to_none = [&] {
    static_cast<void>(ex::connect(ex::schedule(weft::runtime::get_scheduler()), to_outcome<int>{&none}));
  };
  CHECK(status_of(to_none) == WEFT_NOT_INITIALIZED);
  CHECK(none.how.empty());
  run(none, weft::runtime::get_scheduler().schedule_after(1h));
  CHECK(none.how == "error");
  CHECK(status_in(none.error) == WEFT_NOT_INITIALIZED);
  const weft::runtime runtime({.workers = 1});
  outcome<int> late;
  run(late, ex::schedule(weft::runtime::get_scheduler()), [&] { late.source.request_stop(); });
  CHECK(late.how == "stopped");  // its ULT had not begun
  outcome<int> before;
  before.source.request_stop();
  run(before, ex::schedule(weft::runtime::get_scheduler()));
  CHECK(before.how == "stopped");
}

TEST_CASE("an operation of schedule that was stopped as it started keeps no runtime") {
  using operation = decltype(ex::connect(ex::schedule(weft::runtime::get_scheduler()), std::declval<to_outcome<int>>()));
  struct connected {
    outcome<int>* to;
    operator operation() const {  // NOLINT(google-explicit-constructor): made in place
      return ex::connect(ex::schedule(weft::runtime::get_scheduler()), to_outcome<int>{to});
    }
  };
  outcome<int> result;
  std::optional<operation> stays;
  result.source.request_stop();
  {
    const weft::runtime runtime({.workers = 1});
    stays.emplace(connected{&result});
    ex::start(*stays);
    CHECK(result.how == "stopped");
  }
  CHECK(weft_is_initialized() == false);
}

TEST_CASE("an operation of schedule that is not started keeps the runtime, and is destroyed without a trace") {
  const weft::runtime runtime({.workers = 2});
  for (int i = 0; i < 100; ++i) {
    outcome<int> never;
    auto operation = ex::connect(ex::schedule(weft::runtime::get_scheduler()), to_outcome<int>{&never});
    static_assert(noexcept(ex::start(operation)));
    CHECK(never.how.empty());
  }
}

TEST_CASE("sync_wait of a sender: its values, nothing after a stop, its error") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([] {
    const std::optional<std::tuple<>> none = weft::sync_wait(ex::schedule(weft::runtime::get_scheduler()));
    CHECK(none.has_value());
    std::optional<std::tuple<int>> number = weft::sync_wait(weft::as_sender(weft::async([] { return 4; })));
    CHECK(std::get<0>(number.value()) == 4);
    weft::latch never(1);
    std::stop_source source;
    source.request_stop();
    CHECK_FALSE(weft::sync_wait(weft::as_sender(never), source.get_token()).has_value());
    const auto failing = weft::as_sender(weft::async([] { throw std::runtime_error("thrown"); }).share());
    CHECK(throws<std::runtime_error>([&] { static_cast<void>(weft::sync_wait(failing)); }));
  });
  weft_thread* tasklet = nullptr;
  weft_status seen = WEFT_OK;
  const auto refused = [](void* to) {
    *static_cast<weft_status*>(to) = status_of([] { weft::sync_wait(ex::schedule(weft::runtime::get_scheduler())); });
  };
  REQUIRE(weft_tasklet_create(refused, &seen, nullptr, &tasklet) == WEFT_OK);
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(seen == WEFT_CANNOT_BLOCK);
}

namespace {

// A sender of another library, whose error is no exception.
template <class Error>
struct fails_with {
  using sender_concept = ex::sender_t;
  using completion_signatures = ex::completion_signatures<ex::set_value_t(), ex::set_error_t(Error)>;

  template <class Receiver>
  struct operation {
    using operation_state_concept = ex::operation_state_t;
    Receiver to;
    Error error;
    void start() noexcept { ex::set_error(std::move(to), std::move(error)); }
  };
  template <class Receiver>
  operation<Receiver> connect(Receiver to) const {
    return {std::move(to), error};
  }
  Error error;
};

}  // namespace

TEST_CASE("errors that are no exceptions are thrown: a code as std::system_error, others as they are") {
  const weft::runtime runtime({.workers = 1});
  bool is_code = false;
  try {
    weft::sync_wait(fails_with<std::error_code>{std::make_error_code(std::errc::timed_out)});
  } catch (const std::system_error& thrown) {
    is_code = thrown.code() == std::errc::timed_out;
  }
  CHECK(is_code);
  CHECK(throws<int>([] { weft::sync_wait(fails_with<int>{7}); }));
}

TEST_CASE("a task awaits senders, and passes its stop on") {
  const weft::runtime runtime({.workers = 2});
  weft::latch never(1);
  const auto adding = [](int rounds) -> weft::task<int> {
    int sum = 0;
    for (int i = 1; i <= rounds; ++i) {
      co_await ex::schedule(weft::runtime::get_scheduler());
      const int value = co_await weft::as_sender(weft::async([i] { return i; }));
      sum += value;
    }
    co_return sum;
  };
  by_waiting_callers([&] { CHECK(weft::sync_wait(adding(100)) == 5050); });
  const auto waiting = [&]() -> weft::task<> { co_await weft::as_sender(never); };
  for (int i = 0; i < 50; ++i) {
    std::stop_source source;
    weft::future<void> begun = weft::spawn(waiting(), source.get_token());
    for (int round = 0; round < i % 4; ++round) weft::this_thread::yield();
    source.request_stop();
    CHECK_THROWS_AS(begun.get(), weft::stopped);
  }
  const auto failing = [&]() -> weft::task<> {
    co_await weft::as_sender(weft::async([] { throw std::runtime_error("thrown"); }));
  };
  CHECK(throws<std::runtime_error>([&] { weft::sync_wait(failing()); }));
}

TEST_CASE("schedule_after and schedule_at") {
  const weft::runtime runtime({.workers = 2});
  const auto begun = std::chrono::steady_clock::now();
  outcome<int> after, at, past, stopped;
  run(after, weft::runtime::get_scheduler().schedule_after(2ms));
  CHECK(after.how == "value");
  CHECK(after.in_ult);
  CHECK(std::chrono::steady_clock::now() - begun >= 2ms);
  run(at, weft::runtime::get_scheduler().schedule_at(begun + 4ms));
  CHECK(std::chrono::steady_clock::now() - begun >= 4ms);
  weft::latch has_run(1);  // not join, which would keep the OS thread from the runtime
  std::thread outside([&] {
    run(past, weft::runtime::get_scheduler().schedule_at(begun));
    has_run.count_down();
  });
  has_run.wait();
  outside.join();
  CHECK(past.how == "value");
  CHECK(past.in_ult);
  run(stopped, weft::runtime::get_scheduler().schedule_after(1h), [&] { stopped.source.request_stop(); });
  CHECK(stopped.how == "stopped");
}

TEST_CASE("schedule_after ends with an error when the runtime ends before") {
  outcome<int> ended;
  std::optional<weft::runtime> runtime(std::in_place, weft::runtime_config{.workers = 1});
  auto operation = ex::connect(weft::runtime::get_scheduler().schedule_after(1h), to_outcome<int>{&ended});
  ex::start(operation);
  runtime.reset();
  ended.has_ended.wait();
  REQUIRE(ended.how == "error");
  CHECK(status_in(ended.error) == WEFT_ENDED);
}

TEST_CASE("bulk calls its function for each index, and hands on the first exception") {
  const weft::runtime runtime({.workers = 4});
  std::vector<std::atomic<int>> seen(1000);
  outcome<int> result, failed, empty;
  const auto many = weft::runtime::get_scheduler().bulk(seen.size(), [&](std::size_t i) { ++seen[i]; });
  run(result, many);
  CHECK(result.how == "value");
  for (auto& each : seen) CHECK(each == 1);
  run(failed, weft::runtime::get_scheduler().bulk(100, [](std::size_t i) {
    if (i > 50) throw std::length_error("a later one");
    if (i == 50) throw std::out_of_range("the first");
  }));
  CHECK(failed.how == "error");
  CHECK(throws<std::out_of_range>([&] { std::rethrow_exception(failed.error); }));
  run(empty, weft::runtime::get_scheduler().bulk(0, [](std::size_t) { throw 1; }));
  CHECK(empty.how == "value");
}

TEST_CASE("a future as a sender: its value, its exception, a stop") {
  const weft::runtime runtime({.workers = 2});
  weft::promise<std::unique_ptr<int>> made;
  outcome<std::unique_ptr<int>> value;
  run(value, weft::as_sender(made.get_future()), [&] { made.set_value(std::make_unique<int>(3)); });
  CHECK(value.how == "value");
  CHECK(value.in_ult);
  REQUIRE(value.value.has_value());
  CHECK(**value.value == 3);
  outcome<int> failed, none, stopped, shared;
  run(failed, weft::as_sender(weft::async([]() -> int { throw std::runtime_error("thrown"); })));
  CHECK(throws<std::runtime_error>([&] { std::rethrow_exception(failed.error); }));
  run(none, weft::as_sender(weft::future<int>()));
  CHECK(throws<std::future_error>([&] { std::rethrow_exception(none.error); }));
  weft::promise<int> never;
  const weft::shared_future<int> kept = never.get_future().share();
  run(stopped, weft::as_sender(kept), [&] { stopped.source.request_stop(); });
  CHECK(stopped.how == "stopped");
  const auto reusable = weft::as_sender(kept);
  never.set_value(8);
  run(shared, reusable);
  CHECK(shared.value == 8);
}

TEST_CASE("threads, events and channels as senders") {
  const weft::runtime runtime({.workers = 2});
  weft::latch latch(1);
  weft_event event = WEFT_EVENT_INIT;
  weft::thread thread([&] { latch.wait(); });
  outcome<int> joined, opened, set, popped, closed, stopped;
  run(joined, weft::as_sender(thread), [&] { latch.count_down(); });
  CHECK(joined.how == "value");
  CHECK_FALSE(thread.joinable());
  run(opened, weft::as_sender(latch));
  CHECK(opened.how == "value");
  run(set, weft::as_sender(event), [&] { weft_event_set(&event); });
  CHECK(set.how == "value");
  weft::unbuffered_channel<int> channel;
  run(stopped, weft::as_sender(channel), [&] { stopped.source.request_stop(); });
  CHECK(stopped.how == "stopped");
  run(popped, weft::as_sender(channel), [&] { CHECK(channel.push(6) == weft::channel_op_status::success); });
  CHECK(popped.value == 6);
  run(closed, weft::as_sender(channel), [&] { channel.close(); });
  CHECK(closed.how == "stopped");
}

#if defined(STDEXEC_VERSION_MAJOR) || __has_include(<stdexec/execution.hpp>)

// A step that waits for another one: a serial bulk would wait for ever.
weft::task<> bulks() {
  const scheduler on = weft::runtime::get_scheduler();
  weft::latch both(2);
  co_await (stdexec::schedule(on) | stdexec::bulk_unchunked(stdexec::par, 2, [&](int) { both.arrive_and_wait(); }));
  std::vector<int> squares(1000);
  auto fill = [&](std::size_t i, int add) { squares[i] = static_cast<int>(i * i) + add; };
  const int same = co_await (stdexec::just(1) | stdexec::continues_on(on) | stdexec::bulk(stdexec::par, squares.size(), fill));
  CHECK(same == 1);
  for (std::size_t i = 0; i < squares.size(); ++i) CHECK(squares[i] == static_cast<int>(i * i) + 1);
  std::atomic<std::size_t> sum = 0;
  auto add = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sum += i;
  };
  co_await (stdexec::schedule(on) | stdexec::bulk_chunked(stdexec::par, std::size_t{100}, add));
  co_await (stdexec::schedule(on) | stdexec::bulk_chunked(stdexec::seq, std::size_t{100}, add));
  CHECK(sum == 2 * 4950);
  bool is_thrown = false;
  auto fails = stdexec::schedule(on) | stdexec::bulk(stdexec::par, 100, [](int i) {
                 if (i == 50) throw std::runtime_error("the fiftieth");
               });
  try {
    co_await std::move(fails);
  } catch (const std::runtime_error&) {
    is_thrown = true;
  }
  CHECK(is_thrown);
}

TEST_CASE("stdexec's task_scheduler and task run on Weft") {
  const weft::runtime runtime({.workers = 2});
  stdexec::task_scheduler any(weft::runtime::get_scheduler());
  auto asks = stdexec::schedule(any) | stdexec::then([] { return weft_self() != nullptr ? 3 : 0; });
  CHECK(std::get<0>(weft::sync_wait(std::move(asks)).value()) == 3);
  const auto five = []() -> stdexec::task<int> { co_return weft_self() != nullptr ? 5 : 0; };
  CHECK(std::get<0>(weft::sync_wait(stdexec::starts_on(weft::runtime::get_scheduler(), five())).value()) == 5);
  const auto six = []() -> stdexec::task<int> { co_return 6; };
  by_waiting_callers([&] { CHECK(std::get<0>(weft::sync_wait(six()).value()) == 6); });  // a task asks for its scheduler
}

// A child process has one worker, its main, so no work begins before main waits.
TEST_CASE("what was stopped after its start on stdexec's parallel scheduler runs nothing") {
  scene::expect_well([] {
    const weft::runtime runtime({.workers = 1});
    const auto on = stdexec::get_parallel_scheduler();
    int calls = 0;
    const auto count = [&calls](auto...) noexcept { ++calls; };
    const auto none = stdexec::then([]() noexcept {});  // bulk of stdexec needs a receiver that ends as an lvalue
    outcome<int> kept, one, chunks, steps;
    run(kept, stdexec::schedule(on) | stdexec::then(count));
    NEED((kept.how == "value" && calls == 1));
    run(one, stdexec::schedule(on) | stdexec::then(count), [&] { one.source.request_stop(); });
    NEED(one.how == "stopped");
    const auto stop_chunks = [&] { chunks.source.request_stop(); };
    run(chunks, stdexec::schedule(on) | stdexec::bulk_chunked(stdexec::par, 9, count) | none, stop_chunks);
    NEED(chunks.how == "stopped");
    const auto stop_steps = [&] { steps.source.request_stop(); };
    run(steps, stdexec::schedule(on) | stdexec::bulk_unchunked(stdexec::par, 9, count) | none, stop_steps);
    NEED(steps.how == "stopped");
    NEED(calls == 1);
  });
}

// parallel_scheduler.cpp of this program replaces the backend.
TEST_CASE("stdexec's parallel scheduler runs on Weft, which starts if no runtime runs") {
  const auto once = [] {
    const auto on = stdexec::get_parallel_scheduler();
    auto asks = stdexec::schedule(on) | stdexec::then([] { return weft_self() != nullptr ? 7 : 0; });
    CHECK(std::get<0>(stdexec::sync_wait(std::move(asks)).value()) == 7);
    std::atomic<int> sum = 0;
    weft::latch both(2);
    stdexec::sync_wait(stdexec::schedule(on) |
                       stdexec::bulk_chunked(stdexec::par, 1000,
                                             [&](int begin, int end) {
                                               for (int i = begin; i < end; ++i) sum += i;
                                             }) |
                       stdexec::bulk_unchunked(stdexec::par, 2, [&](int i) {
                         both.arrive_and_wait();
                         sum += i;
                       }));
    CHECK(sum == 499501);
    stdexec::inplace_stop_source stop;
    stop.request_stop();
    auto never = stdexec::write_env(stdexec::schedule(on) | stdexec::then([&] { ++sum; }),
                                    stdexec::prop{stdexec::get_stop_token, stop.get_token()});
    CHECK_FALSE(stdexec::sync_wait(std::move(never)).has_value());
    CHECK(sum == 499501);
    stdexec::counting_scope scope;
    for (int i = 0; i < 100; ++i) {
      auto adds = stdexec::schedule(on) | stdexec::then([&]() noexcept { ++sum; });
      stdexec::spawn(std::move(adds) | stdexec::upon_error([](auto&&) noexcept {}), scope.get_token());
    }
    stdexec::sync_wait(scope.join());
    CHECK(sum == 499601);
  };
  std::thread(once).join();
  const pid_t child = fork();
  if (child == 0) std::exit(0);  // which destroys the backend
  int status = -1;
  CHECK((waitpid(child, &status, 0) == child && status == 0));
}

TEST_CASE("a counting_scope joins what was spawned on Weft's scheduler, and its stop ends waits") {
  const weft::runtime runtime({.workers = 2});
  std::atomic<int> done = 0, stopped = 0;
  weft::latch never(1), all_done(50);
  stdexec::counting_scope scope;
  const scheduler on = weft::runtime::get_scheduler();
  for (int i = 0; i < 50; ++i) {
    stdexec::spawn(stdexec::schedule(on) | stdexec::then([&]() noexcept {
                     ++done;
                     all_done.count_down();
                   }),
                   scope.get_token());
  }
  auto waits =
      weft::as_sender(never) | stdexec::upon_error([](auto&&) noexcept {}) | stdexec::upon_stopped([&]() noexcept { ++stopped; });
  stdexec::spawn(std::move(waits), scope.get_token());
  all_done.wait();
  CHECK(stopped == 0);
  scope.request_stop();
  CHECK(weft::sync_wait(scope.join()).has_value());
  CHECK(done == 50);
  CHECK(stopped == 1);
  const auto joins = [&]() -> weft::task<int> {
    stdexec::counting_scope inner;
    for (int i = 0; i < 50; ++i) {
      stdexec::spawn(stdexec::schedule(on) | stdexec::then([&]() noexcept { ++done; }), inner.get_token());
    }
    co_await inner.join();
    co_return done.load();
  };
  CHECK(weft::sync_wait(joins()) == 100);
  std::thread([&] { CHECK(std::get<0>(weft::sync_wait(stdexec::on(on, stdexec::just(4))).value()) == 4); }).join();
}

TEST_CASE("pipelines of stdexec") {
  const weft::runtime runtime({.workers = 2});
  std::thread outside([] {  // stdexec's sync_wait blocks its OS thread
    const scheduler on = weft::runtime::get_scheduler();
    auto work = stdexec::schedule(on) | stdexec::then([] {
                  weft::this_thread::sleep_for(1ms);
                  return weft_self() != nullptr ? 20 : 0;
                }) |
                stdexec::let_value([](int value) { return weft::as_sender(weft::async([value] { return value + 1; })); }) |
                stdexec::continues_on(on) | stdexec::then([](int value) { return value * 2; });
    CHECK(std::get<0>(stdexec::sync_wait(std::move(work)).value()) == 42);
    weft::latch never(1);
    auto fails = stdexec::just() | stdexec::then([] { throw std::runtime_error("the other"); });
    CHECK_THROWS_AS(stdexec::sync_wait(stdexec::when_all(weft::as_sender(never), std::move(fails))), std::runtime_error);
  });
  outside.join();
  CHECK(std::get<0>(weft::sync_wait(stdexec::just(5)).value()) == 5);  // Weft's waits where it is
  const auto awaiting = []() -> weft::task<int> {
    const int one = co_await (stdexec::schedule(weft::runtime::get_scheduler()) | stdexec::then([] { return 1; }));
    const int two = co_await stdexec::just(2);
    co_return one + two;
  };
  CHECK(weft::sync_wait(awaiting()) == 3);
  static_assert(std::same_as<decltype(weft::sync_wait(awaiting())), int>);
  weft::sync_wait(bulks());
  const auto stopping = []() -> weft::task<> { co_await stdexec::just_stopped(); };
  CHECK_THROWS_AS(weft::sync_wait(stopping()), weft::stopped);
}

#endif
