/* A check that fails names its place and ends the program. */
#ifndef WEFT_TESTS_CONFORM_EVENT_CHECK_H
#define WEFT_TESTS_CONFORM_EVENT_CHECK_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)
#define OK(call) CHECK((call) == WEFT_OK)

static inline weft_thread *start(void (*function)(void *), void *argument) {
  weft_thread *made = NULL;
  OK(weft_thread_create(function, argument, NULL, &made));
  return made;
}

static inline pthread_t start_os(void *(*function)(void *), void *argument) {
  pthread_t made;
  CHECK(pthread_create(&made, NULL, function, argument) == 0);
  return made;
}
static inline void join_os(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

static inline void init(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  OK(weft_init(&config));
}

#endif
