// See scheduler.hpp.
#include "explorer/scheduler.hpp"

#include <algorithm>

namespace explorer {
namespace {

constexpr int fruitless_limit = 1000;  // rounds of a loop without news; shipping loops have a patience of some hundred

scheduler* entering = nullptr;  // for enter(), which gets no argument

bool is_fence(operation_kind kind) {
  return kind == operation_kind::fence || kind == operation_kind::heavy_fence || kind == operation_kind::futex;
}
bool orders_globally(const operation& o) { return is_fence(o.kind) || o.seq_cst; }

}  // namespace

bool independent(const operation& a, const operation& b) {
  if (a.kind == operation_kind::none || b.kind == operation_kind::none) return true;
  if (is_fence(a.kind) && orders_globally(b)) return false;
  if (is_fence(b.kind) && orders_globally(a)) return false;
  if (a.kind == operation_kind::heavy_fence && b.kind == operation_kind::light_fence) return false;
  if (b.kind == operation_kind::heavy_fence && a.kind == operation_kind::light_fence) return false;
  if (a.location != b.location || a.location < 0) return true;
  return a.kind == operation_kind::read && b.kind == operation_kind::read && !(a.seq_cst && b.seq_cst);
}

// ---- starting and ending ------------------------------------------------------------------------

void scheduler::run(void (*body)(), const bounds& limits) {
  entering = this;
  body_ = body;
  left_ = limits;
  end_ = ending::finished;
  steps_ = forced_ = count_ = 0;
  sleep_set_ = 0;
  priming_ = false;
  for (logical_thread& it : threads_) {
    it.is = state::absent;
    it.name.clear();
    it.clock_ns = 0;
    it.timeouts = 0;
  }
  threads_[0].name = "body";
  threads_[0].context.prepare(&enter);
  self_ = running_thread = 0;
  coroutine::jump(driver_, threads_[0].context);
  self_ = running_thread = -1;
}

void scheduler::enter() {
  scheduler& me = *entering;
  if (me.self_ == 0) {
    me.body_();
    me.abandon(ending::finished);
  }
  logical_thread& it = me.thread(me.self_);
  it.begin.call(it.begin.object);
  it.is = state::finished;
  if (me.priming_) {
    me.jump(0);
  } else {
    me.switch_to_next();
  }
  __builtin_unreachable();
}

void scheduler::abandon(ending end) {
  end_ = end;
  coroutine::jump(thread(self_).context, driver_);
  __builtin_unreachable();
}

void scheduler::jump(int to) {
  const int from = self_;
  self_ = running_thread = to;
  coroutine::jump(thread(from).context, thread(to).context);
}

// Each thread first runs up to its first operation, so that what every thread is about to do is
// known when the first choice is made.
void scheduler::fork(const start* first, int count) {
  if (count >= max_threads) fail("the model is too large", "raise max_threads");
  count_ = count;
  sleep_set_ = 0;
  memory_.fork(count);
  priming_ = true;
  for (int i = 1; i <= count; ++i) {
    logical_thread& it = thread(i);
    it.begin = first[i - 1];
    it.name = it.begin.name;
    it.is = state::ready;
    it.pending = {};
    it.paused = it.alone = false;
    it.reads.clear();
    it.previous.clear();
    it.context.prepare(&enter);
    jump(i);
  }
  priming_ = false;
  switch_to_next();
  memory_.join(count);
  count_ = 0;
}

// ---- choosing -----------------------------------------------------------------------------------

void scheduler::before(operation next) {
  if (self_ == 0) return;
  logical_thread& me = thread(self_);
  me.pending = next;
  if (++steps_ > left_.steps) fail("livelock", "the execution is longer than bounds::steps");
  if (priming_) {
    jump(0);
    return;
  }
  if (me.alone && next.kind == operation_kind::read && same_as(next.location) != 0) return;
  me.alone = false;
  switch_to_next();
}

// With every thread finished, back to thread 0.
void scheduler::switch_to_next() {
  collect_options();
  if (options_.empty()) {
    collect_forced();  // nothing out of turn: that would hide that they are stuck
  } else {
    collect_budgeted();
  }
  if (options_.empty()) {
    for (int i = 1; i <= count_; ++i) {
      if (thread(i).is != state::finished) fail("deadlock", describe_stuck());
    }
    if (self_ != 0) jump(0);
    return;
  }
  const option chosen = choose();
  resume(chosen);
  if (chosen.thread != self_) jump(chosen.thread);
}

bool scheduler::has_news(const logical_thread& it) const {
  for (auto r = it.previous.begin(); r != it.previous.end(); ++r) {
    // What it stored itself, such as its release of a lock, is no news.
    const bool is_last =
        std::none_of(r + 1, it.previous.end(), [&](const spin_read& later) { return later.location == r->location; });
    if (is_last && memory_.has_news(r->location, r->at, r->value)) return true;
  }
  return false;
}

// The caller first if it can go on: the first path is the one without preemptions.
void scheduler::collect_options() {
  options_.clear();
  const auto can_run = [&](int i) {
    const logical_thread& it = thread(i);
    return it.is == state::ready && (!it.paused || has_news(it));
  };
  preempts_ = self_ != 0 && can_run(self_) && !thread(self_).paused;
  if (preempts_) options_.push_back({self_, how::goes_on});
  if (preempts_ && left_.preemptions == 0) return;
  for (int i = 1; i <= count_; ++i) {
    if ((i != self_ || !preempts_) && can_run(i)) options_.push_back({i, how::goes_on});
  }
}

// What a thread may do out of turn, each kind as often as the bounds allow.
void scheduler::collect_budgeted() {
  if (preempts_ && left_.preemptions == 0) return;
  for (int i = 1; i <= count_; ++i) {
    const logical_thread& it = thread(i);
    if (it.is == state::ready && it.paused && left_.impatience > 0 && !has_news(it)) options_.push_back({i, how::without_news});
    if (it.is == state::asleep && it.has_deadline() && left_.timeouts > 0) options_.push_back({i, how::early_timeout});
    if (it.is == state::asleep && left_.spurious > 0) options_.push_back({i, how::spurious});
  }
}

// No thread can go on by itself: time passes for those that have a deadline, and loops go round.
void scheduler::collect_forced() {
  for (int i = 1; i <= count_; ++i) {
    const logical_thread& it = thread(i);
    if (it.is == state::asleep && it.has_deadline()) options_.push_back({i, how::late_timeout});
  }
  if (!options_.empty()) return;
  if (memory_.owes()) prune();  // all are finished, or wait for what was read early
  int best = 0;
  for (int i = 1; i <= count_; ++i) {
    const logical_thread& it = thread(i);
    if (it.is != state::ready || !it.paused) continue;
    if (best == 0 || it.fruitless < thread(best).fruitless) best = i;
  }
  if (best == 0) return;
  if (++forced_ > fruitless_limit) fail("deadlock", "spins for ever: " + describe_stuck());
  options_.push_back({best, how::forced});
}

// Sleep sets (Godefroid 1996) are sound only where every thread may always be chosen, and a store
// depends on nothing that was read of it.
bool scheduler::reduces() const {
  return left_.preemptions < 0 && left_.weak < 0 && left_.impatience == 0 && left_.timeouts == 0 && left_.spurious == 0 &&
         left_.promises == 0;
}

void scheduler::drop_sleeping() {
  std::erase_if(options_, [&](const option& o) { return (sleep_set_ >> o.thread & 1) != 0; });
  if (options_.empty()) abandon(ending::pruned);
}

scheduler::option scheduler::choose() {
  if (reduces() && options_[0].way == how::goes_on) drop_sleeping();
  const int index = path_.choose(static_cast<int>(options_.size()));
  const option chosen = options_[static_cast<std::size_t>(index)];
  if (reduces()) put_to_sleep(index);
  if (preempts_ && chosen.thread != self_ && left_.preemptions > 0) --left_.preemptions;
  return chosen;
}

// Those explored before the chosen one need not go next, until something happens that they depend
// on.
void scheduler::put_to_sleep(int chosen_index) {
  for (int i = 0; i < chosen_index; ++i) {
    const option& explored = options_[static_cast<std::size_t>(i)];
    if (explored.way == how::goes_on) sleep_set_ |= 1u << explored.thread;  // a wake-up in between makes a timeout another step
  }
  const option chosen = options_[static_cast<std::size_t>(chosen_index)];
  const operation& next = thread(chosen.thread).pending;
  for (int i = 1; i <= count_; ++i) {
    const bool stays = i != chosen.thread && independent(thread(i).pending, next);
    if (!stays) sleep_set_ &= ~(1u << i);
  }
}

void scheduler::resume(option chosen) {
  logical_thread& it = thread(chosen.thread);
  if (chosen.way == how::without_news) {
    --left_.impatience;
    it.alone = true;
  }
  if (chosen.way == how::early_timeout) --left_.timeouts;
  if (chosen.way == how::spurious) --left_.spurious;
  it.timed_out = chosen.way == how::early_timeout || chosen.way == how::late_timeout;
  if (it.paused) it.resumed = chosen.way;
  it.paused = false;
  it.is = state::ready;
}

// ---- loops that pause ---------------------------------------------------------------------------

void scheduler::saw(int location, timestamp at, word value) {
  if (self_ != 0) thread(self_).reads.push_back({location, at, value});
}

timestamp scheduler::same_as(int location) const {
  const logical_thread& me = thread(self_);
  if (!me.alone) return 0;
  for (const spin_read& r : me.previous) {
    if (r.location == location) return r.at;
  }
  return 0;
}

// The thread goes on to its next operation and stops there until it can see something new. An
// iteration that could have seen something new and did not is not explored: the same execution
// exists with one iteration less, and stores become visible in finite time.
void scheduler::pause() {
  if (self_ == 0) return;
  logical_thread& me = thread(self_);
  const bool stutters = !me.reads.empty() && me.reads == me.previous;
  if (stutters && me.resumed == how::goes_on) abandon(ending::pruned);
  me.fruitless = stutters ? me.fruitless + 1 : 0;
  me.previous.swap(me.reads);
  me.reads.clear();
  if (me.fruitless > fruitless_limit && me.alone) abandon(ending::pruned);
  me.alone = me.alone && stutters;
  me.paused = !me.alone;
}

// ---- futex --------------------------------------------------------------------------------------

bool scheduler::sleep(int location, std::uint64_t deadline_ns) {
  if (self_ == 0) fail("deadlock", "the body waits while no thread runs");
  logical_thread& me = thread(self_);
  me.is = state::asleep;
  me.sleeps_on = location;
  me.deadline_ns = deadline_ns;
  me.timed_out = false;
  me.pending = {};
  switch_to_next();
  if (!me.timed_out) return true;
  me.clock_ns = std::max(me.clock_ns, deadline_ns);
  ++me.timeouts;
  return false;
}

// The kernel promises no order among waiters: which of them it wakes is a choice.
int scheduler::wake(int location, int count) {
  int woken = 0;
  for (; woken < count; ++woken) {
    std::vector<int> waiters;
    for (int i = 1; i <= count_; ++i) {
      const logical_thread& it = thread(i);
      if (it.is == state::asleep && it.sleeps_on == location) waiters.push_back(i);
    }
    if (waiters.empty()) break;
    const int chosen = waiters[static_cast<std::size_t>(path_.choose(static_cast<int>(waiters.size())))];
    thread(chosen).is = state::ready;
  }
  return woken;
}

std::string scheduler::describe_stuck() const {
  std::string text;
  for (int i = 1; i <= count_; ++i) {
    const logical_thread& it = thread(i);
    if (it.is == state::finished) continue;
    if (!text.empty()) text += ", ";
    text += it.name + (it.is == state::asleep ? " sleeps" : " spins");
  }
  return text;
}

}  // namespace explorer
