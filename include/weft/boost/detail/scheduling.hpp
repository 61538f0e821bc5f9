// How Weft runs the fibers of an OS thread in the order of a program's algorithm, and the calls
// that install one.
//
// The OS thread is a worker, whose fibers and own flow of control belong to a pool that no worker
// serves. A ULT of the worker, the dispatcher, takes contexts from the algorithm and runs them; if
// there is none, it blocks the OS thread in suspend_until. So another worker, which is always idle,
// keeps the time for all: a fiber that it wakes is noted, as one that any other OS thread wakes,
// notify is called, and the dispatcher tells the algorithm. Fibers that the OS thread makes or wakes
// itself go to the algorithm at once.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/ext.h>
#include <weft/weft.h>

#include <weft/boost/detail/algorithms.hpp>
#include <weft/boost/detail/context.hpp>
#include <weft/boost/detail/errors.hpp>
#include <weft/error.hpp>
#include <weft/fiber/detail/library.hpp>
#include <weft/fiber/operations.hpp>

namespace weft::detail {

// Belongs to an OS thread. Only push, notify and count are called on others.
class order_by_algorithm final : public fibers::detail::order {
  using algorithm = boost::fibers::algo::algorithm;
  using context = boost::fibers::context;
  using type = boost::fibers::type;

 public:
  // Gives the calling OS thread an algorithm, or another one.
  static void install(algorithm::ptr_t wanted) {
    fibers::detail::use();
    if (auto* const mine = static_cast<order_by_algorithm*>(fibers::detail::own_order); mine != nullptr) {
      mine->replace(std::move(wanted));
      return;
    }
    refuse_others();
    auto* const made = new order_by_algorithm(std::move(wanted));
    try {
      made->begin();
    } catch (...) {
      delete made;
      throw;
    }
  }

  // The dispatcher of the calling OS thread, for calls that no fiber makes.
  static context* dispatcher_here() {
    auto* const mine = static_cast<order_by_algorithm*>(fibers::detail::order_here());
    if (mine != nullptr) return contexts::have(mine->dispatcher_, type::dispatcher_context);
    throw boost::fibers::fiber_error(std::make_error_code(std::errc::operation_not_permitted),
                                     "boost fiber: an OS thread without fibers");
  }

  bool has_ready() const noexcept { return algorithm_->has_ready_fibers(); }

  void expect_fiber(bool at_once) noexcept override {
    holds_next_ = at_once;
    held_ = nullptr;
  }
  void run_held() noexcept override {
    weft_thread* const fresh = std::exchange(held_, nullptr);
    if (fresh != nullptr && weft_ext_yield_to_owned(fresh, false) != WEFT_OK) put_back(fresh);
  }

  void end() override {
    constexpr std::uint64_t longest_ns = 1'000'000;
    for (std::uint64_t ns = 1'000; weft_pool_total_count(pool_) != 0; ns = ns < longest_ns ? 2 * ns : ns) {
      check(weft_sleep_until(weft_deadline_in(ns)), "weft_sleep_until");
    }
    check(weft_ext_thread_set_pool(weft_self(), nullptr), "weft_ext_thread_set_pool");
    has_ended_ = true;
    check(weft_thread_join(dispatcher_), "weft_thread_join");
    while (weft_pool_destroy(pool_) == WEFT_BUSY) weft_yield();  // a waker is about to leave it
    contexts::forget(weft_self());
    fibers::detail::own_order = nullptr;
    fibers::detail::own_queue = nullptr;
    delete this;
  }

 private:
  explicit order_by_algorithm(algorithm::ptr_t wanted) noexcept : algorithm_(std::move(wanted)) {}
  ~order_by_algorithm() = default;

  static void refuse_others() {
    const auto refuse = [](const char* why) {
      throw boost::fibers::fiber_error(std::make_error_code(std::errc::operation_not_permitted), why);
    };
    if (fibers::detail::is(fibers::detail::stage::stealing))
      refuse("boost fiber: an algorithm of the program's after algo::work_stealing, which orders the fibers of all OS threads");
    weft_pool* const queue = fibers::detail::own_queue;
    if (queue == nullptr)
      refuse("boost fiber: an algorithm of the program's in a program that started Weft itself; see weft::scheduler");
    if (weft_pool_total_count(queue) != 0)
      refuse("boost fiber: an algorithm of the program's has to be asked for before the OS thread's first fiber");
  }

  void begin() {
    have_clock();
    weft_pool_ops ops{sizeof ops, push, pop, count, nullptr, nullptr};
    check(weft_ext_pool_create(&ops, this, WEFT_POOL_SHARED, &pool_), "weft_ext_pool_create");
    const auto worker = static_cast<unsigned>(weft_worker_self());
    weft_thread_attr attributes = WEFT_THREAD_ATTR_INIT;
    attributes.name = "dispatcher";
    attributes.worker = static_cast<int>(worker);
    if (const weft_status status = weft_thread_create(serve, this, &attributes, &dispatcher_); status != WEFT_OK) {
      static_cast<void>(weft_pool_destroy(pool_));
      fail(status, "weft_thread_create");
    }
    contexts::have(weft_self(), type::main_context)->home_ = this;
    weft_pool* const before = std::exchange(fibers::detail::own_queue, pool_);
    fibers::detail::own_order = this;
    // None of these can fail: the caller is a ULT of this worker, and the queue is empty.
    static_cast<void>(weft_ext_thread_set_pool(weft_self(), pool_));
    static_cast<void>(weft_pool_detach(before, worker));
    static_cast<void>(weft_pool_destroy(before));
    fibers::detail::note_algorithm(before);
  }

  // An idle worker keeps the time for all: where main's OS thread started the library, one more.
  static void have_clock() {
    const fibers::detail::library_lock inside;
    if (fibers::detail::the_library.main_fiber == nullptr || std::exchange(fibers::detail::the_library.has_clock, true)) return;
    unsigned added = 0;
    if (const weft_status status = weft_worker_add(&added); status != WEFT_OK) {
      fibers::detail::the_library.has_clock = false;
      fail(status, "weft_worker_add");
    }
  }

  void replace(algorithm::ptr_t wanted) {
    // All are taken first: the two may share a queue.
    std::vector<context*> ready;
    const auto give = [&ready](algorithm& to) {
      for (context* const each : ready) to.awakened(each);
    };
    try {
      for (context* next = nullptr;; ready.push_back(next)) {
        ready.reserve(ready.size() + 1);
        next = algorithm_->pick_next();
        if (next == nullptr) break;
      }
    } catch (...) {
      give(*algorithm_);
      throw;
    }
    give(*wanted);
    const std::lock_guard hold(lock_);
    algorithm_ = std::move(wanted);
  }

  // ---- the pool ----

  static void push(void* state, weft_thread* unit, weft_push_reason reason) {
    auto* const mine = static_cast<order_by_algorithm*>(state);
    const bool is_new = reason == WEFT_PUSH_NEW;
    if (!mine->is_here()) return mine->push_from_outside(unit);
    if (is_new && std::exchange(mine->holds_next_, false)) {
      contexts::renew(unit)->home_ = mine;
      mine->held_ = unit;
      return;
    }
    context* const its = is_new ? contexts::renew(unit) : contexts::have(unit, type::worker_context);
    mine->ready_.fetch_add(1, std::memory_order_relaxed);
    its->home_ = mine;
    mine->algorithm_->awakened(its);
  }
  void push_from_outside(weft_thread* unit) noexcept {
    ready_.fetch_add(1, std::memory_order_relaxed);
    algorithm::ptr_t told;  // stays until it is told, though the OS thread may run the fiber and end
    {
      const std::lock_guard hold(lock_);
      outside_.push_back(unit);
      told = algorithm_;
    }
    told->notify();
  }
  static weft_thread* pop(void* state) {
    auto* const mine = static_cast<order_by_algorithm*>(state);
    mine->take_from_outside();
    context* const next = mine->algorithm_->pick_next();
    if (next == nullptr) return nullptr;
    if (next->home_ != nullptr) next->home_->ready_.fetch_sub(1, std::memory_order_relaxed);
    next->home_ = mine;
    return next->unit_;
  }
  static std::size_t count(void* state) {
    return static_cast<order_by_algorithm*>(state)->ready_.load(std::memory_order_relaxed);
  }

  void take_from_outside() noexcept {
    {
      const std::lock_guard hold(lock_);
      taken_.swap(outside_);
    }
    for (weft_thread* const unit : taken_) {
      context* const its = contexts::have(unit, type::worker_context);
      its->home_ = this;
      algorithm_->awakened(its);
    }
    taken_.clear();
  }

  // One that was taken out and could not run.
  void put_back(weft_thread* unit) noexcept { static_cast<void>(weft_ext_pool_push(pool_, unit, WEFT_PUSH_YIELDED)); }

  // ---- the dispatcher ----

  // False while one of the OS thread's fibers is in a blocking region there, and another OS thread
  // runs its worker: the algorithm is this one's alone, and would block that one.
  bool is_here() const noexcept { return fibers::detail::order_here() == this && weft_worker_self() >= 0; }
  // Leaves the worker to the fiber whose region ends.
  static void rest() noexcept { static_cast<void>(weft_sleep_ns(1'000'000)); }

  static void serve(void* state) {
    auto* const mine = static_cast<order_by_algorithm*>(state);
    contexts::have(weft_self(), type::dispatcher_context);
    while (!mine->has_ended_) {
      if (!mine->is_here()) {
        rest();
        continue;
      }
      static_cast<void>(weft_ext_should_stop());  // takes in what others sent to this worker
      weft_thread* const next = pop(mine);        // with the dispatcher's identity
      if (next == nullptr) {
        mine->algorithm_->suspend_until(std::chrono::steady_clock::time_point::max());
        weft_yield();
      } else {
        mine->run(next);
      }
    }
    contexts::forget(weft_self());
  }
  void run(weft_thread* next) noexcept {
    if (weft_ext_thread_set_pool(next, pool_) == WEFT_OK && weft_ext_dispatch(next) == WEFT_OK) return;
    put_back(next);  // there is no stack for it now
    weft_yield();
  }

  algorithm::ptr_t algorithm_;  // changed by the OS thread inside lock_
  weft_pool* pool_ = nullptr;
  weft_thread* dispatcher_ = nullptr;
  bool has_ended_ = false;
  bool holds_next_ = false;      // the fiber that is made next
  weft_thread* held_ = nullptr;  // that was made to run at once
  std::mutex lock_;
  std::vector<weft_thread*> outside_;   // guarded by lock_: those that other OS threads made ready
  std::vector<weft_thread*> taken_;     // of take_from_outside
  std::atomic<std::size_t> ready_ = 0;  // those of the pool that an algorithm has, or outside_
};

}  // namespace weft::detail

namespace boost {
namespace fibers {

inline context* context::active() {
  weft::fibers::detail::use();
  weft_thread* const self = weft_self();
  if (self == nullptr) return weft::detail::order_by_algorithm::dispatcher_here();
  if (context* const mine = weft::detail::contexts::find(self); mine != nullptr) return mine;
  const bool is_own = self == weft::fibers::detail::flow_here();
  return weft::detail::contexts::have(self, is_own ? type::main_context : type::worker_context);
}

inline scheduler* context::get_scheduler() const noexcept {
  static scheduler the_scheduler;
  return &the_scheduler;
}

inline bool scheduler::has_ready_fibers() const noexcept {
  auto* const mine = static_cast<weft::detail::order_by_algorithm*>(weft::fibers::detail::order_here());
  if (mine != nullptr) return mine->has_ready();
  weft_pool* const queue = weft::fibers::detail::queue_here();
  return queue != nullptr && weft_pool_ready_count(queue) != 0;
}

// Whether there is a ready fiber of the calling OS thread. Starts the library if need be. Never
// switches.
inline bool has_ready_fibers() {
  weft::fibers::detail::use();
  return scheduler().has_ready_fibers();
}

// How the fibers of the calling OS thread are run from now on: in the order of Algorithm(arguments...).
// algo::round_robin is what an OS thread has that does not call this; algo::work_stealing is of all
// OS threads, as its head says. Another algorithm is of this OS thread alone, and is asked for
// before its first fiber, or in place of an earlier one of the program's, which hands over what is
// ready. Callable from an OS thread's own flow of control. May switch. Throws fiber_error:
// operation_not_permitted (there are fibers already; after algo::work_stealing; in a program that
// started Weft itself), and what the algorithm's constructor throws; weft::error: no_memory, again.
template <class Algorithm, class... Arguments>
void use_scheduling_algorithm(Arguments&&... arguments) {
  if constexpr (std::is_same_v<Algorithm, algo::round_robin> && sizeof...(Arguments) == 0) {
    weft::fibers::detail::use();
  } else if constexpr (std::is_base_of_v<algo::algorithm, Algorithm>) {
    weft::detail::order_by_algorithm::install(algo::algorithm::ptr_t(new Algorithm(std::forward<Arguments>(arguments)...)));
  } else {
    weft::fibers::use_scheduling_algorithm<Algorithm>(std::forward<Arguments>(arguments)...);
  }
}

}  // namespace fibers
}  // namespace boost
