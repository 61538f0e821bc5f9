// Sorts: a quicksort whose right halves are tasks, and a mergesort whose left ones are.
#include <cstdlib>
#include <cstring>

#include <qthread/qutil.h>

#include "loop.hpp"

namespace {

using namespace weft::qthreads;

constexpr std::size_t most_in_one_task = 8192;

inline bool is_before(aligned_t a, aligned_t b) { return a < b; }
// NaNs come last: an order without gaps, as the sort needs it.
inline bool is_before(double a, double b) { return a < b || (b != b && a == a); }

template <class T>
void sort_here(T* array, std::size_t length) {
  std::sort(array, array + length, [](T a, T b) { return is_before(a, b); });
}

template <class T>
T median(T a, T b, T c) {
  if (is_before(b, a)) std::swap(a, b);
  if (is_before(c, b)) b = is_before(c, a) ? a : c;
  return b;
}

// No element before the returned index belongs behind one from there on. Neither side is empty: of
// the three elements whose median is the pivot, two lie before the last one, and these are not both
// smaller than it.
template <class T>
std::size_t split(T* array, std::size_t length) {
  const T pivot = median(array[0], array[length / 2], array[length - 1]);
  std::size_t low = 0, high = length - 1;
  for (;; ++low, --high) {
    while (is_before(array[low], pivot)) ++low;
    while (is_before(pivot, array[high])) --high;
    if (low >= high) return high + 1;
    std::swap(array[low], array[high]);
  }
}

// Splits that may go wrong before a part is sorted in one task.
unsigned splits_for(std::size_t length) {
  unsigned bits = 0;
  for (; length != 0; length /= 2) ++bits;
  return 2 * bits;
}

template <class T>
struct quicksort {
  T* array;
  std::size_t length;
  unsigned splits_left;
  qt_sinc_t* done;
};

template <class T>
aligned_t run_quicksort(void* argument) {
  quicksort<T> mine = *static_cast<quicksort<T>*>(argument);
  while (mine.length > most_in_one_task && mine.splits_left > 0) {
    --mine.splits_left;
    const std::size_t middle = split(mine.array, mine.length);
    quicksort<T> right{mine.array + middle, mine.length - middle, mine.splits_left, mine.done};
    mine.length = middle;
    qt_sinc_expect(mine.done, 1);
    if (start_task(run_quicksort<T>, &right, sizeof right, anywhere)) continue;
    sort_here(right.array, right.length);
    qt_sinc_submit(mine.done, nullptr);
  }
  sort_here(mine.array, mine.length);
  qt_sinc_submit(mine.done, nullptr);
  return 0;
}

template <class T>
void sort_in_parallel(T* array, std::size_t length) {
  if (length <= most_in_one_task) return sort_here(array, length);
  qt_sinc_t done;
  qt_sinc_init(&done, 0, nullptr, nullptr, 1);
  quicksort<T> all{array, length, splits_for(length), &done};
  run_quicksort<T>(&all);
  qt_sinc_wait(&done, nullptr);
}

struct mergesort {
  double* array;
  double* scratch;
  std::size_t length;
  qt_sinc_t* done;
};

void sort_by_merging(double* array, double* scratch, std::size_t length);

aligned_t run_mergesort(void* argument) {
  const mergesort mine = *static_cast<mergesort*>(argument);
  sort_by_merging(mine.array, mine.scratch, mine.length);
  qt_sinc_submit(mine.done, nullptr);
  return 0;
}

void sort_by_merging(double* array, double* scratch, std::size_t length) {
  if (length <= most_in_one_task) return sort_here(array, length);
  const std::size_t middle = length / 2;
  qt_sinc_t done;
  qt_sinc_init(&done, 0, nullptr, nullptr, 1);
  mergesort left{array, scratch, middle, &done};
  if (!start_task(run_mergesort, &left, sizeof left, anywhere)) run_mergesort(&left);
  sort_by_merging(array + middle, scratch + middle, length - middle);
  qt_sinc_wait(&done, nullptr);
  std::merge(array, array + middle, array + middle, array + length, scratch, [](double a, double b) { return is_before(a, b); });
  std::memcpy(array, scratch, length * sizeof *array);
}

}  // namespace

extern "C" {

void qt_qsort(double* array, size_t length) { sort_in_parallel(array, length); }
void qutil_qsort(double* array, size_t length) { sort_in_parallel(array, length); }
void qutil_aligned_qsort(aligned_t* array, size_t length) { sort_in_parallel(array, length); }

void qutil_mergesort(double* array, size_t length) {
  auto* const scratch = length > most_in_one_task ? static_cast<double*>(std::malloc(length * sizeof(double))) : nullptr;
  if (scratch == nullptr) return sort_in_parallel(array, length);
  sort_by_merging(array, scratch, length);
  std::free(scratch);
}
}
