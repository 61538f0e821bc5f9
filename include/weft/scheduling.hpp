// Schedulers written in C++: a class says which thread runs next, and weft::scheduler has workers
// ask it.
//
//   struct newest_first : weft::scheduling_algorithm<> {
//     void awakened(weft_thread* unit, weft::no_properties&) noexcept override { ready.push_back(unit); }
//     weft_thread* pick_next() noexcept override { ... }
//     bool has_ready() const noexcept override { return !ready.empty(); }
//     std::vector<weft_thread*> ready;
//   };
//   weft::scheduler<newest_first> mine({0, 1});  // on workers 0 and 1
//   weft::thread one = mine.start({}, work);
//
// The scheduler's threads are run by a ULT of the scheduler on each of its workers, beside the
// worker's other threads. The calls of an algorithm come one at a time, inside a spinlock of the
// scheduler, from any worker and from OS threads outside: they must be short, must not wait, and
// call nothing of Weft that makes a thread ready. A queue that finds no memory ends the program, as
// any exception in them. Supplied are round_robin, shared_work, work_stealing and by_priority.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <weft/ext.h>
#include <weft/weft.h>
#include <weft/detail/channel_wait.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/error.hpp>
#include <weft/thread.hpp>

namespace weft {

// The properties of threads for which an algorithm needs none.
struct no_properties {};

// The base class of algorithms: a scheduler calls it to learn which thread runs next. P is the type
// of the properties, such as a priority, that each of the scheduler's threads has.
template <class P = no_properties>
class scheduling_algorithm {
 public:
  // The properties of a thread.
  using properties_type = P;

  scheduling_algorithm() = default;
  scheduling_algorithm(const scheduling_algorithm&) = delete;
  scheduling_algorithm& operator=(const scheduling_algorithm&) = delete;
  virtual ~scheduling_algorithm() = default;

  // Tells the algorithm that a thread has become ready: it is new, has yielded, or was woken.
  virtual void awakened(weft_thread* unit, P& properties) noexcept = 0;
  // Returns the thread that the calling worker runs next; null if there is none for this worker.
  // Each thread that was passed to awakened is returned once.
  virtual weft_thread* pick_next() noexcept = 0;
  // Tells whether pick_next would return a thread.
  virtual bool has_ready() const noexcept = 0;
  // Waits until notify is called or the deadline passes; it may return early. A ULT of the
  // scheduler that found nothing to run calls it, outside the lock. A notify that was called after
  // that ULT looked for threads must also end the wait. Weft has timers of its own, so the deadline
  // is always time_point::max().
  virtual void suspend_until(const std::chrono::steady_clock::time_point& deadline) noexcept {
    const bool is_endless = deadline == std::chrono::steady_clock::time_point::max();
    const std::uint64_t until = is_endless ? WEFT_FOREVER : detail::to_ns(deadline.time_since_epoch());
    static_cast<void>(weft_ext_wait_for_work(&pool_, 1, until, has_ended, this));
  }
  // Ends suspend_until of one of the scheduler's ULTs. The caller that has made a thread ready
  // calls it, outside the lock. It must not wait; for example, it sets an event.
  virtual void notify() noexcept { weft_ext_pool_notify(pool_); }

 private:
  template <class A>
  friend class scheduler;
  static bool has_ended(void* self) {
    return static_cast<scheduling_algorithm*>(self)->has_ended_.load(std::memory_order_acquire);
  }

  weft_pool* pool_ = nullptr;
  std::atomic<bool> has_ended_ = false;  // the scheduler has
};

namespace detail {

template <class A>
concept algorithm_of_scheduler =
    requires { typename A::properties_type; } && std::derived_from<A, scheduling_algorithm<typename A::properties_type>>;

// The key under which a thread of a scheduler has the address of its properties.
template <class P>
weft_key key_of_properties() {
  static const weft_key key = [] {
    weft_key made{};
    check(weft_key_create(nullptr, &made), "weft_key_create");
    return made;
  }();
  return key;
}

}  // namespace detail

namespace this_thread {

// Returns the caller's properties. A change counts when the caller next becomes ready. Throws
// weft::error: not_owner (any other caller). Never switches. Callable from a thread that a
// scheduler with such properties has started.
template <class P>
P& properties() {
  void* const mine = weft_key_get(detail::key_of_properties<P>());
  if (mine == nullptr) {
    detail::fail(WEFT_NOT_OWNER, "weft::this_thread::properties: no scheduler with such properties started the caller");
  }
  return *static_cast<P*>(mine);
}

}  // namespace this_thread

// A scheduler: some workers run its threads in the order that an algorithm chooses.
template <class A>
class scheduler {
  static_assert(detail::algorithm_of_scheduler<A>, "weft::scheduler takes a class derived from weft::scheduling_algorithm<P>");
  using P = typename A::properties_type;

 public:
  // Starts to schedule on the given workers. arguments are passed to the algorithm's constructor.
  // Throws weft::error: invalid (no such worker, or workers is empty), not_initialized, no_memory;
  // and what the algorithm's constructor throws. May switch. Callable from a ULT or outside.
  template <class... As>
  explicit scheduler(const std::vector<unsigned>& workers, As&&... arguments) : algorithm_(std::forward<As>(arguments)...) {
    if (workers.empty()) detail::fail(WEFT_INVALID, "weft::scheduler: it is given no workers");
    weft_pool_ops ops{sizeof ops, push, pop, count, nullptr, nullptr};
    detail::check(weft_ext_pool_create(&ops, this, WEFT_POOL_SHARED, &pool_), "weft_ext_pool_create");
    algorithm_.pool_ = pool_;
    try_start(workers);
  }
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;
  // Waits until all threads of the scheduler have ended. May switch. Undefined: the caller is a
  // thread of the scheduler.
  ~scheduler() {
    while (has_threads()) static_cast<void>(weft_sleep_ns(quiet_ns));
    end();
  }

  // Runs a copy of function under this scheduler, with properties of its own. Throws weft::error
  // and what copying throws. Never switches. Callable from any.
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  [[nodiscard]] thread start(P properties, F&& function) {
    auto made = std::make_unique<started<std::decay_t<F>>>(this, std::move(properties), std::forward<F>(function));
    weft_thread_attr attributes = WEFT_THREAD_ATTR_INIT;
    attributes.pool = pool_;
    weft_thread* unit = nullptr;
    detail::check(weft_ext_thread_make(started<std::decay_t<F>>::run, made.get(), &attributes, false, &unit),
                  "weft_ext_thread_make");
    struct guard {
      weft_thread* unit;
      ~guard() { weft_ext_thread_discard(unit); }
    } unused{unit};
    {
      const std::lock_guard hold(lock_of_all_);
      all_.emplace(unit, &made->properties);
    }
    static_cast<void>(made.release());  // the thread's now
    return thread(detail::adopted(), put(std::exchange(unused.unit, nullptr)));
  }

  // Returns the pool of the scheduler's threads, for thread_attributes. Threads that are created
  // with this pool have default properties.
  weft_pool* pool() const noexcept { return pool_; }
  // Returns the algorithm. The scheduler's lock does not protect members that the program calls by
  // this reference.
  A& algorithm() noexcept { return algorithm_; }

 private:
  static constexpr std::uint64_t quiet_ns = 200'000;

  template <class F>
  struct started {
    template <class G>
    started(scheduler* mine, P its, G&& called) : of(mine), properties(std::move(its)), function(std::forward<G>(called)) {}
    static void run(void* box) noexcept {
      const std::unique_ptr<started> self(static_cast<started*>(box));
      static_cast<void>(weft_key_set(detail::key_of_properties<P>(), &self->properties));
      std::invoke(self->function);
      static_cast<void>(weft_key_set(detail::key_of_properties<P>(), nullptr));
      const std::lock_guard hold(self->of->lock_of_all_);
      self->of->all_.erase(weft_self());
    }
    scheduler* of;
    P properties;
    F function;
  };

  // A new unit, which cannot be refused.
  weft_thread* put(weft_thread* unit) noexcept {
    static_cast<void>(weft_ext_pool_push(pool_, unit, WEFT_PUSH_NEW));
    return unit;
  }

  P& properties_of(weft_thread* unit) noexcept {
    const std::lock_guard hold(lock_of_all_);
    const auto found = all_.find(unit);
    return found != all_.end() ? *found->second : default_;
  }
  static void push(void* state, weft_thread* unit, weft_push_reason) {
    auto* const mine = static_cast<scheduler*>(state);
    P& its = mine->properties_of(unit);
    {
      const std::lock_guard hold(mine->lock_);
      mine->algorithm_.awakened(unit, its);
    }
    mine->algorithm_.notify();
  }
  static weft_thread* pop(void* state) {
    auto* const mine = static_cast<scheduler*>(state);
    const std::lock_guard hold(mine->lock_);
    return mine->algorithm_.pick_next();
  }
  static std::size_t count(void* state) {
    auto* const mine = static_cast<scheduler*>(state);
    const std::lock_guard hold(mine->lock_);
    return mine->algorithm_.has_ready() ? 1 : 0;
  }

  // Those that start made are known, wherever they have moved. Others are counted by the pool while
  // they are ready or blocked, but not while they run: it is empty for good when no dispatch was
  // under way at the time at which it said so.
  bool has_threads() noexcept {
    {
      const std::lock_guard hold(lock_of_all_);
      if (!all_.empty()) return true;
    }
    // acquire: what ended dispatches left ready or blocked; pairs with serve
    const std::uint64_t ended = ended_dispatches_.load(std::memory_order_acquire);
    // relaxed: pop and count hold lock_, so a count without a popped thread shows its dispatch
    return weft_pool_total_count(pool_) != 0 || begun_dispatches_.load(std::memory_order_relaxed) != ended;
  }
  void try_start(const std::vector<unsigned>& workers) {
    struct guard {
      scheduler* of;
      ~guard() {
        if (of != nullptr) of->end();
      }
    } at_failure{this};
    for (const unsigned worker : workers) {
      runners_.emplace_back(thread_attributes{.name = "scheduler", .worker = static_cast<int>(worker)}, [this] { serve(); });
    }
    at_failure.of = nullptr;
  }
  void end() noexcept {
    algorithm_.has_ended_.store(true, std::memory_order_release);
    for (std::size_t each = 0; each < runners_.size(); ++each) algorithm_.notify();
    for (thread& each : runners_) each.join();
    while (weft_pool_destroy(pool_) == WEFT_BUSY) weft_yield();  // the last thread is about to leave it
  }
  void serve() noexcept {
    while (!algorithm_.has_ended(&algorithm_) && !weft_ext_should_stop()) {
      begun_dispatches_.fetch_add(1, std::memory_order_relaxed);  // before lock_: has_threads
      weft_thread* const unit = weft_ext_pool_pop(pool_);
      const bool is_refused = unit != nullptr && weft_ext_dispatch(unit) != WEFT_OK;
      if (is_refused) static_cast<void>(weft_ext_pool_push(pool_, unit, WEFT_PUSH_YIELDED));
      ended_dispatches_.fetch_add(1, std::memory_order_release);  // pairs with has_threads
      if (unit == nullptr) {
        algorithm_.suspend_until(std::chrono::steady_clock::time_point::max());
      } else if (is_refused) {  // no stack for it now, or it is pinned elsewhere
        weft_yield();
      }
    }
  }
  A algorithm_;
  P default_{};
  weft_pool* pool_ = nullptr;
  detail::channel_lock lock_;         // around the calls of the algorithm
  detail::channel_lock lock_of_all_;  // of all_
  std::unordered_map<weft_thread*, P*> all_;
  std::vector<thread> runners_;
  std::atomic<std::uint64_t> begun_dispatches_ = 0;
  std::atomic<std::uint64_t> ended_dispatches_ = 0;
};

// Runs threads in the order in which they became ready.
class round_robin : public scheduling_algorithm<> {
 public:
  // Implements the function of scheduling_algorithm.
  void awakened(weft_thread* unit, no_properties&) noexcept override { ready_.push_back(unit); }
  // Implements the function of scheduling_algorithm.
  weft_thread* pick_next() noexcept override {
    if (ready_.empty()) return nullptr;
    weft_thread* const first = ready_.front();
    ready_.pop_front();
    return first;
  }
  // Implements the function of scheduling_algorithm.
  bool has_ready() const noexcept override { return !ready_.empty(); }

 private:
  std::deque<weft_thread*> ready_;
};

// One queue for all workers of the scheduler: first come, first served, wherever there is room.
using shared_work = round_robin;

// Keeps a queue for each worker. A worker runs the newest thread of its own queue. If that is
// empty, it takes the oldest thread of another worker's queue.
class work_stealing : public scheduling_algorithm<> {
 public:
  // Implements the function of scheduling_algorithm.
  void awakened(weft_thread* unit, no_properties&) noexcept override { own().push_back(unit); }
  // Implements the function of scheduling_algorithm.
  weft_thread* pick_next() noexcept override {
    std::deque<weft_thread*>& mine = own();
    if (!mine.empty()) return take(mine, mine.size() - 1);
    for (std::deque<weft_thread*>& each : ready_) {
      if (!each.empty()) return take(each, 0);
    }
    return nullptr;
  }
  // Implements the function of scheduling_algorithm.
  bool has_ready() const noexcept override {
    for (const std::deque<weft_thread*>& each : ready_) {
      if (!each.empty()) return true;
    }
    return false;
  }

 private:
  // The first is also that of OS threads outside.
  std::deque<weft_thread*>& own() {
    const int worker = weft_worker_self();
    const auto index = static_cast<std::size_t>(worker < 0 ? 0 : worker);
    while (ready_.size() <= index) ready_.emplace_back();
    return ready_[index];
  }
  static weft_thread* take(std::deque<weft_thread*>& from, std::size_t index) {
    weft_thread* const taken = from[index];
    index == 0 ? from.pop_front() : from.pop_back();
    return taken;
  }

  std::deque<std::deque<weft_thread*>> ready_;
};

// The properties for by_priority.
struct priority_properties {
  // The higher, the sooner.
  int priority = 0;
};

// Runs the thread of the highest priority. Threads of one priority run in the order in which they
// became ready. A thread of a lower priority waits as long as there are threads of a higher one.
class by_priority : public scheduling_algorithm<priority_properties> {
 public:
  // Implements the function of scheduling_algorithm.
  void awakened(weft_thread* unit, priority_properties& properties) noexcept override {
    auto at = ready_.end();
    while (at != ready_.begin() && std::prev(at)->priority < properties.priority) --at;
    ready_.insert(at, {unit, properties.priority});
  }
  // Implements the function of scheduling_algorithm.
  weft_thread* pick_next() noexcept override {
    if (ready_.empty()) return nullptr;
    weft_thread* const first = ready_.front().unit;
    ready_.pop_front();
    return first;
  }
  // Implements the function of scheduling_algorithm.
  bool has_ready() const noexcept override { return !ready_.empty(); }

 private:
  struct place {
    weft_thread* unit;
    int priority;
  };
  std::deque<place> ready_;
};

}  // namespace weft
