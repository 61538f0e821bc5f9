// loops.h: sorting.
//
// Quicksort on elements whose size is known only here; while the pivot is at work it stands first.
// Elements equal to the pivot are put aside where few are below it. Where too many divisions were
// bad, and for small parts, libc's sort does the rest.

#include <weft/loops.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <weft/detail/divide.hpp>

#include "base/failure.hpp"

namespace {

constexpr size_t least_to_sort_in_parallel = 2048;

struct sorting {
  size_t element_bytes;
  int (*compare)(const void* left, const void* right, void* argument);
  void* argument;
  size_t largest_leaf;

  bool is_below(const char* left, const char* right) const { return compare(left, right, argument) < 0; }

  void swap_elements(char* left, char* right) const {
    char held[64];
    for (size_t done = 0; left != right && done < element_bytes;) {
      const size_t bytes = std::min(sizeof held, element_bytes - done);
      std::memcpy(held, left + done, bytes);
      std::memcpy(left + done, right + done, bytes);
      std::memcpy(right + done, held, bytes);
      done += bytes;
    }
  }

  // Puts what satisfies the predicate first; the end of that.
  template <class Predicate>
  char* partition(char* first, char* last, Predicate predicate) const {
    for (;; first += element_bytes) {
      while (first != last && predicate(first)) first += element_bytes;
      do {
        if (first == last) return first;
        last -= element_bytes;
      } while (!predicate(last));
      swap_elements(first, last);
    }
  }

  char* median(char* a, char* b, char* c) const {
    if (is_below(b, a)) std::swap(a, b);
    if (is_below(c, b)) std::swap(b, c);
    return is_below(b, a) ? a : b;
  }

  char* pivot(char* first, size_t count) const {
    const size_t step = count / 9 * element_bytes;
    const auto near = [=, this](size_t third) {
      char* const from = first + 3 * third * step + step / element_bytes / 2 * element_bytes;
      return median(from, from + step, from + 2 * step);
    };
    return median(near(0), near(1), near(2));
  }
};

struct sort_job {
  const sorting* how;
  char* first;
  size_t count;
  unsigned patience;  // bad divisions that are still put up with

  bool is_divisible(bool is_wanted) const {
    return patience != 0 && count > (is_wanted ? least_to_sort_in_parallel : how->largest_leaf);
  }
  sort_job split() {
    const size_t bytes = how->element_bytes;
    char* const last = first + count * bytes;
    how->swap_elements(first, how->pivot(first, count));
    char* const above = how->partition(first + bytes, last, [this](char* one) { return how->is_below(one, first); });
    const size_t below_count = static_cast<size_t>(above - first) / bytes - 1;
    char* rest = above;
    if (below_count < count / 8) rest = how->partition(above, last, [this](char* one) { return !how->is_below(first, one); });
    how->swap_elements(first, above - bytes);
    const size_t rest_count = static_cast<size_t>(last - rest) / bytes;
    if (std::max(below_count, rest_count) > count - count / 8) --patience;
    count = below_count;
    return {how, rest, rest_count, patience};
  }
  void run() { qsort_r(first, count, how->element_bytes, how->compare, how->argument); }
  void append(const sort_job&) {}
};

}  // namespace

extern "C" weft_status weft_parallel_sort(void* elements, size_t count, size_t element_bytes,
                                          int (*compare)(const void* left, const void* right, void* argument), void* argument) {
  static constexpr char call[] = "weft_parallel_sort";
  if (compare == nullptr) return weft::fail_on_null(call, "compare");
  if (element_bytes == 0) return weft::fail(WEFT_INVALID, call, "element_bytes", "it is 0");
  if (elements == nullptr && count != 0)
    return weft::fail(WEFT_INVALID, call, "elements", "it is null, and count is %u", nullptr, count);
  if (count < 2) return WEFT_OK;
  const bool is_alone = weft_worker_self() < 0 || weft_worker_count() < 2;
  const size_t wanted = count / std::max(weft::detail::parts_to_begin_with(), 1U);
  const sorting how{element_bytes, compare, argument, is_alone ? count : std::max(wanted, least_to_sort_in_parallel)};
  sort_job all{&how, static_cast<char*>(elements), count, is_alone ? 0 : static_cast<unsigned>(std::bit_width(count))};
  weft::detail::divide(all);
  return WEFT_OK;
}
