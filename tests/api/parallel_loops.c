/* Loops from C: every index once, parts, order of reductions, sorting, all kinds of callers, bad
 * arguments. */
#include <weft/loops.h>

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static const size_t sizes[] = {0, 1, 2, 3, 10, 1000, 5003};
static const size_t grains[] = {0, 1, 2, 64, 5003, SIZE_MAX};
#define EACH(type, one, values) for (const type *one = (values); one != (values) + sizeof(values) / sizeof *(values); ++one)

/* ---- loops ----------------------------------------------------------------------------------- */

struct visits {
  size_t size, grain;
  atomic_int counts[5003];
};

static void visit(size_t from, size_t to, void *argument) {
  struct visits *seen = argument;
  CHECK(from < to && to <= seen->size);
  if (seen->grain != 0) CHECK(to - from <= seen->grain && (to - from == seen->size || to - from >= seen->grain / 2));
  for (size_t i = from; i < to; ++i) atomic_fetch_add_explicit(&seen->counts[i], 1, memory_order_relaxed);
}

static void each_once(void) {
  struct visits *seen = calloc(1, sizeof *seen);
  EACH(size_t, size, sizes) EACH(size_t, grain, grains) {
    *seen = (struct visits){.size = *size, .grain = *grain};
    OK(weft_parallel_for(0, *size, *grain, visit, seen));
    for (size_t i = 0; i < *size; ++i) CHECK(seen->counts[i] == 1);
  }
  free(seen);
}

static void last_indexes(size_t from, size_t to, void *argument) {
  CHECK(from >= SIZE_MAX - 100 && from < to);
  atomic_fetch_add((atomic_size_t *)argument, to - from);
}
static void large_indexes(void) {
  atomic_size_t count = 0;
  OK(weft_parallel_for(SIZE_MAX - 100, SIZE_MAX, 1, last_indexes, &count));
  CHECK(count == 100);
}

static void inner_loop(size_t from, size_t to, void *argument) { atomic_fetch_add((atomic_size_t *)argument, to - from); }
static void outer_loop(size_t from, size_t to, void *argument) {
  for (size_t i = from; i < to; ++i) {
    weft_yield();
    OK(weft_parallel_for(0, 50, 0, inner_loop, argument));
  }
}
static void nested(void) {
  atomic_size_t count = 0;
  OK(weft_parallel_for(0, 40, 1, outer_loop, &count));
  CHECK(count == 2000);
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Not commutative: x -> a x + b. */
struct affine {
  uint64_t a, b;
};
static struct affine after(struct affine first, struct affine then) {
  return (struct affine){first.a * then.a, first.b * then.a + then.b};
}
static void compose(size_t from, size_t to, void *argument, void *value) {
  (void)argument;
  struct affine *all = value;
  for (size_t i = from; i < to; ++i) *all = after(*all, (struct affine){2 * i + 3, i});
}
static void append(void *value, const void *value_of_later, void *argument) {
  (void)argument;
  *(struct affine *)value = after(*(struct affine *)value, *(const struct affine *)value_of_later);
}

static const struct affine same = {1, 0};
static const weft_reduction composition = {sizeof(struct affine), &same, compose, append};

static void order(void) {
  EACH(size_t, size, sizes) EACH(size_t, grain, grains) {
    struct affine expected = same, found = {7, 7};
    compose(0, *size, NULL, &expected);
    OK(weft_parallel_reduce(0, *size, *grain, &composition, NULL, &found));
    CHECK(found.a == expected.a && found.b == expected.b);
  }
}

struct histogram {
  uint32_t counts[WEFT_REDUCE_BYTES / sizeof(uint32_t)];
};
enum { bins = sizeof(struct histogram) / sizeof(uint32_t) };
static void count_bins(size_t from, size_t to, void *argument, void *value) {
  const uint32_t *factor = argument;
  CHECK((uintptr_t)value % 16 == 0);
  for (size_t i = from; i < to; ++i) ++((struct histogram *)value)->counts[i * *factor % bins];
}
static void add_bins(void *value, const void *value_of_later, void *argument) {
  CHECK(*(uint32_t *)argument == 7);
  for (size_t i = 0; i < bins; ++i)
    ((struct histogram *)value)->counts[i] += ((const struct histogram *)value_of_later)->counts[i];
}
static void largest_value(void) {
  struct histogram found = {{0}};
  uint32_t factor = 7;
  const weft_reduction how = {sizeof found, &found, count_bins, add_bins}; /* the identity may be what is written in the end */
  OK(weft_parallel_reduce(0, 100 * bins, 0, &how, &factor, &found));
  for (size_t i = 0; i < bins; ++i) CHECK(found.counts[i] == 100);
}

/* ---- sorting --------------------------------------------------------------------------------- */

struct element {
  uint32_t key;
  unsigned char rest[96]; /* more than is exchanged at a time */
};
static int sign; /* 1 ascending, -1 descending */
static int compare_keys(const void *left, const void *right, void *argument) {
  const uint32_t l = ((const struct element *)left)->key, r = ((const struct element *)right)->key;
  return *(int *)argument * ((l > r) - (l < r));
}
static int compare_bytes(const void *left, const void *right, void *argument) {
  (void)argument;
  return *(const unsigned char *)left - *(const unsigned char *)right;
}

static uint32_t key_of(int kind, size_t i, size_t count) {
  switch (kind) {
    case 0: return (uint32_t)i * 2654435761u >> 3; /* scattered */
    case 1: return (uint32_t)i;
    case 2: return (uint32_t)(count - i);
    case 3: return 5;
    case 4: return (uint32_t)(i % 3);
    default: return (uint32_t)(i < count / 2 ? i : count - i);
  }
}

static void sort_elements(int kind, size_t count) {
  struct element *elements = malloc((count + 1) * sizeof *elements);
  uint64_t before = 0, now = 0;
  for (size_t i = 0; i < count; ++i) {
    elements[i].key = key_of(kind, i, count);
    memset(elements[i].rest, (int)(elements[i].key % 251), sizeof elements[i].rest);
    before += elements[i].key;
  }
  OK(weft_parallel_sort(elements, count, sizeof *elements, compare_keys, &sign));
  for (size_t i = 0; i < count; ++i) {
    CHECK(i == 0 || compare_keys(&elements[i - 1], &elements[i], &sign) <= 0);
    CHECK(elements[i].rest[0] == elements[i].key % 251 && elements[i].rest[95] == elements[i].key % 251);
    now += elements[i].key;
  }
  CHECK(now == before);
  free(elements);
}

static void sorting(void) {
  for (int kind = 0; kind < 6; ++kind) {
    sign = kind % 2 != 0 ? 1 : -1;
    EACH(size_t, size, sizes) sort_elements(kind, *size);
  }
  static unsigned char bytes[30000];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (unsigned char)(i * i % 253);
  OK(weft_parallel_sort(bytes, sizeof bytes, 1, compare_bytes, NULL));
  for (size_t i = 1; i < sizeof bytes; ++i) CHECK(bytes[i - 1] <= bytes[i]);
}

/* ---- bad arguments --------------------------------------------------------------------------- */

static void bad_arguments(void) {
  IS(WEFT_INVALID, weft_parallel_for(0, 10, 0, NULL, NULL));
  IS(WEFT_INVALID, weft_parallel_for(10, 9, 0, visit, NULL));

  struct affine out = {3, 4};
  weft_reduction how = composition;
  IS(WEFT_INVALID, weft_parallel_reduce(0, 10, 0, NULL, NULL, &out));
  IS(WEFT_INVALID, weft_parallel_reduce(0, 10, 0, &how, NULL, NULL));
  IS(WEFT_INVALID, weft_parallel_reduce(10, 9, 0, &how, NULL, &out));
  how.value_bytes = 0;
  IS(WEFT_INVALID, weft_parallel_reduce(0, 10, 0, &how, NULL, &out));
  how.value_bytes = WEFT_REDUCE_BYTES + 1;
  IS(WEFT_INVALID, weft_parallel_reduce(0, 10, 0, &how, NULL, &out));
  how = (weft_reduction){sizeof same, NULL, compose, append};
  IS(WEFT_INVALID, weft_parallel_reduce(0, 10, 0, &how, NULL, &out));
  how = (weft_reduction){sizeof same, &same, NULL, append};
  IS(WEFT_INVALID, weft_parallel_reduce(0, 10, 0, &how, NULL, &out));
  how = (weft_reduction){sizeof same, &same, compose, NULL};
  IS(WEFT_INVALID, weft_parallel_reduce(0, 10, 0, &how, NULL, &out));
  CHECK(out.a == 3 && out.b == 4);

  IS(WEFT_INVALID, weft_parallel_sort(&out, 2, 8, NULL, NULL));
  IS(WEFT_INVALID, weft_parallel_sort(&out, 2, 0, compare_bytes, NULL));
  IS(WEFT_INVALID, weft_parallel_sort(NULL, 2, 8, compare_bytes, NULL));
  OK(weft_parallel_sort(NULL, 0, 8, compare_bytes, NULL));
}

/* ---- callers --------------------------------------------------------------------------------- */

static void all(void *argument) {
  (void)argument;
  RUN(each_once);
  RUN(large_indexes);
  RUN(nested);
  RUN(order);
  RUN(largest_value);
  RUN(sorting);
  RUN(bad_arguments);
}

static weft_event outside_ended;
static void *from_outside(void *argument) {
  all(argument);
  OK(weft_event_set(&outside_ended));
  return NULL;
}

static void body(void) {
  all(NULL);
  OK(weft_thread_join(start(all, NULL)));
  weft_thread *tasklet = NULL;
  OK(weft_tasklet_create(all, NULL, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
  pthread_t outside;
  OK(weft_event_reset(&outside_ended));
  CHECK(pthread_create(&outside, NULL, from_outside, NULL) == 0);
  OK(weft_event_wait(&outside_ended));
  CHECK(pthread_join(outside, NULL) == 0);
}

int main(void) {
  all(NULL); /* before weft_init: as from outside */
  with_workers("1 worker", 1, body);
  with_workers("2 workers", 2, body);
  with_workers("4 workers", 4, body);
  with_workers("16 workers", 16, body);
  return 0;
}
