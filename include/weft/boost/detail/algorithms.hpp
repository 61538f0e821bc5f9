// boost::fibers::algo: algorithms of the program's, and those that Boost has; numa's, too. How
// Weft asks them: scheduling.hpp beside this.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <weft/boost/detail/context.hpp>
#include <weft/boost/detail/threads.hpp>

namespace boost {
namespace fibers {
namespace algo {

// Counts the owners of an algorithm, as boost::intrusive_ptr does.
template <class A>
class algorithm_ptr {
 public:
  // Owns nothing.
  algorithm_ptr() noexcept = default;
  // Shares an algorithm; null: nothing.
  algorithm_ptr(A* algorithm) noexcept : algorithm_(algorithm) {
    if (algorithm_ != nullptr) intrusive_ptr_add_ref(algorithm_);
  }
  algorithm_ptr(const algorithm_ptr& other) noexcept : algorithm_ptr(other.algorithm_) {}
  algorithm_ptr(algorithm_ptr&& other) noexcept : algorithm_(std::exchange(other.algorithm_, nullptr)) {}
  algorithm_ptr& operator=(algorithm_ptr other) noexcept {
    std::swap(algorithm_, other.algorithm_);
    return *this;
  }
  // The last owner deletes the algorithm.
  ~algorithm_ptr() {
    if (algorithm_ != nullptr) intrusive_ptr_release(algorithm_);
  }
  // The algorithm; null: none.
  A* get() const noexcept { return algorithm_; }
  // The algorithm; undefined: none.
  A& operator*() const noexcept { return *algorithm_; }
  // The algorithm; undefined: none.
  A* operator->() const noexcept { return algorithm_; }
  // Whether there is one.
  explicit operator bool() const noexcept { return algorithm_ != nullptr; }

 private:
  A* algorithm_ = nullptr;
};

// Says which fiber an OS thread runs next. awakened, pick_next, has_ready_fibers and suspend_until
// are called on that OS thread alone, which need not be inside a fiber: they must not wait, except
// suspend_until. notify is called on any.
class algorithm {
 public:
  // Owns an algorithm.
  using ptr_t = algorithm_ptr<algorithm>;

  algorithm() = default;
  algorithm(const algorithm&) = delete;
  algorithm& operator=(const algorithm&) = delete;
  virtual ~algorithm() = default;

  // Tells the algorithm that a fiber is ready: it is new, has yielded, or was woken.
  virtual void awakened(context* ready) noexcept = 0;
  // Returns the fiber that runs next, which awakened was told of, maybe on another OS thread; null:
  // there is none.
  virtual context* pick_next() noexcept = 0;
  // Whether pick_next would return a fiber.
  virtual bool has_ready_fibers() const noexcept = 0;
  // Blocks the OS thread until notify is called or the time has come; may return early. A notify
  // since the last return also counts. Weft keeps the time itself, and passes time_point::max().
  virtual void suspend_until(const std::chrono::steady_clock::time_point& time) noexcept = 0;
  // Ends suspend_until, now or when it is called next.
  virtual void notify() noexcept = 0;

  // One more owner.
  friend void intrusive_ptr_add_ref(algorithm* one) noexcept { one->owners_.fetch_add(1, std::memory_order_relaxed); }
  // One owner less; the last one deletes it.
  friend void intrusive_ptr_release(algorithm* one) noexcept {
    // acq_rel: the last owner sees what the others did with it
    if (one->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete one;
  }

 private:
  std::atomic<std::size_t> owners_ = 0;
};

// What fiber_properties::notify reaches.
class algorithm_with_properties_base : public algorithm {
 public:
  // Tells the algorithm that a property has changed.
  virtual void property_change_(context* of, fiber_properties* properties) noexcept = 0;

 protected:
  // Those of a fiber; null: none yet.
  static fiber_properties* get_properties(context* of) noexcept { return of->get_properties(); }
  // Gives a fiber properties, which go with it.
  static void set_properties(context* of, fiber_properties* properties) noexcept { of->set_properties(properties); }
};

// An algorithm that keeps properties with each fiber: P is derived from fiber_properties, and made
// of a context*.
template <class P>
class algorithm_with_properties : public algorithm_with_properties_base {
 public:
  // The class that has the properties.
  using super = algorithm_with_properties_base;

  // Gives the fiber properties, if it has none, and calls the other awakened.
  void awakened(context* ready) noexcept final {
    if (get_properties(ready) == nullptr) set_properties(ready, new_properties(ready));
    get_properties(ready)->set_algorithm(this);
    awakened(ready, properties(ready));
  }
  // Tells the algorithm that a fiber is ready.
  virtual void awakened(context* ready, P& properties) noexcept = 0;
  // Those of a fiber that awakened was told of.
  P& properties(context* of) noexcept { return static_cast<P&>(*get_properties(of)); }
  // Tells the algorithm that P::notify was called. The fiber need not be ready.
  virtual void property_change(context* of, P& properties) noexcept {
    static_cast<void>(of);
    static_cast<void>(properties);
  }
  // Calls property_change.
  void property_change_(context* of, fiber_properties* properties) noexcept final {
    property_change(of, *static_cast<P*>(properties));
  }
  // Makes the properties of a fiber: P, or a class derived from it.
  virtual fiber_properties* new_properties(context* of) { return new P(of); }
};

}  // namespace algo

inline void fiber_properties::notify() noexcept {
  if (algo_ != nullptr) static_cast<algo::algorithm_with_properties_base*>(algo_)->property_change_(ctx_, this);
}

}  // namespace fibers
}  // namespace boost

namespace weft::detail {

// The sleep of an OS thread that has no fiber to run.
class thread_sleep {
 public:
  void until(const std::chrono::steady_clock::time_point& time) noexcept {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto is_told = [this] { return is_told_; };
    if (time == std::chrono::steady_clock::time_point::max()) {
      told_.wait(lock, is_told);
    } else {
      told_.wait_until(lock, time, is_told);
    }
    is_told_ = false;
  }
  void end() noexcept {
    {
      const std::lock_guard<std::mutex> hold(mutex_);
      is_told_ = true;
    }
    told_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable told_;
  bool is_told_ = false;  // guarded by mutex_
};

}  // namespace weft::detail

namespace boost {
namespace fibers {
namespace algo {

// Runs fibers in the order in which they became ready: what an OS thread has that asks for nothing.
// A class of the program's may be derived from it.
class round_robin : public algorithm {
 public:
  // Implements the function of algorithm.
  void awakened(context* ready) noexcept override { ready->ready_link(ready_); }
  // Implements the function of algorithm.
  context* pick_next() noexcept override {
    if (ready_.empty()) return nullptr;
    context* const first = &ready_.front();
    first->ready_unlink();
    return first;
  }
  // Implements the function of algorithm.
  bool has_ready_fibers() const noexcept override { return !ready_.empty(); }
  // Implements the function of algorithm.
  void suspend_until(const std::chrono::steady_clock::time_point& time) noexcept override { sleep_.until(time); }
  // Implements the function of algorithm.
  void notify() noexcept override { sleep_.end(); }

 private:
  scheduler::ready_queue_type ready_;
  weft::detail::thread_sleep sleep_;
};

// One queue for all OS threads that use it: first come, first served. An OS thread's own flow of
// control stays there.
class shared_work : public algorithm {
 public:
  // suspend: in Boost whether OS threads without work sleep instead of spinning; here they always
  // sleep, and are woken when there is work.
  explicit shared_work(bool suspend = false) noexcept { static_cast<void>(suspend); }

  // Implements the function of algorithm.
  void awakened(context* ready) noexcept override {
    if (ready->is_context(type::pinned_context)) {
      ready->ready_link(own_);
      return;
    }
    ready->detach();
    shared& all = the_shared();
    const std::lock_guard<std::mutex> hold(all.lock);
    all.ready.push_back(ready);
    if (all.sleeping.empty()) return;
    all.sleeping.back()->sleep_.end();  // inside the lock, so that it has not ended
    all.sleeping.pop_back();
  }
  // Implements the function of algorithm.
  context* pick_next() noexcept override {
    shared& all = the_shared();
    {
      const std::lock_guard<std::mutex> hold(all.lock);
      if (!all.ready.empty()) {
        context* const first = all.ready.front();
        all.ready.pop_front();
        return first;
      }
    }
    if (own_.empty()) return nullptr;
    context* const first = &own_.front();
    first->ready_unlink();
    return first;
  }
  // Implements the function of algorithm.
  bool has_ready_fibers() const noexcept override {
    shared& all = the_shared();
    const std::lock_guard<std::mutex> hold(all.lock);
    return !all.ready.empty() || !own_.empty();
  }
  // Implements the function of algorithm.
  void suspend_until(const std::chrono::steady_clock::time_point& time) noexcept override {
    shared& all = the_shared();
    {
      const std::lock_guard<std::mutex> hold(all.lock);
      if (!all.ready.empty()) return;
      all.sleeping.push_back(this);
    }
    sleep_.until(time);
    const std::lock_guard<std::mutex> hold(all.lock);
    std::erase(all.sleeping, this);
  }
  // Implements the function of algorithm.
  void notify() noexcept override { sleep_.end(); }

 private:
  struct shared {
    std::mutex lock;
    std::deque<context*> ready;          // guarded by lock
    std::vector<shared_work*> sleeping;  // guarded by lock
  };
  // Never destroyed: OS threads may end after static objects do.
  [[gnu::visibility("default")]] static shared& the_shared() {
    static shared* const made = new shared;
    return *made;
  }

  scheduler::ready_queue_type own_;
  weft::detail::thread_sleep sleep_;
};

}  // namespace algo
namespace numa {
namespace algo {

// Pins its OS thread to a CPU, and steals from OS threads of the same node first.
class work_stealing : public boost::fibers::algo::algorithm {
 public:
  // cpu is one of the node with the number node_id in nodes, which numa::topology returned. suspend:
  // in Boost whether OS threads without work sleep; here they always do. Throws fiber_error:
  // invalid_argument (no such node; cpu is not one of its CPUs), and what pin_thread throws.
  work_stealing(std::uint32_t cpu, std::uint32_t node_id, const std::vector<node>& nodes, bool suspend = false) : node_(node_id) {
    static_cast<void>(suspend);
    const auto mine = std::find_if(nodes.begin(), nodes.end(), [node_id](const node& each) { return each.id == node_id; });
    if (mine == nodes.end() || mine->logical_cpus.count(cpu) == 0) {
      throw fiber_error(std::make_error_code(std::errc::invalid_argument),
                        "boost fiber: CPU " + std::to_string(cpu) + " is not one of node " + std::to_string(node_id));
    }
    pin_thread(cpu);
    shared& all = the_shared();
    const std::lock_guard<std::mutex> hold(all.lock);
    all.those.push_back(this);
  }
  ~work_stealing() override {
    shared& all = the_shared();
    const std::lock_guard<std::mutex> hold(all.lock);
    std::erase(all.those, this);
  }

  // Implements the function of algorithm.
  void awakened(context* ready) noexcept override {
    if (ready->is_context(type::pinned_context)) {
      ready->ready_link(own_);
      return;
    }
    ready->detach();
    shared& all = the_shared();
    const std::lock_guard<std::mutex> hold(all.lock);
    ready_.push_back(ready);
    for (work_stealing* const each : all.those) {
      if (each == this || !std::exchange(each->is_asleep_, false)) continue;
      each->sleep_.end();
      break;
    }
  }
  // Implements the function of algorithm.
  context* pick_next() noexcept override {
    is_own_turn_ = !is_own_turn_;
    if (is_own_turn_ && !own_.empty()) return take_own();
    {
      const std::lock_guard<std::mutex> hold(the_shared().lock);
      if (context* const mine = take(ready_, true); mine != nullptr) return mine;
    }
    return !own_.empty() ? take_own() : steal();
  }
  // Takes a fiber from another OS thread; null: there is none.
  virtual context* steal() noexcept {
    shared& all = the_shared();
    const std::lock_guard<std::mutex> hold(all.lock);
    for (const bool is_near : {true, false}) {
      for (work_stealing* const each : all.those) {
        if (each == this || (each->node_ == node_) != is_near) continue;
        if (context* const taken = take(each->ready_, false); taken != nullptr) return taken;
      }
    }
    return nullptr;
  }
  // Implements the function of algorithm.
  bool has_ready_fibers() const noexcept override {
    const std::lock_guard<std::mutex> hold(the_shared().lock);
    return !ready_.empty() || !own_.empty();
  }
  // Implements the function of algorithm.
  void suspend_until(const std::chrono::steady_clock::time_point& time) noexcept override {
    shared& all = the_shared();
    {
      const std::lock_guard<std::mutex> hold(all.lock);
      for (const work_stealing* const each : all.those) {
        if (!each->ready_.empty()) return;
      }
      is_asleep_ = true;
    }
    sleep_.until(time);
    const std::lock_guard<std::mutex> hold(all.lock);
    is_asleep_ = false;
  }
  // Implements the function of algorithm.
  void notify() noexcept override { sleep_.end(); }

 private:
  struct shared {
    std::mutex lock;
    std::vector<work_stealing*> those;  // guarded by lock, as the members of each that say so
  };
  // Never destroyed: OS threads may end after static objects do.
  [[gnu::visibility("default")]] static shared& the_shared() {
    static shared* const made = new shared;
    return *made;
  }
  context* take_own() noexcept {
    context* const first = &own_.front();
    first->ready_unlink();
    return first;
  }
  // Inside the lock. The first in its turn, or, for a thief, the last.
  static context* take(std::deque<context*>& from, bool is_first) noexcept {
    if (from.empty()) return nullptr;
    context* const taken = is_first ? from.front() : from.back();
    is_first ? from.pop_front() : from.pop_back();
    return taken;
  }

  std::uint32_t node_;
  std::deque<context*> ready_;  // guarded by the shared lock
  bool is_asleep_ = false;      // guarded by the shared lock
  scheduler::ready_queue_type own_;
  bool is_own_turn_ = false;  // the OS thread's own flow of control and its fibers take turns
  weft::detail::thread_sleep sleep_;
};

}  // namespace algo
}  // namespace numa
}  // namespace fibers
}  // namespace boost
