/* dlclose of a library of Weft's, or of a plug-in that holds the core: an OS thread that has used
 * Weft ends well afterwards, and the library can be used again. The argument is the library's path;
 * no other library of Weft's is linked. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unload.h"

static struct unload_calls calls;
static sem_t has_used_weft, may_end;

#define NEED(condition)                                                        \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s is wrong\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static void find(void *library, const char *name, void *out) {
  void *const found = dlsym(library, name);
  if (found == NULL) fprintf(stderr, "%s\n", dlerror());
  NEED(found != NULL);
  memcpy(out, &found, sizeof found);
}

static void *load(const char *path) {
  void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  NEED(library != NULL);
  const struct unload_calls *const given = dlsym(library, "unload_calls_of_plug_in");
  if (given != NULL) {
    calls = *given;
  } else {
    find(library, "weft_init", &calls.init);
    find(library, "weft_finalize", &calls.finalize);
    find(library, "weft_thread_create", &calls.create);
    find(library, "weft_thread_join", &calls.join);
  }
  return library;
}

static void add_one(void *count) { ++*(int *)count; }

static void run_thread(void) {
  int count = 0;
  weft_thread *made = NULL;
  NEED(calls.create(add_one, &count, NULL, &made) == WEFT_OK);
  NEED(calls.join(made) == WEFT_OK);
  NEED(count == 1);
}

static void *outside(void *unused) {
  run_thread();
  sem_post(&has_used_weft);
  while (sem_wait(&may_end) != 0) {
  }
  return unused;
}

static void run_and_unload(const char *path) {
  void *const library = load(path);
  pthread_t os_thread;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  NEED(calls.init(&config) == WEFT_OK);
  NEED(pthread_create(&os_thread, NULL, outside, NULL) == 0);
  while (sem_wait(&has_used_weft) != 0) {
  }
  NEED(calls.finalize() == WEFT_OK);
  NEED(dlclose(library) == 0);
  sem_post(&may_end);
  NEED(pthread_join(os_thread, NULL) == 0);
}

/* By an OS thread that ends afterwards: nothing of Weft's is left to be done at its end. */
static void *run_and_end(void *path) {
  run_and_unload(path);
  return NULL;
}

int main(int count, char **words) {
  NEED(count == 2);
  NEED(sem_init(&has_used_weft, 0, 0) == 0 && sem_init(&may_end, 0, 0) == 0);
  for (int run = 0; run < 3; ++run) run_and_unload(words[1]);
  pthread_t os_thread;
  NEED(pthread_create(&os_thread, NULL, run_and_end, words[1]) == 0);
  NEED(pthread_join(os_thread, NULL) == 0);
  run_and_unload(words[1]);
  /* As documented: OS threads of the library's own, and handlers that could not be taken away, find
   * their code. */
  NEED(dlopen(words[1], RTLD_NOW | RTLD_NOLOAD) != NULL);
  return 0;
}
