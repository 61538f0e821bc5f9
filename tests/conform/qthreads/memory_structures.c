/* Each request of the structures for memory fails in turn: the call that needs it says so or does
 * without, and nothing is lost. */
#include <qthread/dictionary.h>
#include <qthread/qalloc.h>
#include <qthread/qdqueue.h>
#include <qthread/qlfqueue.h>
#include <qthread/qpool.h>
#include <qthread/qswsrqueue.h>
#include <qthread/qtimer.h>
#include <qthread/wavefront.h>

#include "lack_memory.h"

/* ---- the structures ---- */

static void *number(uintptr_t value) { return (void *)value; }
static int equals(void *a, void *b) { return a == b; }
static int hash(void *key) { return (int)(uintptr_t)key; }

static void timers(void) {
  const qtimer_t timer = qtimer_create();
  if (timer != NULL) qtimer_destroy(timer);
}

/* What was put is there, and nothing else. */
static void dictionaries(void) {
  qt_dictionary *const d = qt_dictionary_create(equals, hash, NULL);
  if (d == NULL) return;
  bool is_there[41] = {false};
  for (uintptr_t i = 1; i <= 40; ++i) {
    void *const put = i % 2 ? qt_dictionary_put(d, number(i), number(i)) : qt_dictionary_put_if_absent(d, number(i), number(i));
    CHECK(put == NULL || put == number(i));
    is_there[i] = put != NULL;
  }
  for (uintptr_t i = 1; i <= 40; ++i) CHECK(qt_dictionary_get(d, number(i)) == (is_there[i] ? number(i) : NULL));
  qt_dictionary_iterator *const it = qt_dictionary_iterator_create(d);
  if ((void *)it != ERROR) {
    qt_dictionary_iterator_destroy(qt_dictionary_iterator_copy(it));
    qt_dictionary_iterator_destroy(it);
  }
  qt_dictionary_iterator_destroy(qt_dictionary_end(d));
  qt_dictionary_destroy(d);
}

/* The elements that were taken in come out, in their order. */
static void queues(void) {
  qlfqueue_t *const q = qlfqueue_create();
  qdqueue_t *const d = qdqueue_create();
  qswsrqueue_t *const s = qswsrqueue_create(100);
  if (s != NULL) OK(qswsrqueue_destroy(s));
  uintptr_t put[2] = {0, 0};
  for (uintptr_t i = 0; i < 300; ++i) {
    const int codes[] = {q != NULL ? qlfqueue_enqueue(q, number(put[0] + 1)) : QTHREAD_MALLOC_ERROR,
                         d != NULL ? qdqueue_enqueue(d, number(put[1] + 1)) : QTHREAD_MALLOC_ERROR};
    for (int k = 0; k < 2; ++k) {
      CHECK(codes[k] == QTHREAD_SUCCESS || codes[k] == QTHREAD_MALLOC_ERROR);
      if (codes[k] == QTHREAD_SUCCESS) ++put[k];
    }
  }
  for (uintptr_t i = 1; q != NULL && i <= put[0]; ++i) CHECK(qlfqueue_dequeue(q) == number(i));
  for (uintptr_t i = 1; d != NULL && i <= put[1]; ++i) CHECK(qdqueue_dequeue(d) == number(i));
  CHECK(q == NULL || qlfqueue_empty(q) == 1);
  CHECK(d == NULL || qdqueue_empty(d) == 1);
  if (q != NULL) OK(qlfqueue_destroy(q));
  if (d != NULL) OK(qdqueue_destroy(d));
}

static void pools(void) {
  qpool *const pool = qpool_create(40);
  if (pool == NULL) return;
  void *const item = qpool_alloc(pool);
  if (item != NULL) memset(item, 1, 40);
  qpool_free(pool, item);
  qpool_destroy(pool);
}

static char file_name[] = "/tmp/conform_qthreads_XXXXXX";

static void maps(void) {
  unlink(file_name);
  void *const map = qalloc_makedynmap(1 << 16, NULL, file_name, 1);
  CHECK(map != NULL || errno == ENOMEM);
  if (map != NULL) CHECK(qalloc_malloc(map, 100) != NULL);
  qalloc_cleanup();
  void *const again = qalloc_loadmap(file_name); /* a map that failed at its first time leaves an empty one */
  CHECK(again != NULL || errno == ENOMEM || errno == EINVAL);
  qalloc_cleanup();
}

static void count_range(size_t const from, size_t const to, qarray *a, void *arg) {
  for (size_t i = from; i < to; ++i) ++*(uint64_t *)qarray_elem(a, i);
  (void)arg;
}
static void sum_range(size_t const from, size_t const to, qarray *a, void *arg, void *ret) {
  *(uint64_t *)ret = to - from;
  (void)a, (void)arg;
}
static void add(void *restrict a, void const *restrict b) { *(uint64_t *)a += *(const uint64_t *)b; }

/* Every element is visited once, whatever fails; a sum is whole, or not there. */
static void arrays(void) {
  static const distribution_t kinds[] = {FIXED_HASH, ALL_SAME, DIST_STRIPES};
  for (int kind = 0; kind < 3; ++kind) {
    qarray *const a = qarray_create_configured(2000, 8, kinds[kind], 0, 1);
    if (a == NULL) continue;
    for (size_t i = 0; i < a->count; ++i) *(uint64_t *)qarray_elem(a, i) = 0;
    uint64_t sum = 0;
    aligned_t end;
    qarray_iter_loop(a, 0, a->count, count_range, NULL);
    qarray_iter_loop_nb(a, 0, a->count, count_range, NULL, &end);
    OK(qthread_readFF(NULL, &end));
    qarray_iter_loopaccum(a, 0, a->count, sum_range, NULL, &sum, sizeof(sum), add);
    for (size_t i = 0; i < a->count; ++i) CHECK(*(uint64_t *)qarray_elem(a, i) == 2);
    CHECK(sum == 0 || sum == a->count);
    qarray_destroy(a);
  }
}

static atomic_size_t computed;
static void compute(void const *restrict left, void const *restrict leftdown, void const *restrict down, void *restrict out) {
  *(uint64_t *)out = *(const uint64_t *)left + *(const uint64_t *)leftdown + *(const uint64_t *)down;
  atomic_fetch_add(&computed, 1);
}

/* Every cell is computed once, or no lattice is there. */
static void wavefronts(void) {
  qarray *const left = qarray_create_configured(9, 1024, FIXED_HASH, 0, 1);
  qarray *const below = qarray_create_configured(10, 1024, FIXED_HASH, 0, 1);
  if (left != NULL && below != NULL) {
    for (size_t i = 0; i < 9; ++i) memset(qarray_elem(left, i), 0, 1024);
    for (size_t i = 0; i < 10; ++i) memset(qarray_elem(below, i), 0, 1024);
    atomic_store(&computed, 0);
    qt_wavefront_lattice *const lattice = qt_wavefront(left, below, compute);
    CHECK(atomic_load(&computed) == (lattice != NULL ? 81 : 0));
    qt_wavefront_destroy_lattice(lattice);
  }
  qarray_destroy(left);
  qarray_destroy(below);
}

int main(void) {
  const int file = mkstemp(file_name);
  CHECK(file >= 0 && close(file) == 0);
  OK(qthread_initialize());
  lack_memory_for(timers);
  lack_memory_for(dictionaries);
  lack_memory_for(queues);
  lack_memory_for(pools);
  lack_memory_for(maps);
  lack_memory_for(arrays);
  lack_memory_for(wavefronts);
  qthread_finalize();
  CHECK(unlink(file_name) == 0);
  return 0;
}
