// weft::when_all and when_any: one future of several.
//
//   weft::future<std::tuple<weft::future<int>, weft::future<void>>> both = weft::when_all(std::move(a), std::move(b));
//   weft::when_any_result<std::vector<weft::future<int>>> first = weft::when_any(all.begin(), all.end()).get();
//
// A future that is given is moved, and a shared_future copied, into the result, where it is found
// again. No thread waits meanwhile: one allocation for each call, and one more for a range. Once
// when_any has a winner, it stands at none of the other futures any more. Callable from any. Never
// switches. They throw std::future_error: no_state (a future that is empty), and std::bad_alloc.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/detail/shared_state.hpp>
#include <weft/future.hpp>

namespace weft {

// The result of when_any: which future was ready first, and all the futures.
template <class Sequence>
struct when_any_result {
  // The index of the future that was ready first; the largest unsigned number if there is no
  // future.
  std::size_t index = static_cast<std::size_t>(-1);
  // All futures that were given.
  Sequence futures;
};

namespace detail {

template <class T>
inline constexpr bool is_future = false;
template <class T>
inline constexpr bool is_future<future<T>> = true;
template <class T>
inline constexpr bool is_future<shared_future<T>> = true;

// A place at one of the futures.
struct gathered : continuation {
  class gathering* owner = nullptr;
  std::size_t index = 0;
};

// What both kinds have in common. Futures may become ready while places are still taken at the
// others: the last of all that have to come, the caller included, ends it.
class gathering {
 protected:
  ~gathering() = default;

 public:
  virtual void come(std::size_t index) noexcept = 0;
  static void called(continuation* self) noexcept {
    const auto* const place = static_cast<gathered*>(self);
    place->owner->come(place->index);
  }
};

template <class Function, class... Ts>
void for_each_future(std::tuple<Ts...>& all, Function function) {
  std::apply(
      [&](Ts&... each) {
        std::size_t index = 0;
        (function(each, index++), ...);
      },
      all);
}
template <class Function, class T>
void for_each_future(std::vector<T>& all, Function function) {
  std::size_t index = 0;
  for (T& each : all) function(each, index++);
}

template <class... Ts>
std::array<gathered, sizeof...(Ts)> places_for(const std::tuple<Ts...>&) {
  return {};
}
template <class T>
std::vector<gathered> places_for(const std::vector<T>& all) {
  return std::vector<gathered>(all.size());
}

template <class Sequence, class Result>
class gathering_state : public state<Result>, public gathering {
 protected:
  explicit gathering_state(Sequence&& all) : state<Result>(1), all_(std::move(all)), places_(places_for(all_)) {}

  // False: the future is ready.
  template <class Future>
  bool attach(const Future& one, std::size_t index) noexcept {
    gathered& place = places_[index];
    place.ready = gathering::called;
    place.owner = this;
    place.index = index;
    return future_access::attach(one, &place);
  }

  Sequence all_;
  decltype(places_for(std::declval<const Sequence&>())) places_;
};

template <class Sequence>
class all_state final : public gathering_state<Sequence, Sequence> {
 public:
  explicit all_state(Sequence&& all) : gathering_state<Sequence, Sequence>(std::move(all)) {}

  // Holds a reference of its own until the last has come.
  void begin() noexcept {
    this->retain();
    for_each_future(this->all_, [this](auto& each, std::size_t index) {
      missing_.fetch_add(1, std::memory_order_relaxed);
      if (!this->attach(each, index)) missing_.fetch_sub(1, std::memory_order_relaxed);
    });
    come(0);
  }

 private:
  void come(std::size_t) noexcept override {
    // acquire and release: the last sees what the others did to the state
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    this->store(std::move(this->all_));
    this->publish();
    this->release();
  }

  std::atomic<std::size_t> missing_ = 1;  // the caller of begin is one of them
};

template <class Sequence>
class any_state final : public gathering_state<Sequence, when_any_result<Sequence>> {
 public:
  explicit any_state(Sequence&& all) : gathering_state<Sequence, when_any_result<Sequence>>(std::move(all)) {}

  // Each place holds a reference: the future of one that lost may call it late.
  void begin() noexcept {
    this->retain();
    for_each_future(this->all_, [this](auto& each, std::size_t index) {
      if (decided_.load(std::memory_order_relaxed) != none) return;
      this->retain();
      if (this->attach(each, index)) {
        attached_ = index + 1;
      } else {
        come(index);
      }
    });
    if (is_empty()) come_to_nothing();
    advance();
    this->release();
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-2);
  static constexpr std::size_t no_future = static_cast<std::size_t>(-1);

  bool is_empty() const noexcept { return this->places_.empty(); }

  void come_to_nothing() noexcept {
    decided_.store(no_future, std::memory_order_relaxed);
    advance();
  }
  void come(std::size_t index) noexcept override {
    std::size_t expected = none;
    if (decided_.compare_exchange_strong(expected, index, std::memory_order_acq_rel)) advance();
    this->release();
  }

  // By the winner, and by begin when all places are taken: the second of them goes on. acquire and
  // release: either sees what the other did
  void advance() noexcept {
    if (steps_.fetch_add(1, std::memory_order_acq_rel) != 1) return;
    const std::size_t winner = decided_.load(std::memory_order_relaxed);
    for_each_future(this->all_, [&](auto& each, std::size_t index) {
      if (index == winner || index >= attached_) return;
      if (future_access::detach(each, &this->places_[index])) this->release();
    });
    this->store(when_any_result<Sequence>{winner, std::move(this->all_)});
    this->publish();
  }

  std::atomic<std::size_t> decided_ = none;
  std::atomic<unsigned> steps_ = 0;
  std::size_t attached_ = 0;  // of the first futures
};

template <class State, class Result, class Sequence>
future<Result> gather(Sequence&& all) {
  for_each_future(all, [](const auto& each, std::size_t) { future_access::state_of(each); });
  auto* const made = new State(std::move(all));
  future<Result> out{state_pointer<state<Result>>(made)};
  made->begin();
  return out;
}

template <class Iterator>
auto to_vector(Iterator first, Iterator last) {
  using one = typename std::iterator_traits<Iterator>::value_type;
  static_assert(is_future<one>, "weft::when_all and when_any take iterators over futures");
  std::vector<one> all;
  for (; first != last; ++first) {
    if constexpr (std::is_copy_constructible_v<one>) {
      all.push_back(*first);
    } else {
      all.push_back(std::move(*first));
    }
  }
  return all;
}

}  // namespace detail

// Returns a future of a tuple of the given futures, which is ready when all of them are ready.
// Throws std::future_error: no_state (a future that is empty), and std::bad_alloc. Never switches.
// Callable from any.
template <class... Futures>
  requires(detail::is_future<std::remove_cvref_t<Futures>> && ...)
[[nodiscard]] auto when_all(Futures&&... futures) {
  using sequence = std::tuple<std::remove_cvref_t<Futures>...>;
  return detail::gather<detail::all_state<sequence>, sequence>(sequence(std::forward<Futures>(futures)...));
}

// Returns a future of a vector of the futures of a range, which is ready when all of them are
// ready. Throws std::future_error: no_state (a future that is empty), and std::bad_alloc. Never
// switches. Callable from any.
template <std::input_iterator Iterator>
[[nodiscard]] auto when_all(Iterator first, Iterator last) {
  auto all = detail::to_vector(first, last);
  using sequence = decltype(all);
  return detail::gather<detail::all_state<sequence>, sequence>(std::move(all));
}

// Returns a future of all the given futures, which is ready when one of them is ready, and says
// which one. Throws std::future_error: no_state (a future that is empty), and std::bad_alloc. Never
// switches. Callable from any.
template <class... Futures>
  requires(detail::is_future<std::remove_cvref_t<Futures>> && ...)
[[nodiscard]] auto when_any(Futures&&... futures) {
  using sequence = std::tuple<std::remove_cvref_t<Futures>...>;
  return detail::gather<detail::any_state<sequence>, when_any_result<sequence>>(sequence(std::forward<Futures>(futures)...));
}

// Returns a future of all the futures of a range, which is ready when one of them is ready, and
// says which one. Throws std::future_error: no_state (a future that is empty), and std::bad_alloc.
// Never switches. Callable from any.
template <std::input_iterator Iterator>
[[nodiscard]] auto when_any(Iterator first, Iterator last) {
  auto all = detail::to_vector(first, last);
  using sequence = decltype(all);
  return detail::gather<detail::any_state<sequence>, when_any_result<sequence>>(std::move(all));
}

}  // namespace weft
