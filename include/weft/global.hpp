// Values in a heap that all ranks share (global.h), for C++.
//
//   int main() {
//     const weft::dist::global_array<long> squares(1000);            // on each rank
//     weft::dist::root([all = squares.begin()] {                     // all: a value, which moves
//       weft::parallel_for(0, 1000, [all](long i) { all[i].put(i * i); });
//     });
//   }
#pragma once

#include <weft/detail/cxx20.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

#include <weft/global.h>
#include <weft/error.hpp>

namespace weft::dist {

namespace detail {

// A word that a network can change at once.
template <class T>
concept global_word = std::integral<T> && sizeof(T) == sizeof(std::uint64_t);

template <class T>
inline constexpr bool may_be_global = std::is_trivially_copyable_v<T> && !std::is_const_v<T> && !std::is_reference_v<T>;

}  // namespace detail

// The address of a T in the global heap, on whatever rank it lies: a number of 8 bytes, which forks
// carry and frames hold. Arithmetic goes on to the next rank's block of an array. A copy of bytes
// is all that is done to a T, so T is trivially copyable, and holds no addresses of a process.
// Where a call says so, it throws weft::error. No call switches. Callers: as global.h says.
template <class T>
class global {
 public:
  // What the address names.
  using value_type = T;
  // Of two addresses.
  using difference_type = std::ptrdiff_t;

  // No address.
  global() = default;
  // The address, as global.h has it.
  explicit constexpr global(weft_global at) noexcept : at_(at) {}
  // The same, for global.h's calls.
  [[nodiscard]] constexpr weft_global address() const noexcept { return at_; }
  // Whether it is an address.
  constexpr explicit operator bool() const noexcept { return at_ != 0; }

  // Whether both name the same value.
  friend constexpr bool operator==(global, global) = default;
  // The order of the elements of one array.
  friend constexpr auto operator<=>(global, global) = default;
  // Goes on by so many elements.
  constexpr global& operator+=(difference_type count) noexcept {
    at_ += static_cast<weft_global>(count) * sizeof(T);
    return *this;
  }
  // Goes back by so many elements.
  constexpr global& operator-=(difference_type count) noexcept { return *this += -count; }
  // Goes on to the next element.
  constexpr global& operator++() noexcept { return *this += 1; }
  // The address so many elements behind.
  friend constexpr global operator+(global from, difference_type count) noexcept { return from += count; }
  // The address so many elements before.
  friend constexpr global operator-(global from, difference_type count) noexcept { return from -= count; }
  // How many elements one is behind the other.
  friend constexpr difference_type operator-(global one, global other) noexcept {
    return static_cast<difference_type>(one.at_ - other.at_) / static_cast<difference_type>(sizeof(T));
  }
  // The address so many elements behind: what is read by get() and set by put().
  constexpr global operator[](difference_type count) const noexcept { return *this + count; }

  // The rank whose memory it is.
  [[nodiscard]] int rank() const noexcept { return weft_global_rank(at_); }
  // How many elements from here on lie one behind the other on that rank.
  [[nodiscard]] std::size_t run() const noexcept { return weft_global_run(at_) / sizeof(T); }
  // The value itself, for run() elements, where its rank shares memory with this one; else null. To
  // be read afresh after each fork and join, as the thread may then be elsewhere.
  [[nodiscard]] T* local() const noexcept { return static_cast<T*>(weft_global_local(at_)); }

  // A copy of the value.
  [[nodiscard]] T get() const noexcept {
    alignas(T) unsigned char bytes[sizeof(T)];
    weft_global_get(bytes, at_, sizeof(T));
    return *std::launder(reinterpret_cast<const T*>(bytes));
  }
  // Sets the value; it is there when the call returns.
  void put(const T& value) const noexcept { weft_global_put(at_, &value, sizeof(T)); }

  // Adds at once, and returns what was there before. Integers of 8 bytes.
  T fetch_add(T by) const noexcept
    requires detail::global_word<T>
  {
    return static_cast<T>(weft_global_add(at_, static_cast<std::uint64_t>(by)));
  }
  // Adds at once. Integers of 8 bytes.
  void add(T by) const noexcept
    requires detail::global_word<T>
  {
    (void)fetch_add(by);
  }
  // Sets the value to desired if it is expected, at once; returns what was there before. Integers
  // of 8 bytes.
  T compare_swap(T expected, T desired) const noexcept
    requires detail::global_word<T>
  {
    return static_cast<T>(weft_global_swap(at_, static_cast<std::uint64_t>(expected), static_cast<std::uint64_t>(desired)));
  }

 private:
  weft_global at_ = 0;

  // Last, so that the compiler still knows the members, and says nothing else.
  static_assert(detail::may_be_global<T>,
                "weft::dist::global<T>: T must be trivially copyable, because its bytes go to other processes");
};

// Copies elements out of the heap, which may lie on several ranks; all copies go on at once. They
// are there when the call returns.
template <class T, std::size_t Extent>
void get(global<T> from, std::span<T, Extent> into) noexcept {
  weft_global_get(into.data(), from.address(), into.size_bytes());
}
// The same into the heap.
template <class From, std::size_t Extent, class T>
  requires std::same_as<std::remove_const_t<From>, T>
void put(std::span<From, Extent> from, global<T> into) noexcept {
  weft_global_put(into.address(), from.data(), from.size_bytes());
}
// The same from one part of the heap to another.
template <class T>
void copy(global<T> from, std::size_t count, global<T> into) noexcept {
  weft_global_copy(into.address(), from.address(), count * sizeof(T));
}

// An array over all ranks, in blocks: rank 0 has the first elements. Made and destroyed
// collectively, as weft_global_array says: by each rank, outside a root, in the same order. Its
// elements are not set. Forks carry begin(), not the array.
template <class T>
class global_array {
 public:
  // Throws weft::error (invalid, nomem).
  explicit global_array(std::size_t count) : size_(count) {
    weft_global made = 0;
    const weft_status status = weft_global_array(count, sizeof(T), &made);
    if (status != WEFT_OK) weft::detail::check(status, "weft_global_array");
    begin_ = global<T>(made);
  }
  // An array belongs to where it was made.
  global_array(const global_array&) = delete;
  // Likewise.
  global_array& operator=(const global_array&) = delete;
  // Collective, as the constructor.
  ~global_array() { (void)weft_global_array_free(begin_.address()); }

  // The address of the first element.
  [[nodiscard]] global<T> begin() const noexcept { return begin_; }
  // The address behind the last element.
  [[nodiscard]] global<T> end() const noexcept { return begin_ + static_cast<std::ptrdiff_t>(size_); }
  // How many elements there are.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // The address of that element.
  [[nodiscard]] global<T> operator[](std::size_t index) const noexcept { return begin_ + static_cast<std::ptrdiff_t>(index); }

 private:
  std::size_t size_;
  global<T> begin_;
};

// Makes an object on that rank, and sets it. Throws weft::error (invalid, nomem). To be dropped by
// drop().
template <class T>
[[nodiscard]] global<T> make_global(int rank, const T& value) {
  weft_global made = 0;
  const weft_status status = weft_global_make(rank, sizeof(T), &made);
  if (status != WEFT_OK) weft::detail::check(status, "weft_global_make");
  const global<T> result(made);
  result.put(value);
  return result;
}

// Frees the memory of an object that make_global has made.
template <class T>
void drop(global<T> object) noexcept {
  weft_global_free(object.address(), sizeof(T));
}

// A value that one thread sets once, and that any threads read, on whatever ranks; a handle of 8
// bytes. A reader waits until it is set, and its rank runs other threads meanwhile
// (weft_global_future_get).
template <class T>
class shared_future {
 public:
  // No future.
  shared_future() = default;
  // A future in that rank's memory. Throws weft::error (invalid, nomem). To be dropped once, when
  // no thread uses it any more.
  [[nodiscard]] static shared_future make(int rank) {
    shared_future result;
    const weft_status status = weft_global_future_make(rank, sizeof(T), &result.at_);
    if (status != WEFT_OK) weft::detail::check(status, "weft_global_future_make");
    return result;
  }
  // Frees the future.
  void drop() const noexcept { weft_global_future_free(at_, sizeof(T)); }

  // Sets the value, once.
  void set(const T& value) const noexcept { weft_global_future_set(at_, &value, sizeof(T)); }
  // Whether it is set.
  [[nodiscard]] bool is_set() const noexcept { return weft_global_future_is_set(at_); }
  // The value, once it is set. May switch.
  [[nodiscard]] T get() const {
    alignas(T) unsigned char bytes[sizeof(T)];
    weft_global_future_get(at_, bytes, sizeof(T));
    return *std::launder(reinterpret_cast<const T*>(bytes));
  }

 private:
  weft_global at_ = 0;

  // Last, so that the compiler still knows the members, and says nothing else.
  static_assert(detail::may_be_global<T>,
                "weft::dist::shared_future<T>: T must be trivially copyable, because its bytes go to other processes");
};

}  // namespace weft::dist
