/* Start and stop: which implementation is chosen, and that what was compiled for one
 * implementation runs on it alone. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <weft_threads/detail/fail.h>
#include <weft_threads/manage.h>

#include "builtin.h"
#include "caller.h"
#include "choose.h"
#include "environment.h"

const threads_component *threads_component_now = &threads_component_none;

static const char *compiled_for;      /* null: calls go through the table */
static const char *also_compiled_for; /* null, unless the program contradicts itself */
/* Which thread may stop: it may be on another OS thread by then. */
static struct {
  pthread_t os_thread;
  uint64_t id; /* 0: outside */
} starter;

void threads_compiled_for(const char *name) {
  if (compiled_for == NULL) compiled_for = name;
  if (strcmp(compiled_for, name) != 0) also_compiled_for = name;
}

static threads_status check_compiled(const char *name, const char *asked_by) {
  if (also_compiled_for != NULL) {
    report_error("parts of this program were compiled for %s and parts for %s; link one target weft::threads_...", compiled_for,
                 also_compiled_for);
    return THREADS_INVALID;
  }
  if (compiled_for != NULL && strcmp(compiled_for, name) != 0) {
    report_error("%s=%s, but this program was compiled for %s; unset it, or link weft::threads instead of weft::threads_%s",
                 asked_by, name, compiled_for, compiled_for);
    return THREADS_INVALID;
  }
  return THREADS_OK;
}

static const threads_component *choose(const threads_config *config, threads_status *status) {
  const char *const variable = getenv("WEFT_THREADS");
  const char *asked_by = "threads_config.implementation";
  const char *name = config->implementation;
  if (name == NULL) {
    asked_by = "WEFT_THREADS";
    name = variable != NULL && *variable != 0 ? variable : compiled_for != NULL ? compiled_for : "weft";
  }
  const threads_component *const chosen = component_by_name(name, asked_by, status);
  if (chosen == NULL) return NULL;
  *status = check_compiled(name, asked_by);
  return *status == THREADS_OK ? chosen : NULL;
}

/* What is wrong was said on stderr. */
static threads_status refuse_choice(threads_status status, const threads_config *config) {
  const char *const argument = config->implementation != NULL ? "config" : NULL;
  const char *const cause = status == THREADS_INVALID ? "this program cannot run the implementation: a line on stderr says why"
                                                      : "the implementation cannot be loaded: a line on stderr says why";
  return threads_fail(status, "threads_start", argument, cause, 0);
}

static const char *cause_of_refusal(threads_status status) {
  switch (status) {
    case THREADS_NOMEM: return "memory is exhausted";
    case THREADS_AGAIN: return "the system refused an OS thread";
    case THREADS_BUSY: return "what is underneath was started by another caller";
    case THREADS_UNSUPPORTED: return "it cannot do what config wants: a line on stderr says what";
    default: return "a setting is bad: a line on stderr says which";
  }
}

static threads_status refuse_start(threads_status status, const threads_component *chosen) {
  if (chosen == &threads_component_weft) return threads_fail_as(status, "threads_start");
  return threads_fail(status, "threads_start", NULL, cause_of_refusal(status), 0);
}

threads_status threads_start(const threads_config *config) {
  const threads_config defaults = THREADS_CONFIG_INIT;
  if (config == NULL) config = &defaults;
  if (config->size != sizeof *config) {
    report_error(
        "threads_config has %zu bytes here, not %zu; begin with THREADS_CONFIG_INIT and compile with this library's header",
        sizeof *config, config->size);
    return threads_fail(THREADS_INVALID, "threads_start", "config", "its size is %u: begin with THREADS_CONFIG_INIT",
                        config->size);
  }
  if (threads_is_started()) {
    report_error("threads_start: %s runs already; threads_stop comes first", threads_implementation());
    return threads_fail(THREADS_BUSY, "threads_start", NULL, "an implementation runs already: threads_stop comes first", 0);
  }
  threads_status status = THREADS_INVALID;
  const threads_component *const chosen = choose(config, &status);
  if (chosen == NULL) return refuse_choice(status, config);
  const uint64_t before = caller_identity();
  status = chosen->start(config);
  if (status != THREADS_OK) return refuse_start(status, chosen);
  starter.os_thread = pthread_self();
  starter.id = chosen->self_id();
  caller_counts_start();
  /* release: what the start has set up; pairs with caller.c */
  __atomic_store_n(&threads_component_now, chosen, __ATOMIC_RELEASE);
  caller_has_changed(before);
  return THREADS_OK;
}

static bool is_starter(void) {
  const uint64_t id = threads_component_now->self_id();
  return id == starter.id && (id != 0 || pthread_equal(starter.os_thread, pthread_self()));
}

threads_status threads_stop(void) {
  if (!threads_is_started())
    return threads_fail(THREADS_NOT_STARTED, "threads_stop", NULL, "no implementation runs: call threads_start first", 0);
  if (!is_starter()) return threads_fail(THREADS_NOT_OWNER, "threads_stop", NULL, "the caller is not that of threads_start", 0);
  const uint64_t before = caller_identity();
  const threads_status status = threads_component_now->stop();
  if (status != THREADS_OK) return status;
  __atomic_store_n(&threads_component_now, &threads_component_none, __ATOMIC_RELEASE);
  caller_has_changed(before);
  return status;
}

bool threads_is_started(void) { return threads_component_now != &threads_component_none; }
