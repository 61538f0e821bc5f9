/* qthread/qutil.h: sums, products, extremes and sorts, by the caller alone or by tasks. */
#include <math.h>
#include <pthread.h>

#include <qthread/qutil.h>

#include "check.h"

enum { most = 45001, many = IS_SLOW ? 30000 : 300000 };

static double doubles[most];
static saligned_t ints[most];
static aligned_t uints[most];

static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

#define ADD(a, b) ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

#define AGREES(type, array, length, checkfeb, name, step)                    \
  do {                                                                       \
    type wanted = (array)[0];                                                \
    for (size_t i = 1; i < (length); ++i) wanted = step(wanted, (array)[i]); \
    CHECK(name((array), (length), (checkfeb)) == wanted);                    \
  } while (0)

static void all_agree(size_t length, int checkfeb) {
  for (size_t i = 0; i < length; ++i) {
    doubles[i] = (double)(int)(next_random() % 2001) - 1000; /* whole: exact in any order */
    ints[i] = (saligned_t)(next_random() % 2001) - 1000;
    uints[i] = next_random() | 1;
  }
  AGREES(double, doubles, length, checkfeb, qutil_double_sum, ADD);
  AGREES(double, doubles, length, checkfeb, qutil_double_max, LARGER);
  AGREES(double, doubles, length, checkfeb, qutil_double_min, SMALLER);
  AGREES(saligned_t, ints, length, checkfeb, qutil_int_sum, ADD);
  AGREES(saligned_t, ints, length, checkfeb, qutil_int_max, LARGER);
  AGREES(saligned_t, ints, length, checkfeb, qutil_int_min, SMALLER);
  AGREES(aligned_t, uints, length, checkfeb, qutil_uint_sum, ADD);
  AGREES(aligned_t, uints, length, checkfeb, qutil_uint_mult, MULTIPLY);
  AGREES(aligned_t, uints, length, checkfeb, qutil_uint_max, LARGER);
  AGREES(aligned_t, uints, length, checkfeb, qutil_uint_min, SMALLER);
  for (size_t i = 0; i < length; ++i) {
    doubles[i] = i % 3 == 0 ? 2 : i % 3 == 1 ? 0.5 : -1;
    ints[i] = i % 1000 == 999 ? -2 : 1;
  }
  AGREES(double, doubles, length, checkfeb, qutil_double_mult, MULTIPLY);
  AGREES(saligned_t, ints, length, checkfeb, qutil_int_mult, MULTIPLY);
}

static void of_any_length(void) {
  static size_t const lengths[] = {1, 2, 1000, 10000, 10001, 20000, most};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i)
    for (int checkfeb = 0; checkfeb < 2; ++checkfeb) all_agree(lengths[i], checkfeb);
}

static void of_nothing(void) {
  if (!IS_WEFT) return; /* 1.23 reads the first element */
  CHECK(qutil_double_sum(doubles, 0, 0) == 0 && qutil_double_mult(doubles, 0, 0) == 1);
  CHECK(qutil_int_sum(ints, 0, 1) == 0 && qutil_int_mult(ints, 0, 1) == 1);
  CHECK(qutil_uint_max(uints, 0, 1) == 0 && qutil_uint_min(uints, 0, 1) == 0);
}

/* Elements of the first, the last and a middle part that others still have to write. */
static aligned_t sum_of_all(void *argument) { return qutil_uint_sum(argument, most, 1); }

static void elements_are_awaited(void) {
  static size_t const late[] = {0, 5, 10000, 25000, most - 1};
  aligned_t sum = 0;
  for (size_t i = 0; i < most; ++i) uints[i] = 1;
  for (size_t i = 0; i < 5; ++i) OK(qthread_empty(&uints[late[i]]));
  OK(qthread_fork(sum_of_all, uints, &sum));
  for (size_t i = 0; i < 5; ++i) {
    qthread_yield();
    CHECK(!qthread_feb_status(&sum));
    OK(qthread_writeEF_const(&uints[late[i]], 11));
  }
  OK(qthread_readFF(NULL, &sum));
  CHECK(sum == most + 50);
}

static void sort_doubles(void (*sort)(double *, size_t), size_t length, uint64_t values) {
  double *const array = malloc((length + 1) * sizeof *array);
  CHECK(array != NULL);
  double sum = 0;
  array[length] = -7;
  for (size_t i = 0; i < length; ++i) sum += array[i] = (double)(next_random() % values);
  for (int again = 0; again < 2; ++again) { /* the second time it is sorted already */
    sort(array, length);
    for (size_t i = 1; i < length; ++i) CHECK(array[i - 1] <= array[i]);
  }
  for (size_t i = 0; i < length; ++i) sum -= array[i];
  CHECK(sum == 0 && array[length] == -7);
  free(array);
}

static void sort_words(size_t length, uint64_t values) {
  aligned_t *const array = malloc((length + 1) * sizeof *array);
  CHECK(array != NULL);
  aligned_t sum = 0;
  array[length] = 7;
  for (size_t i = 0; i < length; ++i) sum += array[i] = next_random() / values;
  for (int again = 0; again < 2; ++again) {
    qutil_aligned_qsort(array, length);
    for (size_t i = 1; i < length; ++i) CHECK(array[i - 1] <= array[i]);
  }
  for (size_t i = 0; i < length; ++i) sum -= array[i];
  CHECK(sum == 0 && array[length] == 7);
  free(array);
}

static void sorts(void) {
  static size_t const lengths[] = {1, 2, 3, 100, 8193, 10001, many};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
    int const is_fit_for_any = lengths[i] <= 10000 || IS_WEFT; /* 1.23 does not end with many equal ones */
    sort_doubles(qutil_qsort, lengths[i], 1u << 30);
    sort_words(lengths[i], 1);
    if (is_fit_for_any) sort_doubles(qutil_qsort, lengths[i], 3);
    if (is_fit_for_any) sort_words(lengths[i], UINT64_MAX / 2);
    if (lengths[i] > 10000 && !IS_WEFT) continue; /* the merges of 1.23 take quadratic time */
    sort_doubles(qutil_mergesort, lengths[i], 1u << 30);
    sort_doubles(qutil_mergesort, lengths[i], 3);
  }
  if (!IS_WEFT) return;
  qutil_mergesort(doubles, 0);
  qutil_qsort(doubles, 0);
  qutil_aligned_qsort(uints, 0);
}

static void not_a_number_comes_last(void) {
  if (!IS_WEFT) return;
  double *const array = malloc(many * sizeof *array);
  CHECK(array != NULL);
  for (int merges = 0; merges < 2; ++merges) {
    for (size_t i = 0; i < many; ++i) array[i] = i % 5 == 0 ? (double)NAN : (double)(next_random() % 1000);
    (merges ? qutil_mergesort : qutil_qsort)(array, many);
    for (size_t i = 0; i < many; ++i) CHECK(isnan(array[i]) == (i >= many - many / 5));
  }
  free(array);
}

/* The task waits for the OS thread by a word: its worker is wanted meanwhile. */
static aligned_t is_done;

static void *work_outside(void *argument) {
  (void)argument;
  for (size_t i = 0; i < most; ++i) uints[i] = 1;
  CHECK(qutil_uint_sum(uints, most, 0) == most);
  sort_doubles(qutil_qsort, most, 1000000);
  sort_doubles(qutil_mergesort, most, 1000000);
  OK(qthread_fill(&is_done));
  return NULL;
}

static void outside(void) {
  if (!IS_WEFT) return;
  pthread_t thread;
  OK(qthread_empty(&is_done));
  CHECK(pthread_create(&thread, NULL, work_outside, NULL) == 0);
  OK(qthread_readFF(NULL, &is_done));
  CHECK(pthread_join(thread, NULL) == 0);
}

int main(void) {
  OK(qthread_initialize());
  of_any_length();
  of_nothing();
  elements_are_awaited();
  sorts();
  not_a_number_comes_last();
  outside();
  return 0;
}
