/* The component for Open MPI, compiled against headers of our own in the place of Open MPI's: what the framework asks of it, by threads and
 * OS threads, before weft_init, while the runtime runs, and after weft_finalize. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opal/constants.h"
#include "opal/mca/threads/condition.h"
#include "opal/mca/threads/thread.h"
#include "opal/mca/threads/threads.h"
#include "opal/mca/threads/tsd.h"

#include "runtime.h"

enum { rounds = 300, callers = 3 };

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)

/* Runs function(argument) on so many OS threads and, if the runtime runs, in as many threads. */
static int run_on_all(void (*function)(void *), void *argument) {
  pthread_t os_threads[callers];
  thread threads[callers];
  for (int i = 0; i < callers; ++i)
    CHECK(pthread_create(&os_threads[i], NULL, (void *(*)(void *))(void (*)(void))function, argument) == 0);
  const bool has_threads = is_running();
  for (int i = 0; has_threads && i < callers; ++i) CHECK(makes(function, argument, &threads[i]));
  for (int i = 0; has_threads && i < callers; ++i) CHECK(joins(threads[i]));
  for (int i = 0; i < callers; ++i) pthread_join(os_threads[i], NULL);
  return has_threads ? 2 * callers : callers;
}

/* ---- mutexes ---- */

static opal_thread_internal_mutex_t plain = OPAL_THREAD_INTERNAL_MUTEX_INITIALIZER;
static opal_thread_internal_mutex_t recursive = OPAL_THREAD_INTERNAL_RECURSIVE_MUTEX_INITIALIZER;
static long counted;

static void count(void *mutex) {
  for (int i = 0; i < rounds; ++i) {
    opal_thread_internal_mutex_lock(mutex);
    if (mutex == &recursive) opal_thread_internal_mutex_lock(mutex);
    ++counted;
    if (i % 10 == 0) opal_thread_yield();
    if (mutex == &recursive) opal_thread_internal_mutex_unlock(mutex);
    opal_thread_internal_mutex_unlock(mutex);
  }
}

static void find_it_held(void *mutex) { CHECK(opal_thread_internal_mutex_trylock(mutex) != 0); }

static void check_mutexes(void) {
  counted = 0;
  const int many = run_on_all(count, &plain);
  run_on_all(count, &recursive);
  CHECK(counted == 2L * many * rounds);
  CHECK(opal_thread_internal_mutex_trylock(&plain) == 0);
  CHECK(opal_thread_internal_mutex_trylock(&plain) != 0);
  run_on_all(find_it_held, &plain);
  opal_thread_internal_mutex_unlock(&plain);
  opal_thread_internal_mutex_unlock(&plain); /* as after a lock that the framework skipped */
  CHECK(opal_thread_internal_mutex_trylock(&plain) == 0);
  opal_thread_internal_mutex_unlock(&plain);
  opal_thread_internal_mutex_t made;
  CHECK(opal_thread_internal_mutex_init(&made, true) == OPAL_SUCCESS);
  opal_thread_internal_mutex_lock(&made);
  CHECK(opal_thread_internal_mutex_trylock(&made) == 0);
  opal_thread_internal_mutex_unlock(&made);
  opal_thread_internal_mutex_unlock(&made);
  opal_thread_internal_mutex_destroy(&made);
  CHECK(opal_thread_internal_mutex_init(&made, false) == OPAL_SUCCESS);
  opal_thread_internal_mutex_lock(&made);
  CHECK(opal_thread_internal_mutex_trylock(&made) != 0);
  opal_thread_internal_mutex_unlock(&made);
}

/* ---- conditions ---- */

static opal_thread_internal_cond_t changed = OPAL_THREAD_INTERNAL_COND_INITIALIZER;
static int present, passed;
static bool is_open;

static void pass_the_gate(void *mutex) {
  opal_thread_internal_mutex_lock(mutex);
  ++present;
  while (!is_open) opal_thread_internal_cond_wait(&changed, mutex);
  ++passed;
  opal_thread_internal_cond_signal(&changed);
  opal_thread_internal_mutex_unlock(mutex);
}

static void *open_the_gate(void *many) {
  for (bool have_all_come = false; !have_all_come;) {
    opal_thread_internal_mutex_lock(&plain);
    have_all_come = present == *(const int *)many;
    if (have_all_come) is_open = true;
    if (have_all_come) opal_thread_internal_cond_broadcast(&changed);
    opal_thread_internal_mutex_unlock(&plain);
    opal_thread_yield();
  }
  return NULL;
}

static void check_conditions(void) {
  pthread_t opener;
  int many = is_running() ? 2 * callers : callers;
  present = passed = 0;
  is_open = false;
  CHECK(pthread_create(&opener, NULL, open_the_gate, &many) == 0);
  run_on_all(pass_the_gate, &plain);
  pthread_join(opener, NULL);
  CHECK(passed == many);
  CHECK(opal_thread_internal_cond_init(&changed) == OPAL_SUCCESS);
  opal_thread_internal_cond_destroy(&changed);
  opal_condition_t condition;
  memset(&condition, 0xff, sizeof condition);
  opal_condition_t_class.make(&condition);
  CHECK(condition.c_waiting == 0 && condition.c_signaled == 0);
  opal_condition_t_class.end(&condition);
  CHECK(strcmp(opal_condition_t_class.parent, "opal_object_t") == 0);
}

/* ---- keys ---- */

static opal_tsd_key_t key;
static atomic_int destroyed;
static void destroy(void *value) { atomic_fetch_add(&destroyed, *(int *)value); }

static void keep_a_value(void *value) {
  void *found = value;
  CHECK(opal_tsd_get(key, &found) == OPAL_SUCCESS && found == NULL);
  CHECK(opal_tsd_set(key, value) == OPAL_SUCCESS);
  opal_thread_yield();
  CHECK(opal_tsd_get(key, &found) == OPAL_SUCCESS && found == value);
}

static void check_keys(void) {
  int one = 1;
  atomic_store(&destroyed, 0);
  CHECK(opal_tsd_key_create(&key, destroy) == OPAL_SUCCESS);
  const int many = run_on_all(keep_a_value, &one);
  CHECK(atomic_load(&destroyed) == many);
  CHECK(opal_tsd_set(key, &one) == OPAL_SUCCESS);
  CHECK(opal_tsd_key_delete(key) == OPAL_SUCCESS);
  CHECK(atomic_load(&destroyed) == many); /* what is left is its owner's */
#ifndef OPAL_WEFT_CHOICE                  /* there a key is memory, which is freed */
  CHECK(opal_tsd_key_delete(key) == OPAL_ERROR);
  CHECK(opal_tsd_set(key, &one) == OPAL_ERROR);
#endif
  CHECK(opal_tsd_key_create(NULL, NULL) == OPAL_ERR_BAD_PARAM);
}

/* ---- the component, and calls from where no thread may wait ---- */

static void check_component(void) {
  const mca_base_component_t *const its = &mca_threads_weft_component.threadsc_version;
  CHECK(strcmp(its->mca_component_name, "weft") == 0 && strcmp(its->framework, "threads") == 0);
  CHECK(its->major == OPAL_MAJOR_VERSION && its->minor == OPAL_MINOR_VERSION);
#if STAND_IN_MAJOR >= 6
  CHECK(mca_threads_weft_component_ptr == its);
#endif
  CHECK(OPAL_THREAD_YIELD_WHEN_IDLE_DEFAULT);
}

#ifndef OPAL_WEFT_CHOICE
static void lock_it(void *mutex) { opal_thread_internal_mutex_lock(mutex); }

static void lock_in_a_tasklet(void) {
  weft_thread *tasklet;
  opal_thread_internal_mutex_lock(&plain);
  if (weft_init(NULL) != WEFT_OK) exit(1);
  if (weft_tasklet_create(lock_it, &plain, NULL, &tasklet) != WEFT_OK || weft_thread_join(tasklet) != WEFT_OK) exit(1);
  exit(0); /* it has not waited, and did not say so */
}

/* A child does it, as it aborts. */
static void check_that_a_tasklet_is_refused(void) {
  int ends[2], outcome = 0;
  char text[512] = "";
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    lock_in_a_tasklet();
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got = 1; got > 0 && length < sizeof text - 1; length += got > 0 ? (size_t)got : 0)
    got = read(ends[0], text + length, sizeof text - 1 - length);
  close(ends[0]);
  CHECK(waitpid(child, &outcome, 0) == child);
  CHECK(WIFSIGNALED(outcome) && WTERMSIG(outcome) == SIGABRT);
  CHECK(strstr(text, "Open MPI on Weft: mutex lock: WEFT_CANNOT_BLOCK") != NULL);
  CHECK(strstr(text, "call MPI in a thread, not in a tasklet or a callback") != NULL);
}
#else
static void check_that_a_tasklet_is_refused(void) {} /* the interface has none */
#endif

static void check_all(void) {
  check_mutexes();
  check_conditions();
  check_keys();
}

int main(void) {
  check_component();
  check_that_a_tasklet_is_refused();
  for (size_t i = 0; i < sizeof implementations / sizeof *implementations; ++i) {
    check_all();
    opal_thread_internal_mutex_lock(&plain);
    CHECK(starts(implementations[i], 2 * callers)); /* those of pool wait on OS threads, as many as workers */
    opal_thread_internal_mutex_unlock(&plain);      /* taken before the start */
    check_all();
    CHECK(stops());
  }
  check_all();
  return 0;
}
