/* MassiveThreads: its child first, as it comes, and its child last, by an attribute. */
#include <myth/myth.h>

#include "micro.h"

static myth_thread_attr_t child_last;

static void must(int is_right, const char *call) {
  if (is_right) return;
  fprintf(stderr, "MassiveThreads: %s failed\n", call);
  abort();
}

void micro_start(unsigned workers) {
  myth_globalattr_t attributes;
  must(myth_globalattr_init(&attributes) == 0, "myth_globalattr_init");
  must(myth_globalattr_set_n_workers(&attributes, workers) == 0, "myth_globalattr_set_n_workers");
  must(myth_init_ex(&attributes) != 0, "myth_init_ex");
  must(myth_thread_attr_init(&child_last) == 0, "myth_thread_attr_init");
  child_last.child_first = 0;
}

void micro_stop(void) { myth_fini(); }

static void *nothing(void *argument) { return argument; }

static void create_first_one(myth_thread_t *thread) {
  *thread = myth_create(nothing, NULL);
  must(*thread != NULL, "myth_create");
}
static void create_last_one(myth_thread_t *thread) {
  must(myth_create_ex(thread, &child_last, nothing, NULL) == 0, "myth_create_ex");
}

/* Batches: creation alone, or with the joins. */
static inline double batches(void (*create)(myth_thread_t *thread), int has_joins) {
  myth_thread_t threads[MICRO_BATCH];
  double took = 0;
  for (long done = 0; done < MICRO_CREATIONS; done += MICRO_BATCH) {
    const double start = micro_now();
    for (int i = 0; i < MICRO_BATCH; ++i) create(&threads[i]);
    const double created = micro_now();
    for (int i = 0; i < MICRO_BATCH; ++i) must(myth_join(threads[i], NULL) == 0, "myth_join");
    took += (has_joins ? micro_now() : created) - start;
  }
  return took / (double)MICRO_CREATIONS;
}

static double create(void) { return batches(create_last_one, 0); }
static double create_join(void) { return batches(create_last_one, 1); }
static double create_first(void) { return batches(create_first_one, 0); }

static double create_first_join_one(void) {
  const double start = micro_now();
  for (long i = 0; i < MICRO_CREATIONS; ++i) {
    myth_thread_t thread;
    create_first_one(&thread);
    must(myth_join(thread, NULL) == 0, "myth_join");
  }
  return (micro_now() - start) / (double)MICRO_CREATIONS;
}

const struct micro micro_table[] = {{"create", create},
                                    {"create-first", create_first},
                                    {"create-first-join-one", create_first_join_one},
                                    {"create-join", create_join},
                                    {NULL, NULL}};

int main(int argc, char **argv) { return micro_main(argc, argv); }
