/* qthread/allpairs.h: a function of each pair. The arrays are laid out here. */
#include <string.h>

#include <qthread/allpairs.h>

#include "check.h"

enum { rows = 150, columns = 203 };

/* Segments that are longer than their elements. */
static qarray array_of(size_t count, size_t per_segment) {
  qarray made;
  memset(&made, 0, sizeof made);
  made.unit_size = sizeof(int);
  made.count = count;
  made.segment_size = per_segment;
  made.segment_bytes = per_segment * sizeof(int) + 64;
  size_t const segments = (count + per_segment - 1) / per_segment;
  made.base_ptr = malloc((segments + 1) * made.segment_bytes);
  CHECK(made.base_ptr != NULL);
  made.dist_type = FIXED_HASH;
  for (size_t i = 0; i < count; ++i) *(int *)qarray_elem(&made, i) = (int)i;
  return made;
}

static aligned_t calls_of[rows][columns];

static void note_pair(void const *left, void const *right) {
  qthread_incr(&calls_of[*(int const *)left][*(int const *)right], 1);
}

struct result {
  int row, column, calls;
};

static void note_result(void const *left, void const *right, void *restrict out) {
  struct result *const mine = out;
  mine->row = *(int const *)left;
  mine->column = *(int const *)right;
  ++mine->calls;
}

static void note_without_result(void const *left, void const *right, void *restrict out) {
  CHECK(out == NULL);
  note_pair(left, right);
}

/* The tasks of 1.23 end when they find no work, even if more is to come. */
static void check_calls(size_t wanted) {
  if (!IS_WEFT) return;
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < columns; ++k) CHECK(calls_of[i][k] == wanted);
}

static void each_pair_once(qarray const *left, qarray const *right) {
  memset(calls_of, 0, sizeof calls_of);
  qt_allpairs(left, right, note_pair);
  check_calls(1);
  qt_allpairs_output(left, right, note_without_result, NULL, 0);
  check_calls(2);
}

static void results(qarray const *left, qarray const *right) {
  static struct result found[rows][columns];
  static void *out[rows];
  memset(found, 0, sizeof found);
  for (size_t i = 0; i < rows; ++i) out[i] = found[i];
  qt_allpairs_output(left, right, note_result, out, sizeof(struct result));
  if (!IS_WEFT) return;
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < columns; ++k) CHECK(found[i][k].row == i && found[i][k].column == k && found[i][k].calls == 1);
}

static void no_pairs(qarray const *some) {
  if (!IS_WEFT) return;
  qarray none = *some;
  none.count = 0;
  memset(calls_of, 0, sizeof calls_of);
  qt_allpairs(&none, some, note_pair);
  qt_allpairs(some, &none, note_pair);
  qt_allpairs(NULL, some, note_pair);
  qt_allpairs(some, NULL, note_pair);
  qt_allpairs(some, some, NULL);
  qt_allpairs_output(NULL, some, note_without_result, NULL, 0);
  qt_allpairs_output(some, NULL, note_without_result, NULL, 0);
  qt_allpairs_output(some, some, NULL, NULL, 0);
  check_calls(0);
}

int main(void) {
  OK(qthread_initialize());
  qarray const left = array_of(rows, 16), right = array_of(columns, 50);
  each_pair_once(&left, &right);
  results(&left, &right);
  no_pairs(&left);
  free(left.base_ptr);
  free(right.base_ptr);
  return 0;
}
