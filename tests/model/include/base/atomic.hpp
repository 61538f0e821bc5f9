// The model's base/atomic.hpp: the names of src/base/atomic.hpp on the explorer's memory. An atomic
// is as large as the real one, and the explorer knows it by its address; where the operation stands
// in the source comes along, for the schedule that a failure prints.
#pragma once

#include <atomic>
#include <cstring>
#include <type_traits>

#include "base/config.hpp"
#include "explorer/execution.hpp"

namespace weft::base {

using order = std::memory_order;
inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline constexpr auto seq_cst = std::memory_order_seq_cst;

// What a compare-exchange with one order does when it fails.
constexpr order order_of_failure(order o) { return o == acq_rel ? acquire : o == release ? relaxed : o; }

template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(explorer::word));
  using site = explorer::site;

 public:
  using value_type = T;
  using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

  constexpr atomic() noexcept : atomic(T()) {}
  constexpr atomic(T initial) noexcept : value_(initial) {
    if (!std::is_constant_evaluated()) explorer::construct_atomic(&value_);
  }
  constexpr ~atomic() {
    if (!std::is_constant_evaluated()) explorer::destroy_atomic(&value_);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(order o, site where = site::current()) const { return to_value(explorer::atomic_load(here(), o, where)); }
  void store(T value, order o, site where = site::current()) { explorer::atomic_store(here(), to_word(value), o, where); }
  T exchange(T value, order o, site where = site::current()) {
    return change(explorer::rmw_kind::exchange, to_word(value), o, where);
  }

  bool compare_exchange_strong(T& expected, T desired, order success, order failure, site where = site::current()) {
    return compare_exchange(expected, desired, success, failure, false, where);
  }
  bool compare_exchange_strong(T& expected, T desired, order o, site where = site::current()) {
    return compare_exchange(expected, desired, o, order_of_failure(o), false, where);
  }
  bool compare_exchange_weak(T& expected, T desired, order success, order failure, site where = site::current()) {
    return compare_exchange(expected, desired, success, failure, true, where);
  }
  bool compare_exchange_weak(T& expected, T desired, order o, site where = site::current()) {
    return compare_exchange(expected, desired, o, order_of_failure(o), true, where);
  }

  T fetch_add(difference_type by, order o, site where = site::current()) {
    return change(explorer::rmw_kind::add, scaled(by), o, where);
  }
  T fetch_sub(difference_type by, order o, site where = site::current()) {
    return change(explorer::rmw_kind::subtract, scaled(by), o, where);
  }
  T fetch_or(T bits, order o, site where = site::current()) {
    return change(explorer::rmw_kind::bit_or, to_word(bits), o, where);
  }
  T fetch_and(T bits, order o, site where = site::current()) {
    return change(explorer::rmw_kind::bit_and, to_word(bits), o, where);
  }

 private:
  static constexpr explorer::word mask =
      sizeof(T) == sizeof(explorer::word) ? ~explorer::word{0} : (explorer::word{1} << (8 * sizeof(T) % 64)) - 1;

  explorer::cell here() const { return {&value_, sizeof value_}; }

  static explorer::word to_word(T value) {
    explorer::word result = 0;
    std::memcpy(&result, &value, sizeof value);
    return result;
  }
  static T to_value(explorer::word from) {
    T result;
    std::memcpy(&result, &from, sizeof result);
    return result;
  }
  static explorer::word scaled(difference_type by) {
    if constexpr (std::is_pointer_v<T>) {
      return static_cast<explorer::word>(by) * sizeof(std::remove_pointer_t<T>);
    } else {
      return to_word(by);
    }
  }

  T change(explorer::rmw_kind kind, explorer::word operand, order o, site where) {
    return to_value(explorer::atomic_exchange(here(), kind, operand, mask, o, where));
  }
  bool compare_exchange(T& expected, T desired, order success, order failure, bool weak, site where) {
    explorer::word seen = to_word(expected);
    const bool done = explorer::atomic_compare_exchange(here(), seen, to_word(desired), success, failure, weak, where);
    if (!done) expected = to_value(seen);
    return done;
  }

  T value_;  // what the constructor was given; the explorer keeps what was stored since
};

// A racy look at a plain word: what was written last in this execution, and no race is reported.
template <class T>
inline T load_relaxed(const T& word) {
  T result;
  explorer::peek(&result, &word, sizeof word);
  return result;
}

template <class T>
inline void store_relaxed(T& word, T value) {
  word = value;
}

inline void fence_seq_cst(explorer::site where = explorer::site::current()) { explorer::atomic_fence(seq_cst, where); }
inline void light_fence(explorer::site where = explorer::site::current()) { explorer::light_fence(where); }

}  // namespace weft::base
