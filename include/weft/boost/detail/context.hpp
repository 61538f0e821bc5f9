// boost::fibers::context, fiber_properties and the ready queue: a fiber as an algorithm of the
// program's sees it.
//
// A context is made when an algorithm, or context::active, first asks for it, and goes when its
// fiber ends. All are in one table, by the handles of Weft's threads.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <system_error>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include <weft/ext.h>
#include <weft/weft.h>

#include <weft/boost/detail/errors.hpp>
#include <weft/boost/detail/inside.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/error.hpp>
#include <weft/fiber/detail/library.hpp>
#include <weft/thread.hpp>

namespace weft::detail {

class contexts;
class order_by_algorithm;

// The place of a context in a ready queue.
struct ready_hook {
  ready_hook() noexcept = default;
  ready_hook(const ready_hook&) = delete;
  ready_hook& operator=(const ready_hook&) = delete;
  ~ready_hook() { unlink(); }

  bool is_linked() const noexcept { return next != nullptr; }
  void unlink() noexcept {
    if (!is_linked()) return;
    previous->next = next;
    next->previous = previous;
    previous = next = nullptr;
  }
  // Before another one.
  void link(ready_hook* behind) noexcept {
    previous = behind->previous;
    next = behind;
    previous->next = this;
    behind->previous = this;
  }

  ready_hook* previous = nullptr;
  ready_hook* next = nullptr;
};

}  // namespace weft::detail

namespace boost {
namespace fibers {

class context;
class scheduler;
class waker;
namespace algo {
class algorithm;
}

// What a fiber is to a scheduler. Values may be combined as bits.
enum class type {
  none = 0,
  main_context = 1 << 1,        // an OS thread's own flow of control
  dispatcher_context = 1 << 2,  // never seen here: Weft's idle loop is no fiber
  worker_context = 1 << 3,      // any other fiber
  pinned_context = main_context | dispatcher_context
};
// The bits of both.
constexpr type operator&(type left, type right) noexcept {
  return static_cast<type>(static_cast<int>(left) & static_cast<int>(right));
}
// The bits of either.
constexpr type operator|(type left, type right) noexcept {
  return static_cast<type>(static_cast<int>(left) | static_cast<int>(right));
}
// The bits of one of the two.
constexpr type operator^(type left, type right) noexcept {
  return static_cast<type>(static_cast<int>(left) ^ static_cast<int>(right));
}
// The other bits.
constexpr type operator~(type one) noexcept { return static_cast<type>(~static_cast<int>(one)); }
// Keeps the bits of both.
constexpr type& operator&=(type& left, type right) noexcept { return left = left & right; }
// Adds bits.
constexpr type& operator|=(type& left, type right) noexcept { return left = left | right; }
// Changes bits.
constexpr type& operator^=(type& left, type right) noexcept { return left = left ^ right; }

// What the program wants an algorithm to know of a fiber: the base class of such properties. They
// go with their fiber.
class fiber_properties {
 public:
  // Of the fiber of a context.
  explicit fiber_properties(context* of) noexcept : ctx_(of) {}
  fiber_properties(const fiber_properties&) = delete;
  fiber_properties& operator=(const fiber_properties&) = delete;
  virtual ~fiber_properties() = default;

  // For algorithm_with_properties: which algorithm notify tells.
  void set_algorithm(algo::algorithm* algorithm) noexcept { algo_ = algorithm; }
  // For makers of contexts: whose they are, once.
  void set_context(context* of) noexcept { ctx_ = of; }

 protected:
  // Tells the algorithm that a property has changed. On the OS thread whose fibers it orders.
  void notify() noexcept;

  // The fiber.
  context* ctx_;
  // The algorithm that saw the fiber become ready last; null: none has.
  algo::algorithm* algo_ = nullptr;
};

// A fiber, or an OS thread's own flow of control, as algorithms see it.
class context : public weft::detail::ready_hook {
 public:
  // Its id, which is that of the fiber.
  using id = weft::thread_id;

  context(const context&) = delete;
  context& operator=(const context&) = delete;

  // The running fiber; in an algorithm that is not called by one, the dispatcher. Starts the library
  // if need be. Throws weft::error where it cannot start, and fiber_error: operation_not_permitted
  // (the OS thread has no fibers). Never switches.
  static context* active();

  // Its id. Never switches.
  id get_id() const noexcept { return id(weft_thread_id(unit_)); }
  // Whether it is of one of these types.
  bool is_context(type types) const noexcept { return (type_ & types) != type::none; }
  // Its properties; null before an algorithm with properties has seen it.
  fiber_properties* get_properties() const noexcept { return properties_.get(); }
  // Takes properties over, in place of earlier ones.
  void set_properties(fiber_properties* properties) noexcept { properties_.reset(properties); }
  // Tells of the ready fibers of the calling OS thread. Never null.
  scheduler* get_scheduler() const noexcept;

  // Whether it is in a ready queue.
  bool ready_is_linked() const noexcept { return is_linked(); }
  // Puts it at the end of a ready queue.
  template <class Queue>
  void ready_link(Queue& queue) noexcept {
    queue.push_back(*this);
  }
  // Takes it out of its ready queue, if it is in one.
  void ready_unlink() noexcept { unlink(); }
  // Before it goes to another OS thread. Weft does what is needed when pick_next returns it.
  void detach() noexcept {}
  // The other half of detach.
  void attach(context*) noexcept {}

  // Lets other fibers run before the caller, which this is. May switch.
  void yield() noexcept { weft_yield(); }
  // Suspends the caller, which this is, until it is woken: by a waker of create_waker, or by
  // schedule. One that was woken since its last wait goes on at once. May switch. Throws
  // weft::error: cannot_block.
  void suspend() {
    weft::detail::check(weft_event_wait(&woken_), "boost::fibers::context::suspend");
    is_taken_ = true;
    static_cast<void>(weft_event_reset(&woken_));
  }
  // Gives the lock back, and suspends the caller as suspend() does. May switch. Throws weft::error:
  // cannot_block.
  void suspend(detail::spinlock_lock& lock) {
    lock.unlock();
    suspend();
  }
  // Suspends the caller, which this is, until it is woken or the time has come. Returns whether it
  // was woken. May switch. Throws weft::error: cannot_block.
  bool wait_until(const std::chrono::steady_clock::time_point& time) {
    const weft_status status = weft_event_wait_until(&woken_, weft::detail::to_ns(time.time_since_epoch()));
    if (status == WEFT_TIMEOUT) return false;
    weft::detail::check(status, "boost::fibers::context::wait_until");
    is_taken_ = true;
    static_cast<void>(weft_event_reset(&woken_));
    return true;
  }
  // Gives the lock back, and waits as wait_until of a time does. If the time comes first, the
  // waker, which is this context's newest, wakes no more.
  bool wait_until(const std::chrono::steady_clock::time_point& time, detail::spinlock_lock& lock, waker&& one);
  // Makes a fiber ready that is suspended, or that is about to suspend itself: once for each
  // suspend. Callable from any; this is the running fiber's, or any other. Never switches.
  void schedule(context* suspended) noexcept { static_cast<void>(weft_event_set(&suspended->woken_)); }
  // Returns what wakes the caller, which this is, from its next wait, once. All earlier wakers of
  // it do nothing any more. Never switches.
  waker create_waker() noexcept;
  // Wakes the fiber by the waker of a number, as waker::wake does.
  bool wake(std::size_t epoch) noexcept {
    if (!end_epoch(epoch)) return false;
    schedule(this);
    return true;
  }

  // Orders contexts by their fibers' ids.
  friend bool operator<(const context& left, const context& right) noexcept { return left.get_id() < right.get_id(); }
  // The same context.
  friend bool operator==(const context& left, const context& right) noexcept { return &left == &right; }

 private:
  friend class scheduler;
  friend class waker;
  friend class weft::detail::contexts;
  friend class weft::detail::order_by_algorithm;
  context(weft_thread* unit, type is) noexcept : unit_(unit), type_(is) {}

  // Of the callers of one epoch one succeeds.
  bool end_epoch(std::size_t epoch) noexcept {
    return waker_epoch_.compare_exchange_strong(epoch, epoch + 1, std::memory_order_acq_rel);
  }

  weft_thread* unit_;
  type type_;
  std::atomic<std::size_t> waker_epoch_ = 0;
  std::size_t newest_ = 0;              // epoch of the newest waker; its fiber's alone, as is_taken_
  bool is_taken_ = true;                // the wake-up of the newest waker, or its time has come
  weft_event woken_ = WEFT_EVENT_INIT;  // set: the next wait returns; a waiter's memory may go as soon as it is
  std::unique_ptr<fiber_properties> properties_;
  weft::detail::order_by_algorithm* home_ = nullptr;  // null: it is in no order's pool
};

// A place in a ready queue.
template <bool IsConst>
class context_iterator {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = context;
  using difference_type = std::ptrdiff_t;
  using pointer = std::conditional_t<IsConst, const context*, context*>;
  using reference = std::conditional_t<IsConst, const context&, context&>;

  context_iterator() noexcept = default;
  explicit context_iterator(weft::detail::ready_hook* at) noexcept : at_(at) {}
  operator context_iterator<true>() const noexcept { return context_iterator<true>(at_); }

  reference operator*() const noexcept { return *static_cast<context*>(at_); }
  pointer operator->() const noexcept { return static_cast<context*>(at_); }
  context_iterator& operator++() noexcept {
    at_ = at_->next;
    return *this;
  }
  context_iterator operator++(int) noexcept { return std::exchange(*this, context_iterator(at_->next)); }
  context_iterator& operator--() noexcept {
    at_ = at_->previous;
    return *this;
  }
  context_iterator operator--(int) noexcept { return std::exchange(*this, context_iterator(at_->previous)); }
  friend bool operator==(const context_iterator&, const context_iterator&) noexcept = default;

 private:
  friend class scheduler;
  weft::detail::ready_hook* at_ = nullptr;
};

// What a program's algorithm may ask of the library.
class scheduler {
 public:
  // A list of contexts, each of which is in one list at most, and leaves it by ready_unlink or when
  // it goes. No call switches or allocates.
  class ready_queue_type {
    using hook = weft::detail::ready_hook;

   public:
    // What it holds.
    using value_type = context;
    using reference = context&;
    using const_reference = const context&;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using iterator = context_iterator<false>;
    using const_iterator = context_iterator<true>;

    // An empty list.
    ready_queue_type() noexcept { end_.previous = end_.next = &end_; }
    ready_queue_type(const ready_queue_type&) = delete;
    ready_queue_type& operator=(const ready_queue_type&) = delete;
    ~ready_queue_type() {
      clear();
      end_.previous = end_.next = nullptr;
    }

    // Whether it holds none.
    bool empty() const noexcept { return end_.next == &end_; }
    // How many it holds, which it counts.
    size_type size() const noexcept { return static_cast<size_type>(std::distance(begin(), end())); }
    // The first; undefined if there is none.
    reference front() noexcept { return *begin(); }
    // The last; undefined if there is none.
    reference back() noexcept { return *std::prev(end()); }
    // The first.
    iterator begin() noexcept { return iterator(end_.next); }
    // Behind the last.
    iterator end() noexcept { return iterator(&end_); }
    // The first.
    const_iterator begin() const noexcept { return const_iterator(end_.next); }
    // Behind the last.
    const_iterator end() const noexcept { return const_iterator(const_cast<hook*>(&end_)); }
    // Puts one before the first; undefined if it is in a list.
    void push_front(reference one) noexcept { insert(begin(), one); }
    // Puts one behind the last; undefined if it is in a list.
    void push_back(reference one) noexcept { insert(end(), one); }
    // Takes the first out, if there is one.
    void pop_front() noexcept {
      if (!empty()) end_.next->unlink();
    }
    // Takes the last out, if there is one.
    void pop_back() noexcept {
      if (!empty()) end_.previous->unlink();
    }
    // Puts one before another; undefined if it is in a list.
    iterator insert(const_iterator behind, reference one) noexcept {
      one.link(behind.at_);
      return iterator(&one);
    }
    // Takes one out, and returns the place of the next.
    iterator erase(const_iterator at) noexcept {
      hook* const following = at.at_->next;
      at.at_->unlink();
      return iterator(following);
    }
    // The place of one that is in the list.
    iterator iterator_to(reference one) noexcept { return iterator(&one); }
    // Takes all out.
    void clear() noexcept {
      while (!empty()) pop_front();
    }

   private:
    hook end_;
  };

  // Whether there is a ready fiber of the calling OS thread. Never switches.
  bool has_ready_fibers() const noexcept;
};

}  // namespace fibers
}  // namespace boost

namespace weft::detail {

// All contexts. A handle is that of another fiber once its fiber has ended and was joined, so a new
// fiber's context takes the place of what is there.
class contexts {
  using context = boost::fibers::context;
  using type = boost::fibers::type;

 public:
  // The context of a fiber that has one; null: it has none.
  static context* find(weft_thread* unit) {
    table& all = the_table();
    const std::lock_guard hold(all.lock);
    const auto found = all.of.find(unit);
    return found != all.of.end() ? found->second.get() : nullptr;
  }
  // The context of a fiber, made if need be. Throws std::bad_alloc.
  static context* have(weft_thread* unit, type is) {
    table& all = the_table();
    const std::lock_guard hold(all.lock);
    std::unique_ptr<context>& place = all.of[unit];
    if (place == nullptr) place.reset(new context(unit, is));
    return place.get();
  }
  // The context of a fiber that was just made. Throws std::bad_alloc.
  static context* renew(weft_thread* unit) {
    forget(unit);
    return have(unit, type::worker_context);
  }
  // Ends a context, if there is one.
  static void forget(weft_thread* unit) {
    table& all = the_table();
    std::unique_ptr<context> gone;  // properties are the program's: outside of the lock
    const std::lock_guard hold(all.lock);
    const auto found = all.of.find(unit);
    if (found == all.of.end()) return;
    gone = std::move(found->second);
    all.of.erase(found);
  }
  // Whether there ever was a context: the end of a fiber need not look else.
  static bool are_used() noexcept { return the_use.load(std::memory_order_relaxed); }

 private:
  struct table {
    std::mutex lock;
    std::unordered_map<weft_thread*, std::unique_ptr<context>> of;
  };
  // Never destroyed: OS threads may end after static objects do.
  static table& the_table() {
    the_use.store(true, std::memory_order_relaxed);
    static table* const made = new table;
    return *made;
  }
  [[gnu::visibility("default")]] inline static std::atomic<bool> the_use = false;
};

// Lives in a fiber's frame as long as the program's function runs.
struct end_of_context {
  end_of_context() noexcept = default;
  end_of_context(const end_of_context&) = delete;
  end_of_context& operator=(const end_of_context&) = delete;
  ~end_of_context() {
    if (contexts::are_used()) [[unlikely]]
      contexts::forget(weft_self());
  }
};

// A fiber's function, after which its context goes.
template <class F>
struct fiber_function {
  F function;
  template <class... As>
    requires std::invocable<F, As...>
  std::invoke_result_t<F, As...> operator()(As&&... arguments) && {
    const end_of_context at_end;
    return std::invoke(std::move(function), std::forward<As>(arguments)...);
  }
};

}  // namespace weft::detail
