/* qthread/qloop.h: reductions of arrays, functions that combine results, and the sort. */
#include <math.h>

#include <qthread/qloop.h>

#include "check.h"

enum { most = 3001, many = IS_SLOW ? 30000 : 300000 };

static double doubles[most];
static saligned_t ints[most];
static aligned_t uints[most];

static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

/* Sums of whole numbers, and products of powers of two, are exact in any order. */
static void draw(size_t length) {
  for (size_t i = 0; i < length; ++i) {
    doubles[i] = (double)(int)(next_random() % 2001) - 1000;
    ints[i] = (saligned_t)(next_random() % 2001) - 1000;
    uints[i] = next_random();
  }
}

#define AGREES(type, array, length, checkfeb, name, first, step)      \
  do {                                                                \
    type wanted = (first);                                            \
    for (size_t i = 0; i < (length); ++i) step(&wanted, &(array)[i]); \
    CHECK(name((array), (length), (checkfeb)) == wanted);             \
  } while (0)

static void all_agree(size_t length, int checkfeb) {
  AGREES(double, doubles, length, checkfeb, qt_double_sum, 0, qt_dbl_add_acc);
  AGREES(double, doubles, length, checkfeb, qt_double_max, doubles[0], qt_dbl_max_acc);
  AGREES(double, doubles, length, checkfeb, qt_double_min, doubles[0], qt_dbl_min_acc);
  AGREES(saligned_t, ints, length, checkfeb, qt_int_sum, 0, qt_int_add_acc);
  AGREES(saligned_t, ints, length, checkfeb, qt_int_max, ints[0], qt_int_max_acc);
  AGREES(saligned_t, ints, length, checkfeb, qt_int_min, ints[0], qt_int_min_acc);
  AGREES(aligned_t, uints, length, checkfeb, qt_uint_sum, 0, qt_uint_add_acc);
  AGREES(aligned_t, uints, length, checkfeb, qt_uint_prod, 1, qt_uint_prod_acc);
  AGREES(aligned_t, uints, length, checkfeb, qt_uint_max, uints[0], qt_uint_max_acc);
  AGREES(aligned_t, uints, length, checkfeb, qt_uint_min, uints[0], qt_uint_min_acc);
  for (size_t i = 0; i < length; ++i) {
    doubles[i] = i % 3 == 0 ? 2 : i % 3 == 1 ? 0.5 : -1;
    ints[i] = i % 50 == 49 ? -2 : 1;
  }
  AGREES(double, doubles, length, checkfeb, qt_double_prod, 1, qt_dbl_prod_acc);
  AGREES(saligned_t, ints, length, checkfeb, qt_int_prod, 1, qt_int_prod_acc);
}

static void of_any_length(void) {
  /* 1.23 looks beyond arrays with fewer elements than there are workers. */
  static size_t const lengths[] = {2, 3, 10, 1000, most, 1};
  for (size_t i = 0; i < (IS_WEFT ? 6 : 5); ++i) {
    for (int checkfeb = 0; checkfeb < 2; ++checkfeb) {
      draw(lengths[i]);
      all_agree(lengths[i], checkfeb);
    }
  }
}

static void of_nothing(void) {
  if (!IS_WEFT) return;
  CHECK(qt_double_sum(doubles, 0, 0) == 0 && qt_double_prod(doubles, 0, 0) == 1);
  CHECK(qt_double_max(doubles, 0, 0) == 0 && qt_double_min(doubles, 0, 0) == 0);
  CHECK(qt_int_sum(ints, 0, 1) == 0 && qt_int_prod(ints, 0, 1) == 1);
  CHECK(qt_uint_max(uints, 0, 1) == 0 && qt_uint_min(uints, 0, 1) == 0);
}

static void they_wrap_around(void) {
  if (!IS_WEFT) return; /* undefined in C */
  ints[0] = INT64_MAX;
  ints[1] = 2;
  CHECK(qt_int_sum(ints, 2, 0) == INT64_MIN + 1);
  CHECK(qt_int_prod(ints, 2, 0) == -2);
}

/* Elements that others still have to write. */
static aligned_t sum_of_all(void *argument) {
  (void)argument;
  return qt_uint_sum(uints, 100, 1) + (aligned_t)qt_int_sum(ints, 100, 1) + (aligned_t)(saligned_t)qt_double_sum(doubles, 100, 1);
}

static void elements_are_awaited(void) {
  aligned_t sum = 0, wanted = 0;
  draw(100);
  for (int i = 0; i < 100; i += 7) {
    OK(qthread_empty(&uints[i]));
    OK(qthread_empty((aligned_t *)&ints[i]));
    OK(qthread_empty((aligned_t *)&doubles[i]));
  }
  OK(qthread_fork(sum_of_all, NULL, &sum));
  for (int i = 0; i < 100; i += 7) {
    double const value = i;
    aligned_t bits;
    memcpy(&bits, &value, sizeof bits);
    qthread_yield();
    CHECK(!qthread_feb_status(&sum));
    OK(qthread_writeEF_const(&uints[i], (aligned_t)i));
    OK(qthread_writeEF_const((aligned_t *)&ints[i], (aligned_t)-i));
    OK(qthread_writeEF_const((aligned_t *)&doubles[i], bits));
  }
  double of_doubles = 0;
  for (int i = 0; i < 100; ++i) {
    wanted += uints[i] + (aligned_t)ints[i];
    of_doubles += doubles[i];
  }
  OK(qthread_readFF(NULL, &sum));
  CHECK(sum == wanted + (aligned_t)(saligned_t)of_doubles);
}

static void sort_of(size_t length, uint64_t values) {
  double *const array = malloc((length + 1) * sizeof *array);
  CHECK(array != NULL);
  double sum = 0;
  array[length] = -7;
  for (size_t i = 0; i < length; ++i) sum += array[i] = (double)(next_random() % values);
  qt_qsort(array, length);
  for (size_t i = 1; i < length; ++i) CHECK(array[i - 1] <= array[i]);
  for (size_t i = 0; i < length; ++i) sum -= array[i];
  CHECK(sum == 0 && array[length] == -7);
  qt_qsort(array, length);
  for (size_t i = 0; i < length; ++i) array[i] = -array[i];
  qt_qsort(array, length);
  for (size_t i = 1; i < length; ++i) CHECK(array[i - 1] <= array[i]);
  free(array);
}

static void sorts(void) {
  static size_t const lengths[] = {1, 2, 3, 100, 8193, 10001, many};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
    sort_of(lengths[i], 1u << 30);
    if (lengths[i] <= 10000 || IS_WEFT) sort_of(lengths[i], 3); /* 1.23 does not end with many equal ones */
    if (lengths[i] <= 10000 || IS_WEFT) sort_of(lengths[i], 1);
  }
  if (IS_WEFT) qt_qsort(doubles, 0);
}

static void not_a_number_comes_last(void) {
  if (!IS_WEFT) return;
  double *const array = malloc(many * sizeof *array);
  CHECK(array != NULL);
  size_t numbers = 0;
  for (size_t i = 0; i < many; ++i) {
    array[i] = next_random() % 5 == 0 ? (double)NAN : (double)(next_random() % 1000);
    if (!isnan(array[i])) ++numbers;
  }
  qt_qsort(array, many);
  for (size_t i = 0; i < many; ++i)
    CHECK(isnan(array[i]) == (i >= numbers) && (i == 0 || i >= numbers || array[i - 1] <= array[i]));
  free(array);
}

int main(void) {
  OK(qthread_initialize());
  of_any_length();
  of_nothing();
  they_wrap_around();
  elements_are_awaited();
  sorts();
  not_a_number_comes_last();
  return 0;
}
