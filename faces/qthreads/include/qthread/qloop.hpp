// Qthreads on Weft: loops over function objects.
//
// An object that is called with two indexes, begin and end, is one that loops take. The object
// itself is called, by several tasks at a time, also where it was passed as a constant; it must stay
// until the loop has returned. Of the templates of Qthreads 1.23, qt_loop_future and
// qt_loop_balance_future are left out: they call functions that its library does not have.
#ifndef QLOOP_HPP /* SPDX-License-Identifier: BSD-3-Clause */
#define QLOOP_HPP

#include "qloop.h"

template <typename T>
void qloop_cpp_wrapper(size_t begin, size_t end, void *object) {
  (*static_cast<T *>(object))(begin, end);
}

template <typename T>
void qt_loop(size_t start, size_t stop, T const &object) {
  qt_loop(start, stop, qloop_cpp_wrapper<T>, const_cast<T *>(&object));
}

template <typename T>
void qt_loop_balance(size_t start, size_t stop, T const &object) {
  qt_loop_balance(start, stop, qloop_cpp_wrapper<T>, const_cast<T *>(&object));
}

template <typename T>
void qt_loop_balance_simple(size_t start, size_t stop, T const &object) {
  qt_loop_balance_simple(start, stop, qloop_cpp_wrapper<T>, const_cast<T *>(&object));
}

template <typename T>
void qloop_accum_cpp_wrapper(size_t begin, size_t end, void *object, void *result) {
  *static_cast<typename T::acctype *>(result) = (*static_cast<T *>(object))(begin, end);
}

// The object's calls return values of its type acctype, which T::accumulate, a qt_accum_f, combines;
// T::identity is neutral. The values are copied as bytes.
template <typename T>
typename T::acctype qt_loopaccum_balance(size_t start, size_t stop, T const &object) {
  typename T::acctype result(T::identity);
  qt_loopaccum_balance(start, stop, sizeof result, &result, qloop_accum_cpp_wrapper<T>, const_cast<T *>(&object),
                       reinterpret_cast<qt_accum_f>(T::accumulate));
  return result;
}

#endif
