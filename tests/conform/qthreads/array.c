/* qarray_*: arrays, their segments' shepherds, and iterations over them. */
#include <qthread/qarray.h>

#include "check.h"
#include "tasks.h"

static const distribution_t kinds[] = {FIXED_HASH, FIXED_FIELDS, ALL_SAME,  DIST,     DIST_STRIPES, DIST_FIELDS,
                                       DIST_RAND,  DIST_LEAST,   ALL_LOCAL, ALL_RAND, ALL_LEAST};
enum { kind_count = sizeof(kinds) / sizeof(kinds[0]) };

/* Calls body for arrays of every kind, with elements of several sizes and segments of a page, of
 * the usual size, and of fewer elements than there are; where programs are slow, of a quarter of
 * these, in which each value occurs. */
static void for_arrays(void (*body)(qarray *a)) {
  static const size_t units[] = {8, 41, 3000};
  for (int kind = 0; kind < kind_count; ++kind)
    for (int unit = 0; unit < 3; ++unit)
      for (int tight = 0; tight < 2; ++tight)
        for (int pages = 0; pages < 2; ++pages) {
          if (IS_SLOW && (kind + unit + 2 * tight + pages) % 4 != 0) continue;
          qarray *a = qarray_create_configured(3001, units[unit], kinds[kind], (char)tight, pages);
          CHECK(a != NULL);
          body(a);
          qarray_destroy(a);
        }
}

/* ---- layout ---- */

static void elements_lie_apart(qarray *a) {
  CHECK(a->count == 3001 && a->segment_size > 0 && a->segment_bytes >= a->segment_size * a->unit_size);
  CHECK((uintptr_t)a->base_ptr % 4096 == 0 && qarray_elem(a, 0) == a->base_ptr);
  CHECK(a->dist_type <= DIST);
  for (size_t i = 0; i < a->count; ++i) {
    char *const element = qarray_elem_nomigrate(a, i);
    memset(element, (int)i, a->unit_size);
    if (i == 0) continue;
    char *const before = qarray_elem_nomigrate(a, i - 1);
    CHECK(element >= before + a->unit_size);
    if (i % a->segment_size != 0) CHECK(element == before + a->unit_size);
  }
  for (size_t i = 0; i < a->count; ++i) {
    const char *const element = qarray_elem(a, i);
    CHECK(element[0] == (char)i && element[a->unit_size - 1] == (char)i);
  }
  CHECK(qarray_elem(a, a->count) != NULL && qarray_elem(a, a->count + 1) == NULL);
}
static void layout(void) {
  for_arrays(elements_lie_apart);
  CHECK(qarray_elem(NULL, 0) == NULL);
}

static void sizes(void) {
  qarray *a = qarray_create(10, 41);
  CHECK(a != NULL && a->unit_size == 48 && a->dist_type == FIXED_HASH && a->segment_bytes == 16 * 4096);
  qarray_destroy(a);
  a = qarray_create_tight(10, 41);
  CHECK(a != NULL && a->unit_size == 41 && a->dist_type == FIXED_HASH);
  qarray_destroy(a);
  a = qarray_create_configured(10, 8, FIXED_FIELDS, 0, 3);
  CHECK(a != NULL && a->segment_bytes == 3 * 4096 && a->segment_size == 3 * 512 && a->dist_type == FIXED_FIELDS);
  qarray_destroy(a);
  a = qarray_create_configured(3, 100000, FIXED_HASH, 0, 0);
  CHECK(a != NULL && a->segment_size > 0);
  memset(qarray_elem(a, 2), 1, 100000);
  qarray_destroy(a);
}

static void arrays_that_cannot_be(void) {
  CHECK(qarray_create(0, 8) == NULL && qarray_create_tight(8, 0) == NULL);
  qarray_destroy(NULL);
#if IS_WEFT
  CHECK(qarray_create(SIZE_MAX, 8) == NULL && qarray_create(8, SIZE_MAX) == NULL && qarray_create(SIZE_MAX / 16, 4096) == NULL);
  qarray *const a = qarray_create_configured(3, 5000, DIST, 1, 1); /* more than a page */
  CHECK(a != NULL && a->segment_size == 1 && a->segment_bytes == 8192);
  qarray_destroy(a);
#endif
}

/* ---- iterations: the first word of each element counts the calls ---- */

static uint64_t word_of(const qarray *a, size_t i) {
  uint64_t word;
  memcpy(&word, qarray_elem_nomigrate(a, i), sizeof(word));
  return word;
}

static void clear(qarray *a) {
  for (size_t i = 0; i < a->count; ++i) memset(qarray_elem_nomigrate(a, i), 0, a->unit_size);
}

static void add_one(void *element) {
  uint64_t word;
  memcpy(&word, element, sizeof(word));
  ++word;
  memcpy(element, &word, sizeof(word));
}

static void are_counted(const qarray *a, size_t from, size_t to) {
  for (size_t i = 0; i < a->count; ++i) CHECK(word_of(a, i) == (i >= from && i < to));
}

static aligned_t visit(void *element) {
  add_one(element);
  return 0;
}

static void visit_range(size_t const from, size_t const to, qarray *a, void *arg) {
  CHECK(from < to && to <= a->count);
  for (size_t i = from; i < to; ++i) {
    CHECK((char *)qarray_elem(a, i) == (char *)qarray_elem(a, from) + (i - from) * a->unit_size || !IS_WEFT);
#if IS_WEFT
    CHECK(qarray_shepof(a, i) == qthread_shep());
#endif
    add_one(qarray_elem(a, i));
  }
  atomic_fetch_add((atomic_size_t *)arg, to - from);
}

static void each_once(qarray *a) {
  clear(a);
  qarray_iter(a, 0, a->count, visit);
  are_counted(a, 0, a->count);
  clear(a);
  atomic_size_t visited = 0;
  /* 1.23 leaves elements of FIXED_FIELDS out */
  if (!IS_WEFT && a->dist_type == FIXED_FIELDS) return;
  qarray_iter_loop(a, 0, a->count, visit_range, &visited);
  CHECK(atomic_load(&visited) == a->count);
  are_counted(a, 0, a->count);
}
static void iterations_visit_each_once(void) { for_arrays(each_once); }

static void parts(qarray *a) {
#if IS_WEFT /* 1.23 does not end for some of these */
  static const size_t ends[] = {0, 1, 85, 511, 512, 513, 1024, 1500, 3000, 3001};
  for (size_t i = 0; i < 9; ++i) {
    const size_t from = ends[i], to = ends[i + 1 + (i < 7 ? i % 3 : 0)];
    atomic_size_t visited = 0;
    clear(a);
    qarray_iter_loop(a, from, to, visit_range, &visited);
    CHECK(atomic_load(&visited) == to - from);
    are_counted(a, from, to);
    clear(a);
    qarray_iter(a, from, to, visit);
    are_counted(a, from, to);
  }
#else
  (void)a;
#endif
}
static void iterations_visit_parts(void) { for_arrays(parts); }

#if IS_WEFT
static const bool is_called = true;

static void is_never_called(size_t const from, size_t const to, qarray *a, void *arg) {
  (void)from, (void)to, (void)a, (void)arg;
  CHECK(!is_called);
}

static void look_at_range(size_t const from, size_t const to, qarray const *a, void *arg) {
  for (size_t i = from; i < to; ++i) CHECK(word_of(a, i) == 0 && qarray_shepof(a, i) == qthread_shep());
  atomic_fetch_add((atomic_size_t *)arg, to - from);
}

static aligned_t never(void *element) {
  (void)element;
  CHECK(!is_called);
  return 0;
}
static void never_summed(size_t const from, size_t const to, qarray *a, void *arg, void *ret) {
  (void)ret;
  is_never_called(from, to, a, arg);
}
static void never_added(void *restrict a, void const *restrict b) {
  (void)a, (void)b;
  CHECK(!is_called);
}

static void empty_and_bad_ranges(void) {
  qarray *const a = qarray_create(100, 8);
  static const size_t ranges[][2] = {{0, 0}, {50, 50}, {60, 50}, {0, 101}, {100, 100}, {200, 300}};
  uint64_t sum = 77;
  for (int i = 0; i < 6; ++i) {
    qarray_iter(a, ranges[i][0], ranges[i][1], never);
    qarray_iter_loop(a, ranges[i][0], ranges[i][1], is_never_called, NULL);
    qarray_iter_loopaccum(a, ranges[i][0], ranges[i][1], never_summed, NULL, &sum, sizeof(sum), never_added);
  }
  CHECK(sum == 77);
  qarray_iter(NULL, 0, 1, never);
  qarray_iter(a, 0, 1, NULL);
  qarray_iter_loop(NULL, 0, 1, is_never_called, NULL);
  qarray_iter_loop(a, 0, 1, NULL, NULL);
  qarray_iter_constloop(NULL, 0, 1, look_at_range, NULL);
  qarray_iter_constloop(a, 0, 1, NULL, NULL);
  qarray_iter_loopaccum(a, 0, 1, NULL, NULL, &sum, sizeof(sum), never_added);
  qarray_destroy(a);
}

static void constant(qarray *a) {
  clear(a);
  atomic_size_t visited = 0;
  qarray_iter_constloop(a, 3, a->count - 3, look_at_range, &visited);
  CHECK(atomic_load(&visited) == a->count - 6);
}

static void without_waiting(qarray *a) {
  clear(a);
  atomic_size_t visited = 0;
  aligned_t end;
  qarray_iter_loop_nb(a, 0, a->count, visit_range, &visited, &end);
  OK(qthread_readFF(NULL, &end));
  CHECK(atomic_load(&visited) == a->count);
  qarray_iter_loop_nb(a, 0, 0, is_never_called, NULL, &end);
  OK(qthread_readFF(NULL, &end));
  are_counted(a, 0, a->count);
}

static void iterate_outside(void *a) {
  atomic_size_t visited = 0;
  clear(a);
  qarray_iter_loop(a, 0, 3001, visit_range, &visited);
  are_counted(a, 0, 3001);
}
#endif

/* Tasks of an iteration may wait for each other's shepherds, and several may visit one element at a time. */
static aligned_t visit_at_once(void *element) {
  __atomic_fetch_add((uint64_t *)element, 1, __ATOMIC_RELAXED);
  return 0;
}

static void nested(size_t const from, size_t const to, qarray *a, void *arg) {
  (void)a;
  CHECK(from < to);
  qarray_iter(arg, 0, 1, visit_at_once);
}
static void iterations_nest(void) {
  qarray *const a = qarray_create_configured(3000, 8, DIST_STRIPES, 0, 1);
  qarray *const inner = qarray_create_configured(1, 8, ALL_SAME, 0, 0);
  clear(inner);
  qarray_iter_loop(a, 0, a->count, nested, inner);
  CHECK(word_of(inner, 0) >= 1 && word_of(inner, 0) <= a->count);
  qarray_destroy(a);
  qarray_destroy(inner);
}

/* ---- sums ---- */

static void number_range(size_t const from, size_t const to, qarray *a, void *arg) {
  for (size_t i = from; i < to; ++i) memcpy(qarray_elem(a, i), &i, sizeof(i));
  (void)arg;
}

struct sum {
  uint64_t total;
  char marks[72]; /* results of any size are kept apart */
};

static void sum_range(size_t const from, size_t const to, qarray *a, void *arg, void *ret) {
  struct sum sum = {0, {0}};
  for (size_t i = from; i < to; ++i) sum.total += word_of(a, i);
  memset(sum.marks, *(const char *)arg, sizeof(sum.marks));
  memcpy(ret, &sum, sizeof(sum));
}

static void add_sums(void *restrict a, void const *restrict b) {
  struct sum *const to = a;
  const struct sum *const from = b;
  to->total += from->total;
  for (size_t i = 0; i < sizeof(to->marks); ++i) CHECK(to->marks[i] == 'x' && from->marks[i] == 'x');
}

static void is_summed(qarray *a) {
  if (!IS_WEFT && a->dist_type == FIXED_FIELDS) return;
  qarray_iter_loop(a, 0, a->count, number_range, NULL);
  struct sum sum = {5, {0}};
  if (IS_WEFT || a->dist_type == ALL_SAME || (a->dist_type == FIXED_HASH && a->segment_size < 100)) {
    qarray_iter_loopaccum(a, 0, a->count, sum_range, "x", &sum, sizeof(sum), add_sums);
    CHECK(sum.total == (uint64_t)a->count * (a->count - 1) / 2);
    for (size_t i = 0; i < sizeof(sum.marks); ++i) CHECK(sum.marks[i] == 'x');
  }
#if IS_WEFT /* 1.23 adds what shepherds without elements did not write */
  qarray_iter_loopaccum(a, 700, 701, sum_range, "x", &sum, sizeof(sum), add_sums);
  CHECK(sum.total == 700);
  qarray_iter_loopaccum(a, 10, 2000, sum_range, "x", &sum, sizeof(sum), add_sums);
  CHECK(sum.total == 1999 * 2000 / 2 - 45);
#endif
}
static void sums(void) { for_arrays(is_summed); }

int main(void) {
#if IS_WEFT
  CHECK(qarray_create(1, 1) == NULL);
#endif
  OK(qthread_initialize());
  layout();
  sizes();
  arrays_that_cannot_be();
  iterations_visit_each_once();
  iterations_visit_parts();
  iterations_nest();
  sums();
#if IS_WEFT
  empty_and_bad_ranges();
  for_arrays(constant);
  for_arrays(without_waiting);
  qarray *const a = qarray_create_configured(3001, 8, FIXED_FIELDS, 0, 1);
  run_outside(iterate_outside, a);
  qarray_destroy(a);
#endif
  qthread_finalize();
  return 0;
}
