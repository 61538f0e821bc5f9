/* The OS thread that starts Weft's runtime and ends it.
 *
 * Weft wants its last weft_finalize from the OS thread that called the first weft_init, and waits
 * there for each task that runs until it switches. Chapel ends its runtime from any OS thread, and
 * right before the process ends: a task that never switches must not keep it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* 1.3 compiles as C99 without the clocks of POSIX */
#endif
#include "chplrt.h" /* Chapel's build looks for it here */

#include "weft-layer.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static enum { NONE, STARTING, RUNNING, ENDING, ENDED } state = NONE;
static weft_status start_status = WEFT_OK;
static weft_config start_config = WEFT_CONFIG_INIT;
static pthread_t owner;

static void *own(void *unused) {
  (void)unused;
  const weft_status status = weft_init(&start_config);
  pthread_mutex_lock(&lock);
  start_status = status;
  state = status == WEFT_OK ? RUNNING : ENDED;
  pthread_cond_broadcast(&changed);
  while (state == RUNNING) {
    pthread_cond_wait(&changed, &lock);
  }
  pthread_mutex_unlock(&lock);
  if (status == WEFT_OK && weft_finalize_with(WEFT_DROP) != WEFT_OK) {
    chpl_weft_fail("chpl_task_exit");
  }
  pthread_mutex_lock(&lock);
  state = ENDED;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static weft_status start(const weft_config *config) {
  pthread_mutex_lock(&lock);
  if (state != NONE) {
    pthread_mutex_unlock(&lock);
    return WEFT_BUSY;
  }
  start_config = *config;
  state = STARTING;
  if (pthread_create(&owner, NULL, own, NULL) != 0) {
    state = NONE;
    pthread_mutex_unlock(&lock);
    return WEFT_AGAIN;
  }
  while (state == STARTING) {
    pthread_cond_wait(&changed, &lock);
  }
  const weft_status status = start_status;
  pthread_mutex_unlock(&lock);
  return status; /* the program ends unless that is WEFT_OK */
}

static void say_and_end(const char *text, const char *cause) {
  char line[256];
  snprintf(line, sizeof line, "chpl_task_init: %s%s", text, cause);
  chpl_internal_error(line);
}

void chpl_weft_owner_start(const weft_config *config) {
  weft_ext_leave_signals();
  const weft_status status = start(config);
  if (status == WEFT_BUSY) {
    say_and_end("it was called before, and chpl_task_exit has not ended the layer", "");
  } else if (status != WEFT_OK) {
    say_and_end("Weft does not start: ", weft_status_text(status));
  }
}

static struct timespec time_in(uint64_t ns) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  ns += (uint64_t)at.tv_nsec;
  at.tv_sec += (time_t)(ns / 1000000000u);
  at.tv_nsec = (long)(ns % 1000000000u);
  return at;
}

bool chpl_weft_owner_end(void) {
  const uint64_t longest_ns = 2000000000u;
  if (weft_self() != NULL) {
    return true; /* a task ends the process next: its worker cannot be ended under it, and need not be */
  }
  const struct timespec deadline = time_in(longest_ns);
  pthread_mutex_lock(&lock);
  if (state == NONE) {
    pthread_mutex_unlock(&lock);
    return true;
  }
  if (state == RUNNING) {
    state = ENDING;
    pthread_cond_broadcast(&changed);
  }
  while (state == ENDING && pthread_cond_timedwait(&changed, &lock, &deadline) != ETIMEDOUT) {
  }
  const bool has_ended = state != ENDING;
  const bool joins = state == ENDED; /* another one that asked for the end may have */
  const pthread_t ended = owner;
  if (joins) {
    state = NONE;
  }
  pthread_mutex_unlock(&lock);
  if (joins) {
    (void)pthread_join(ended, NULL);
  }
  return has_ended;
}

void chpl_weft_fail(const char *call) {
  char line[256];
  snprintf(line, sizeof line, "%s: %s", call,
           weft_is_initialized() ? weft_last_error() : "chpl_task_init was not called, or chpl_task_exit was");
  chpl_internal_error(line);
  abort(); /* it does not return, which not every version declares */
}
