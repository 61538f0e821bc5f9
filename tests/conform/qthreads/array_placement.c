/* Which shepherds the segments of arrays belong to. Qthreads' library hides these functions. */
#include <qthread/qarray.h>

#include "check.h"
#include "tasks.h"

#if IS_WEFT
static const distribution_t kinds[] = {FIXED_HASH, FIXED_FIELDS, ALL_SAME,  DIST,     DIST_STRIPES, DIST_FIELDS,
                                       DIST_RAND,  DIST_LEAST,   ALL_LOCAL, ALL_RAND, ALL_LEAST};
enum { kind_count = sizeof(kinds) / sizeof(kinds[0]) };

static void count_own(size_t const from, size_t const to, qarray *a, void *arg) {
  for (size_t i = from; i < to; ++i) CHECK(qarray_shepof(a, i) == qthread_shep());
  qthread_incr((aligned_t *)arg, to - from);
}

static size_t segments_of(const qarray *a) { return (a->count - 1) / a->segment_size + 1; }

static void shepherds_of_kinds(void) {
  const qthread_shepherd_id_t shepherds = qthread_num_shepherds();
  for (int kind = 0; kind < kind_count; ++kind) {
    qarray *const a = qarray_create_configured(512 * 11 - 7, 8, kinds[kind], 0, 1);
    size_t of_shepherd[64] = {0};
    CHECK(segments_of(a) == 11 && shepherds < 64);
    qthread_shepherd_id_t before = 0;
    for (size_t i = 0; i < a->count; ++i) {
      const qthread_shepherd_id_t here = qarray_shepof(a, i);
      CHECK(here < shepherds);
      if (i % 512 != 0) {
        CHECK(here == before);
      } else {
        ++of_shepherd[here];
        if (kinds[kind] == FIXED_HASH || kinds[kind] == DIST_STRIPES) CHECK(here == i / 512 % shepherds);
        if (kinds[kind] == FIXED_FIELDS || kinds[kind] == DIST_FIELDS) CHECK(here == before || here == before + 1);
        if (i > 0 && a->dist_type == ALL_SAME) CHECK(here == before);
        if (kinds[kind] == ALL_LOCAL || kinds[kind] == ALL_SAME) CHECK(here == qthread_shep());
      }
      before = here;
    }
    for (qthread_shepherd_id_t i = 0;
         a->dist_type != ALL_SAME && kinds[kind] != DIST && kinds[kind] != DIST_RAND && i < shepherds; ++i)
      CHECK(of_shepherd[i] == 11U / shepherds || of_shepherd[i] == 11U / shepherds + 1);
    CHECK(qarray_shepof(a, a->count) == NO_SHEPHERD && qarray_shepof(NULL, 0) == NO_SHEPHERD);
    qarray_destroy(a);
  }
}

static void the_least_used_shepherd(void) {
  const qthread_shepherd_id_t shepherds = qthread_num_shepherds();
  qarray *loads[64];
  for (qthread_shepherd_id_t i = 0; i < shepherds; ++i) { /* all but the last get more and more */
    loads[i] = qarray_create_configured(512 * 100, 8, ALL_LOCAL, 0, 1);
    qarray_set_shepof(loads[i], 0, i);
  }
  qarray_destroy(loads[shepherds - 1]);
  qarray *a = qarray_create_configured(512 * 5, 8, ALL_LEAST, 0, 1);
  CHECK(qarray_shepof(a, 0) == shepherds - 1);
  qarray *b = qarray_create_configured(512 * 5, 8, DIST_LEAST, 0, 1);
  for (size_t i = 0; i < b->count; ++i) CHECK(qarray_shepof(b, i) == shepherds - 1);
  qarray_destroy(a);
  qarray_destroy(b);
  for (qthread_shepherd_id_t i = 0; i + 1 < shepherds; ++i) qarray_destroy(loads[i]);
}

static void segments_change_their_shepherd(void) {
  const qthread_shepherd_id_t last = (qthread_shepherd_id_t)(qthread_num_shepherds() - 1);
  qarray *const dist = qarray_create_configured(512 * 4, 8, DIST_STRIPES, 0, 1);
  for (int round = 0; round < 2; ++round) {
    const qthread_shepherd_id_t to = round == 0 ? last : 0;
    const qthread_shepherd_id_t other = qarray_shepof(dist, 511);
    qarray_set_shepof(dist, 600, to);
    CHECK(qarray_shepof(dist, 512) == to && qarray_shepof(dist, 1023) == to && qarray_shepof(dist, 511) == other);
    aligned_t visited = 0;
    qarray_iter_loop(dist, 0, dist->count, count_own, &visited);
    CHECK(visited == dist->count);
  }
  qarray_set_shepof(dist, 600, (qthread_shepherd_id_t)(last + 1));
  qarray_set_shepof(dist, dist->count, last);
  CHECK(qarray_shepof(dist, 600) == 0);
  qarray *const same = qarray_create_configured(512 * 4, 8, ALL_SAME, 0, 1);
  qarray_set_shepof(same, 3, last);
  CHECK(qarray_shepof(same, 2000) == last);
  qarray *const hash = qarray_create_configured(512 * 4, 8, FIXED_HASH, 0, 1);
  qarray_set_shepof(hash, 0, last);
  CHECK(qarray_shepof(hash, 0) == 0);
  qarray_set_shepof(NULL, 0, 0);
  qarray_destroy(dist);
  qarray_destroy(same);
  qarray_destroy(hash);
}

static void one_array_as_another(void) {
  const qthread_shepherd_id_t last = (qthread_shepherd_id_t)(qthread_num_shepherds() - 1);
  qarray *const dist = qarray_create_configured(512 * 4, 8, DIST_STRIPES, 0, 1);
  qarray *const same = qarray_create_configured(512 * 4, 8, ALL_SAME, 0, 1);
  qarray *const hash = qarray_create_configured(512 * 4, 8, FIXED_HASH, 0, 1);
  qarray_set_shepof(same, 0, last);
  qarray_dist_like(same, dist);
  for (size_t i = 0; i < dist->count; ++i) CHECK(qarray_shepof(dist, i) == last);
  qarray_set_shepof(dist, 0, 0);
  qarray *const like = qarray_create_configured(512 * 4, 8, DIST, 0, 1);
  qarray_dist_like(dist, like);
  for (size_t i = 0; i < like->count; ++i) CHECK(qarray_shepof(like, i) == qarray_shepof(dist, i));
  qarray_dist_like(dist, same); /* these change nothing */
  qarray_dist_like(same, hash);
  qarray_dist_like(hash, dist);
  qarray_dist_like(NULL, dist);
  qarray_dist_like(dist, NULL);
  CHECK(qarray_shepof(same, 0) == last && qarray_shepof(hash, 0) == 0 && qarray_shepof(dist, 0) == 0);
  qarray_destroy(dist);
  qarray_destroy(like);
  qarray_destroy(same);
  qarray_destroy(hash);
}

static aligned_t follow_elements(void *argument) {
  qarray *const a = argument;
  for (size_t i = 0; i < a->count; i += 100) {
    CHECK(qarray_elem_migrate(a, i) == qarray_elem_nomigrate(a, i));
    CHECK(qthread_shep() == qarray_shepof(a, i));
  }
  CHECK(qarray_elem_migrate(a, a->count) == NULL && qarray_elem_migrate(NULL, 0) == NULL);
  return 0;
}

static void tasks_follow_elements(void) {
  qarray *const a = qarray_create_configured(512 * 9, 8, FIXED_HASH, 0, 1);
  run_tasks(3, follow_elements, a);
  CHECK(qarray_elem_migrate(a, 512) == qarray_elem(a, 512));
  qarray_destroy(a);
}

static void count_any(size_t const from, size_t const to, qarray *a, void *arg) {
  (void)a;
  qthread_incr((aligned_t *)arg, to - from);
}

/* Another one does its work, and its segments stay its own. */
static void a_disabled_shepherd(void) {
  if (qthread_num_shepherds() < 2) return;
  qarray *const a = qarray_create_configured(512 * 9, 8, FIXED_HASH, 0, 1);
  OK(qthread_disable_shepherd(1));
  CHECK(qarray_shepof(a, 512) == 1);
  aligned_t visited = 0;
  qarray_iter_loop(a, 0, a->count, count_any, &visited);
  CHECK(visited == a->count);
  qthread_enable_shepherd(1);
  visited = 0;
  qarray_iter_loop(a, 0, a->count, count_own, &visited);
  CHECK(visited == a->count);
  qarray_destroy(a);
}

int main(void) {
  OK(qthread_initialize());
  shepherds_of_kinds();
  the_least_used_shepherd();
  segments_change_their_shepherd();
  one_array_as_another();
  tasks_follow_elements();
  a_disabled_shepherd();
  qthread_finalize();
  return 0;
}
#else
int main(void) { return 0; }
#endif
