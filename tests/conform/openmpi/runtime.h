/* The threads that the component's tests run in: Weft's, or those of its threads interface where the
 * component was compiled for that one. */
#ifndef WEFT_TESTS_CONFORM_OPENMPI_RUNTIME_H
#define WEFT_TESTS_CONFORM_OPENMPI_RUNTIME_H

#include <stdbool.h>

#ifdef OPAL_WEFT_CHOICE
#include <weft_threads/threads.h>

typedef threads_thread *thread;
static const char *const implementations[] = {"weft", "fifo", "pool"};

static inline bool is_running(void) { return threads_is_started(); }
static inline bool starts(const char *implementation, unsigned workers) {
  threads_config config = THREADS_CONFIG_INIT;
  config.implementation = implementation;
  config.workers = workers;
  return threads_start(&config) == THREADS_OK;
}
static inline bool stops(void) { return threads_stop() == THREADS_OK; }
static inline bool makes(void (*function)(void *), void *argument, thread *out) {
  return threads_create(function, argument, out) == THREADS_OK;
}
static inline bool joins(thread made) { return threads_join(made) == THREADS_OK; }
#else
#include <weft/weft.h>

typedef weft_thread *thread;
static const char *const implementations[] = {"weft", "weft"};

static inline bool is_running(void) { return weft_is_initialized(); }
static inline bool starts(const char *implementation, unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  (void)implementation;
  config.workers = workers;
  return weft_init(&config) == WEFT_OK;
}
static inline bool stops(void) { return weft_finalize() == WEFT_OK; }
static inline bool makes(void (*function)(void *), void *argument, thread *out) {
  return weft_thread_create(function, argument, NULL, out) == WEFT_OK;
}
static inline bool joins(thread made) { return weft_thread_join(made) == WEFT_OK; }
#endif

#endif
