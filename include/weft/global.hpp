// Values in a heap that all ranks share (global.h), for C++.
//
//   int main() {
//     const weft::dist::global_array<long> squares(1000);            // on each rank
//     weft::dist::root([all = squares.begin()] {                     // all: a value, which moves
//       weft::parallel_for(0, 1000, [all](long i) { all[i].put(i * i); });
//     });
//   }
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

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

// The address of a T in the global heap, on whichever rank the T lies. It is a number of 8 bytes,
// which forks carry and frames hold.
//
// Arithmetic continues from one rank's block of an array to the next rank's. The library only
// copies the bytes of a T, so T must be trivially copyable, and hold no address of a process. A
// call throws weft::error only where its comment says so. No call switches. Calls are made from
// where global.h allows them.
template <class T>
class global {
 public:
  // What the address names.
  using value_type = T;
  // Of two addresses.
  using difference_type = std::ptrdiff_t;

  // Makes a null address.
  global() = default;
  // Makes an address of one of global.h.
  explicit constexpr global(weft_global at) noexcept : at_(at) {}
  // Returns the address for the calls of global.h.
  [[nodiscard]] constexpr weft_global address() const noexcept { return at_; }
  // Tells whether the address is not null.
  constexpr explicit operator bool() const noexcept { return at_ != 0; }

  // Tells whether both are the address of the same value.
  friend constexpr bool operator==(global, global) = default;
  // The order of the elements of one array.
  friend constexpr auto operator<=>(global, global) = default;
  // Advances the address by count elements.
  constexpr global& operator+=(difference_type count) noexcept {
    at_ += static_cast<weft_global>(count) * sizeof(T);
    return *this;
  }
  // Moves the address back by count elements.
  constexpr global& operator-=(difference_type count) noexcept { return *this += -count; }
  // Advances the address to the next element.
  constexpr global& operator++() noexcept { return *this += 1; }
  // Returns the address count elements further on.
  friend constexpr global operator+(global from, difference_type count) noexcept { return from += count; }
  // Returns the address count elements further back.
  friend constexpr global operator-(global from, difference_type count) noexcept { return from -= count; }
  // Returns how many elements one is further on than other.
  friend constexpr difference_type operator-(global one, global other) noexcept {
    return static_cast<difference_type>(one.at_ - other.at_) / static_cast<difference_type>(sizeof(T));
  }
  // Returns the address count elements further on, whose value get() reads and put() sets.
  constexpr global operator[](difference_type count) const noexcept { return *this + count; }

  // Returns the rank whose heap holds the value.
  [[nodiscard]] int rank() const noexcept { return weft_global_rank(at_); }
  // Returns how many elements from this one on are contiguous in that rank's memory.
  [[nodiscard]] std::size_t run() const noexcept { return weft_global_run(at_) / sizeof(T); }
  // Returns where the value lies in the calling process; null if its rank shares no memory with the
  // calling rank. The pointer can be used for run() elements. Call local() again after each fork
  // and join, at which the thread may move to another rank.
  [[nodiscard]] T* local() const noexcept { return static_cast<T*>(weft_global_local(at_)); }

  // Returns a copy of the value.
  [[nodiscard]] T get() const noexcept {
    alignas(T) unsigned char bytes[sizeof(T)];
    weft_global_get(bytes, at_, sizeof(T));
    return *std::launder(reinterpret_cast<const T*>(bytes));
  }
  // Sets the value. The write is complete when the call returns.
  void put(const T& value) const noexcept { weft_global_put(at_, &value, sizeof(T)); }

  // Atomically adds to an integer of 8 bytes, and returns what it was before.
  T fetch_add(T by) const noexcept
    requires detail::global_word<T>
  {
    return static_cast<T>(weft_global_add(at_, static_cast<std::uint64_t>(by)));
  }
  // Atomically adds to an integer of 8 bytes.
  void add(T by) const noexcept
    requires detail::global_word<T>
  {
    (void)fetch_add(by);
  }
  // Atomically sets an integer of 8 bytes to desired if it is expected. Returns what it was before.
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

// Copies elements out of the heap to memory of the caller. The elements may lie on several ranks,
// from which they are copied at the same time. The copy is complete when the call returns.
template <class T, std::size_t Extent>
void get(global<T> from, std::span<T, Extent> into) noexcept {
  weft_global_get(into.data(), from.address(), into.size_bytes());
}
// Copies elements from memory of the caller into the heap, under the conditions of get.
template <class From, std::size_t Extent, class T>
  requires std::same_as<std::remove_const_t<From>, T>
void put(std::span<From, Extent> from, global<T> into) noexcept {
  weft_global_put(into.address(), from.data(), from.size_bytes());
}
// Copies elements from one part of the heap to another, under the conditions of get.
template <class T>
void copy(global<T> from, std::size_t count, global<T> into) noexcept {
  weft_global_copy(into.address(), from.address(), count * sizeof(T));
}

// An array that is divided among all ranks in blocks: rank 0 has the first elements. Its elements
// are not initialised.
//
// The array is made and destroyed collectively, as weft_global_array says: by each rank, outside a
// root, in the same order. Forks carry begin(), not the array.
template <class T>
class global_array {
 public:
  // Makes an array of count elements. Throws weft::error: invalid, no_memory. Never switches.
  // Callable from the main thread, outside a root.
  explicit global_array(std::size_t count) : size_(count) {
    weft_global made = 0;
    const weft_status status = weft_global_array(count, sizeof(T), &made);
    if (status != WEFT_OK) weft::detail::check(status, "weft_global_array");
    begin_ = global<T>(made);
  }
  // An array cannot be copied.
  global_array(const global_array&) = delete;
  // An array cannot be copied.
  global_array& operator=(const global_array&) = delete;
  // Frees the array. The call is collective.
  ~global_array() { (void)weft_global_array_free(begin_.address()); }

  // Returns the address of the first element.
  [[nodiscard]] global<T> begin() const noexcept { return begin_; }
  // Returns the address behind the last element.
  [[nodiscard]] global<T> end() const noexcept { return begin_ + static_cast<std::ptrdiff_t>(size_); }
  // Returns how many elements there are.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // Returns the address of the element at index.
  [[nodiscard]] global<T> operator[](std::size_t index) const noexcept { return begin_ + static_cast<std::ptrdiff_t>(index); }

 private:
  std::size_t size_;
  global<T> begin_;
};

// Makes an object in the heap of a rank, and sets it to value. drop() frees the object. Throws
// weft::error: invalid, no_memory. Never switches. Callable from the main thread; if all ranks are on
// one node, from any.
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

// A handle, of 8 bytes, of a value that one thread sets once, and that threads of all ranks can
// read. A reader waits until the value is set; its rank runs other threads meanwhile
// (weft_global_future_get).
template <class T>
class shared_future {
 public:
  // Makes a handle of no future.
  shared_future() = default;
  // Makes a future in the heap of a rank. It must be dropped once, when no thread uses it any more.
  // Throws weft::error: invalid, no_memory. Never switches. Callable from the main thread; if all
  // ranks are on one node, from any.
  [[nodiscard]] static shared_future make(int rank) {
    shared_future result;
    const weft_status status = weft_global_future_make(rank, sizeof(T), &result.at_);
    if (status != WEFT_OK) weft::detail::check(status, "weft_global_future_make");
    return result;
  }
  // Frees the future.
  void drop() const noexcept { weft_global_future_free(at_, sizeof(T)); }

  // Sets the value. It may be called once.
  void set(const T& value) const noexcept { weft_global_future_set(at_, &value, sizeof(T)); }
  // Tells whether the value is set.
  [[nodiscard]] bool is_set() const noexcept { return weft_global_future_is_set(at_); }
  // Waits until the value is set, and returns it. Throws what copying a T throws. May switch.
  // Callable from the main thread.
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
