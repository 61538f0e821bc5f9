// Sums, products and extremes of arrays, for qt_* and qutil_*.
#pragma once

#include <cstdint>

#include "loop.hpp"

namespace weft::qthreads {

// Unsigned arithmetic wraps around, signed would be undefined.
template <class T>
T add_wrapping(T a, T b) {
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  } else {
    return a + b;
  }
}
template <class T>
T multiply_wrapping(T a, T b) {
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) * static_cast<std::make_unsigned_t<T>>(b));
  } else {
    return a * b;
  }
}

struct sum {
  static constexpr int of_nothing = 0;
  template <class T>
  static T combine(T a, T b) {
    return add_wrapping(a, b);
  }
};
struct product {
  static constexpr int of_nothing = 1;
  template <class T>
  static T combine(T a, T b) {
    return multiply_wrapping(a, b);
  }
};
struct largest {
  static constexpr int of_nothing = 0;
  template <class T>
  static T combine(T a, T b) {
    return a < b ? b : a;
  }
};
struct smallest {
  static constexpr int of_nothing = 0;
  template <class T>
  static T combine(T a, T b) {
    return b < a ? b : a;
  }
};

template <class T>
void wait_until_full(const T* element) {
  static_assert(sizeof(T) == sizeof(aligned_t));
  static_cast<void>(qthread_readFF(nullptr, reinterpret_cast<const aligned_t*>(element)));
}

template <class Operation, class T, bool Awaits>
T reduce_here(const T* array, std::size_t begin, std::size_t end) {
  if constexpr (Awaits) wait_until_full(array + begin);
  T result = array[begin];
  for (std::size_t i = begin + 1; i < end; ++i) {
    if constexpr (Awaits) wait_until_full(array + i);
    result = Operation::combine(result, array[i]);
  }
  return result;
}

template <class Operation, class T, bool Awaits>
void reduce_part(std::size_t begin, std::size_t end, void* array, void* result) {
  *static_cast<T*>(result) = reduce_here<Operation, T, Awaits>(static_cast<const T*>(array), begin, end);
}

template <class Operation, class T>
void combine_results(void* a, const void* b) {
  *static_cast<T*>(a) = Operation::combine(*static_cast<T*>(a), *static_cast<const T*>(b));
}

template <class Operation, class T>
T reduce(const T* array, const parts& range, bool Awaits, bool is_placed) {
  if (range.length == 0) return Operation::of_nothing;
  T result;
  accumulate({Awaits ? reduce_part<Operation, T, true> : reduce_part<Operation, T, false>, const_cast<T*>(array),
              combine_results<Operation, T>, sizeof(T), &result, is_placed},
             range);
  return result;
}

}  // namespace weft::qthreads
