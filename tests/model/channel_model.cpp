// weft/detail/channel_core.hpp, selection.hpp and pending.hpp on the explorer's memory: a value
// goes to exactly one pop, a select takes exactly one branch, the caller that ends a wait touches
// nothing after the wake-up, and a stop and a wake of the same wait end it once. Parking, events
// and tasklets are the model's own.
#include <array>
#include <cstdint>
#include <optional>

#include <weft/channel.hpp>
#include <weft/detail/pending.hpp>
#include <weft/select.hpp>

#include "arch/cpu.hpp"
#include "arch/local_word.hpp"
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "os/futex.hpp"

namespace {

using namespace explorer::words;
using namespace weft::base;
using weft::channel_op_status;

// ---- what the library has -----------------------------------------------------------------------

// A ULT. It has parked when publish has run, which nothing follows on its stack.
struct ult {
  weft::base::atomic<int> wakes{0};
  int parked = 0;

  void begin() { weft::arch::set_local_word(this); }
};

using flag = weft::base::atomic<std::uint32_t>;
flag* flag_of_lock(std::uint32_t* word) { return reinterpret_cast<flag*>(word); }
flag* flag_of(const weft_event* event) { return reinterpret_cast<flag*>(const_cast<weft_event*>(event)); }

}  // namespace

extern "C" {

weft_thread* weft_self() { return static_cast<weft_thread*>(weft::arch::local_word()); }
bool weft_thread_is_tasklet(const weft_thread*) { return false; }
void weft_yield() { weft::arch::pause(); }

weft_status weft_ext_park(bool (*publish)(weft_thread* self, void* argument), void* argument, const char*) {
  auto* const me = reinterpret_cast<ult*>(weft_self());
  if (!publish(weft_self(), argument)) return WEFT_OK;
  ++me->parked;
  while (me->wakes.load(acquire) < me->parked) weft::arch::pause();
  return WEFT_OK;
}
// The word is free when the ULT can be unparked.
weft_status weft_ext_park_unlocking(std::uint32_t* lock, weft_thread** self, const char*) {
  auto* const me = reinterpret_cast<ult*>(weft_self());
  *self = weft_self();
  const int wanted = ++me->parked;
  flag_of_lock(lock)->store(0, release);
  while (me->wakes.load(acquire) < wanted) weft::arch::pause();
  return WEFT_OK;
}
void weft_park_in_place() {}  // of a process with one OS thread
void weft_ext_unpark(weft_thread* thread) { reinterpret_cast<ult*>(thread)->wakes.fetch_add(1, release); }

weft_status weft_event_set(weft_event* event) {
  flag_of(event)->store(1, release);
  weft::os::futex_wake(flag_of(event), 1);
  return WEFT_OK;
}
weft_status weft_event_wait_until(weft_event* event, uint64_t deadline_ns) {
  while (flag_of(event)->load(acquire) == 0) {
    if (!weft::os::futex_wait_until(flag_of(event), 0, deadline_ns) && flag_of(event)->load(acquire) == 0) return WEFT_TIMEOUT;
  }
  return WEFT_OK;
}
weft_status weft_event_wait(weft_event* event) { return weft_event_wait_until(event, UINT64_MAX); }

// What follows a wait then runs in place.
weft_status weft_tasklet_create(weft_function, void*, const weft_thread_attr*, weft_thread**) { return WEFT_NOT_INITIALIZED; }
weft_status weft_thread_create(weft_function, void*, const weft_thread_attr*, weft_thread**) { return WEFT_NOT_INITIALIZED; }
const char* weft_status_name(weft_status) { return "status"; }
const char* weft_status_text(weft_status) { return "status"; }
const char* weft_last_error() { return ""; }
uint64_t weft_now_ns() { return 0; }

}  // extern "C"

namespace {

// ---- channels -----------------------------------------------------------------------------------

// What the value tells of, written before the push.
int payloads[3];

channel_op_status send(auto& channel, int number) {
  payloads[number] = number + 1;
  return channel.push(number);
}
int receive(auto& channel) {
  int number = -1;
  if (channel.pop(number) != channel_op_status::success) return -1;
  check(payloads[number] == number + 1, "the popper sees what the pusher did before");
  return number;
}

void forget() {
  for (int& each : payloads) each = 0;
}

void unbuffered_meet() {
  forget();
  weft::unbuffered_channel<int> channel;
  ult first;
  ult second;
  threads(thread{"pusher",
                 [&] {
                   first.begin();
                   check(send(channel, 0) == channel_op_status::success, "pushed");
                 }},
          thread{"popper", [&] {
                   second.begin();
                   check(receive(channel) == 0, "popped");
                 }});
}

void buffered_of_one() {
  forget();
  weft::buffered_channel<int> channel(1);
  ult first;
  ult second;
  threads(thread{"pusher",
                 [&] {
                   first.begin();
                   for (int i = 0; i < 2; ++i) check(send(channel, i) == channel_op_status::success, "pushed");
                 }},
          thread{"popper", [&] {
                   second.begin();
                   for (int i = 0; i < 2; ++i) check(receive(channel) == i, "in the order of the pushes");
                 }});
}

void two_push() {
  forget();
  weft::unbuffered_channel<int> channel;
  std::array<ult, 3> all;
  int sum = 0;
  const auto push = [&](int number) {
    all[static_cast<std::size_t>(number)].begin();
    check(send(channel, number) == channel_op_status::success, "pushed");
  };
  threads(thread{"a", [&] { push(0); }}, thread{"b", [&] { push(1); }}, thread{"popper", [&] {
                                                                                 all[2].begin();
                                                                                 sum = receive(channel) + receive(channel);
                                                                               }});
  check(sum == 1, "each value once");
}

void closed_meanwhile() {
  forget();
  weft::unbuffered_channel<int> channel;
  ult first;
  ult second;
  threads(thread{"popper",
                 [&] {
                   first.begin();
                   check(receive(channel) == -1, "closed");
                 }},
          thread{"closer", [&] {
                   second.begin();
                   channel.close();
                 }});
}

// The popper gives up, or has the value: never both, never neither.
void timed_pop() {
  forget();
  weft::unbuffered_channel<int> channel;
  ult first;
  ult second;
  channel_op_status popped{};
  channel_op_status pushed{};
  threads(thread{"popper",
                 [&] {
                   first.begin();
                   int number = -1;
                   popped = weft::detail::channel_access::core_of(channel).pop(weft::detail::pop_target<int>(&number), 100'000);
                   check((popped == channel_op_status::success) == (number == 0), "the value comes with success");
                   channel.close();
                 }},
          thread{"pusher", [&] {
                   second.begin();
                   pushed = send(channel, 0);
                 }});
  check(popped == (pushed == channel_op_status::success ? channel_op_status::success : channel_op_status::timeout),
        "both or neither");
}

// ---- select -------------------------------------------------------------------------------------

// Two wakers: one of them succeeds, the other's value is there for a later pop.
void select_of_two_wakers() {
  forget();
  weft::buffered_channel<int> left(1);
  weft::buffered_channel<int> right(1);
  std::array<ult, 3> all;
  int taken = -1;
  const auto take = [&](int number) {
    check(taken == -1, "one branch");
    check(payloads[number] == number + 1, "select sees what the pusher did before");
    taken = number;
  };
  threads(thread{"a",
                 [&] {
                   all[0].begin();
                   check(send(left, 0) == channel_op_status::success, "pushed");
                 }},
          thread{"b",
                 [&] {
                   all[1].begin();
                   check(send(right, 1) == channel_op_status::success, "pushed");
                 }},
          thread{"select", [&] {
                   all[2].begin();
                   const std::size_t chosen = weft::select(weft::on_pop(left, take), weft::on_pop(right, take));
                   check(static_cast<int>(chosen) == taken, "the branch that ran");
                 }});
  int other = -1;
  check((taken == 0 ? right : left).try_pop(other) == channel_op_status::success && other == 1 - taken,
        "the other value is there");
  check((taken == 0 ? left : right).try_pop(other) == channel_op_status::empty, "and nothing else");
}

// Two selects that face each other: each sees the other, or the later one the earlier.
void selects_meet() {
  forget();
  weft::unbuffered_channel<int> channel;
  weft::unbuffered_channel<int> silent;
  ult first;
  ult second;
  int got = -1;
  threads(thread{"pushes",
                 [&] {
                   first.begin();
                   weft::select(weft::on_push(channel, 0, [] {}),
                                weft::on_pop(silent, [](int) { explorer::fail("assertion", "silent"); }));
                 }},
          thread{"pops", [&] {
                   second.begin();
                   weft::select(weft::on_pop(silent, [](int) { explorer::fail("assertion", "silent"); }),
                                weft::on_pop(channel, [&](int number) { got = number; }));
                 }});
  check(got == 0, "handed over");
}

// What a std::stop_source does for one callback: after disarm none runs.
class stop_source {
 public:
  void arm(weft::detail::channel_decision decision) {
    decision_ = decision;
    if (state_.exchange(armed, acq_rel) == requested) decision();
  }
  void disarm() {
    int expected = armed;
    if (state_.compare_exchange_strong(expected, unarmed, acq_rel, acquire)) return;
    while (state_.load(acquire) == running) weft::arch::pause();
  }
  void request() {
    int expected = unarmed;
    if (state_.compare_exchange_strong(expected, requested, acq_rel, acquire)) return;
    expected = armed;
    if (!state_.compare_exchange_strong(expected, running, acq_rel, acquire)) return;
    (*decision_)();
    state_.store(over, release);
  }

 private:
  enum { unarmed, armed, requested, running, over };

  weft::base::atomic<int> state_{unarmed};
  std::optional<weft::detail::channel_decision> decision_;
};

class cancel_branch final : public weft::detail::branch {
 public:
  cancel_branch(stop_source& source, bool& was_cancelled) : source_(source), was_cancelled_(was_cancelled) {
    kind = weft::detail::branch_kind::stop;
  }
  void arm(weft::detail::channel_waiter* waiter) override { source_.arm({waiter, number}); }
  void disarm() noexcept override { source_.disarm(); }
  void run() override { was_cancelled_ = true; }

 private:
  stop_source& source_;
  bool& was_cancelled_;
};

// A waker and a cancel: one branch, and a value that was not taken stays.
void select_is_cancelled() {
  forget();
  weft::buffered_channel<int> channel(1);
  stop_source source;
  std::array<ult, 3> all;
  bool was_cancelled = false;
  int taken = -1;
  threads(thread{"pusher",
                 [&] {
                   all[0].begin();
                   check(send(channel, 0) == channel_op_status::success, "pushed");
                 }},
          thread{"canceller",
                 [&] {
                   all[1].begin();
                   source.request();
                 }},
          thread{"select", [&] {
                   all[2].begin();
                   cancel_branch cancelled(source, was_cancelled);
                   weft::select(weft::on_pop(channel, [&](int number) { taken = number; }), cancelled);
                 }});
  check(was_cancelled != (taken == 0), "one branch");
  int left = -1;
  check((channel.try_pop(left) == channel_op_status::success) == was_cancelled, "the value is taken, or there");
}

// ---- a wait without a thread: a stop against a wake ---------------------------------------------

// As stop_source, with the form of a token that pending asks for.
struct stop_state {
  enum { unarmed, armed, requested, running, over };
  weft::base::atomic<int> state{unarmed};
  void (*call)(void* callback) = nullptr;
  void* callback = nullptr;

  void request() {
    int expected = unarmed;
    if (state.compare_exchange_strong(expected, requested, acq_rel, acquire)) return;
    expected = armed;
    if (!state.compare_exchange_strong(expected, running, acq_rel, acquire)) return;
    weft::arch::set_local_word(this);
    call(callback);  // which may be gone then
    state.store(over, release);
  }
};

struct stop_token {
  stop_state* of;
  bool stop_requested() const noexcept { return of->state.load(acquire) == stop_state::requested; }
  bool stop_possible() const noexcept { return true; }

  template <class F>
  class callback_type {
   public:
    callback_type(const stop_token& token, F function) noexcept : of_(token.of), function_(function) {
      of_->call = [](void* self) { static_cast<callback_type*>(self)->function_(); };
      of_->callback = this;
      if (of_->state.exchange(stop_state::armed, acq_rel) == stop_state::requested) {
        of_->state.store(stop_state::over, relaxed);
        function_();
      }
    }
    ~callback_type() {
      int expected = stop_state::armed;
      if (of_->state.compare_exchange_strong(expected, stop_state::unarmed, acq_rel, acquire)) return;
      if (weft::arch::local_word() == of_) return;  // by itself
      while (of_->state.load(acquire) == stop_state::running) weft::arch::pause();
    }

   private:
    stop_state* of_;
    F function_;
  };
};

// Something that happens, maybe twice: tells the notice, unless it was cancelled before. What came
// first another caller has taken.
struct source {
  enum { idle, armed, taken, there, cancelled };
  weft::base::atomic<int> state{idle};
  weft::base::atomic<int> tells{0};
  weft::detail::notice* to = nullptr;
  int payload = 0;

  bool arm(weft::detail::notice* wanted) {
    to = wanted;
    int seen = idle;
    while (!state.compare_exchange_strong(seen, armed, acq_rel, acquire)) {
      if (seen == there) return false;
    }
    return true;
  }
  // As weft_ext_await_cancel: it returns after the notice.
  bool cancel() noexcept {
    int expected = armed;
    if (state.compare_exchange_strong(expected, cancelled, acq_rel, acquire)) return true;
    while (tells.load(acquire) != 0) weft::arch::pause();
    return false;
  }
  bool must_retry() noexcept {
    int expected = taken;
    return state.compare_exchange_strong(expected, idle, acq_rel, acquire);
  }
  void happen() {
    payload = 1;
    tell(there);
  }
  void happen_twice() {
    tell(taken);
    happen();
  }

 private:
  void tell(int what) {
    tells.store(1, relaxed);
    if (state.exchange(what, acq_rel) == armed) to->tell(to, WEFT_OK);
    tells.store(0, release);
  }
};

struct operation : weft::detail::resumption {
  operation(source& of, stop_state* stops) : resumption{go_on}, wait(of, this), from(of), token{stops} {}

  static void go_on(resumption* self) noexcept {
    auto* const mine = static_cast<operation*>(self);
    if (!mine->wait.restart(mine->token)) mine->end();
  }
  void start() {
    if (!wait.start(token)) end();
  }
  void end() {
    wait.finish();
    is_stopped = wait.is_stopped();
    if (!is_stopped) check(from.payload == 1, "what was done before is seen");
    ++ends;
  }

  weft::detail::pending<source, stop_token> wait;
  source& from;
  stop_token token;
  bool is_stopped = false;
  int ends = 0;
};

void stop_against(void (source::*happen)()) {
  source from;
  stop_state stops;
  operation one(from, &stops);
  threads(thread{"starter", [&] { one.start(); }}, thread{"waker", [&] { (from.*happen)(); }},
          thread{"stopper", [&] { stops.request(); }});
  check(one.ends == 1, "it goes on once");
}

void stop_against_wake() { stop_against(&source::happen); }
void stop_against_two_wakes() { stop_against(&source::happen_twice); }

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 12'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 1, .executions = 12'000};
constexpr bounds timed_deep{.preemptions = 4, .weak = 3, .timeouts = 1, .spurious = 1, .executions = 10'000'000};

const model m1{"channel unbuffered meet", {.at_least = 20, .quick = quick, .deep = deep}, unbuffered_meet};
const model m2{"channel buffered of one", {.at_least = 20, .quick = quick, .deep = deep}, buffered_of_one};
const model m3{"channel two push", {.at_least = 100, .quick = quick, .deep = deep}, two_push};
const model m4{"channel closed meanwhile", {.at_least = 10, .quick = quick, .deep = deep}, closed_meanwhile};
const model m5{"channel timed pop", {.at_least = 20, .quick = timed, .deep = timed_deep}, timed_pop};
const model m6{"select two wakers", {.at_least = 100, .quick = quick, .deep = deep}, select_of_two_wakers};
const model m7{"select two selects meet", {.at_least = 20, .quick = quick, .deep = deep}, selects_meet};
const model m8{"select waker and cancel", {.at_least = 100, .quick = quick, .deep = deep}, select_is_cancelled};
const model m9{"pending stop against wake", {.at_least = 100, .quick = quick, .deep = deep}, stop_against_wake};
const model m10{"pending stop against two wakes", {.at_least = 100, .quick = quick, .deep = deep}, stop_against_two_wakes};

}  // namespace
