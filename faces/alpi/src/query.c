/* Versions, features, errors, attributes, CPUs. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

#include "fail.h"

#define TEXT_OF_(number) #number
#define TEXT_OF(number) TEXT_OF_(number)

struct alpi_attr {
  char unused;
};

EXPORT const char *alpi_error_string(int error) {
  static const char *const texts[ALPI_ERR_MAX] = {
      [ALPI_SUCCESS] = "success",
      [ALPI_ERR_VERSION] = "another version of the interface is needed than this library has",
      [ALPI_ERR_NOT_INITIALIZED] = "the runtime does not run: call weft_init first",
      [ALPI_ERR_PARAMETER] = "an argument is not valid",
      [ALPI_ERR_OUT_OF_MEMORY] = "no memory",
      [ALPI_ERR_OUTSIDE_TASK] = "the caller is not a task",
      [ALPI_ERR_UNKNOWN] = "unknown error",
      [ALPI_ERR_FEATURE_UNKNOWN] = "a feature is not known or not there",
  };
  return error >= 0 && error < ALPI_ERR_MAX ? texts[error] : "not an error code of ALPI";
}

EXPORT int alpi_info_get(alpi_info_t query, char *buffer, size_t max_length, int *length) {
  static const char *const texts[] = {
      [ALPI_INFO_RUNTIME_NAME] = "Weft",
      [ALPI_INFO_RUNTIME_VENDOR] = "the authors of Weft",
      [ALPI_INFO_VERSION] = "ALPI " TEXT_OF(ALPI_VERSION_MAJOR) "." TEXT_OF(ALPI_VERSION_MINOR) " (Weft " WEFT_VERSION ")",
  };
  if (buffer == NULL) return fail_null("alpi_info_get", "buffer");
  if (max_length == 0) return fail(ALPI_ERR_PARAMETER, "alpi_info_get", "max_length", "0");
  if ((unsigned)query >= sizeof texts / sizeof *texts) {
    return fail(ALPI_ERR_PARAMETER, "alpi_info_get", "query", "no value of alpi_info_t");
  }
  const int whole = snprintf(buffer, max_length, "%s", texts[query]);
  if (length != NULL) *length = whole;
  return ALPI_SUCCESS;
}

EXPORT int alpi_feature_check(int feature_bitmask) {
  const int known = ALPI_FEATURE_BLOCKING | ALPI_FEATURE_EVENTS | ALPI_FEATURE_RESOURCES | ALPI_FEATURE_SUSPEND;
  if ((feature_bitmask & ~known) == 0) return ALPI_SUCCESS;
  return fail(ALPI_ERR_FEATURE_UNKNOWN, "alpi_feature_check", "feature_bitmask", "it has a bit that is no feature of ALPI 1.2");
}

EXPORT int alpi_version_check(int major, int minor) {
  if (major == ALPI_VERSION_MAJOR && minor <= ALPI_VERSION_MINOR) return ALPI_SUCCESS;
  return fail(ALPI_ERR_VERSION, "alpi_version_check", NULL, "the caller was compiled for another version than 1.2");
}

EXPORT int alpi_version_get(int *major, int *minor) {
  if (major == NULL) return fail_null("alpi_version_get", "major");
  if (minor == NULL) return fail_null("alpi_version_get", "minor");
  *major = ALPI_VERSION_MAJOR;
  *minor = ALPI_VERSION_MINOR;
  return ALPI_SUCCESS;
}

EXPORT int alpi_attr_create(struct alpi_attr **attr) {
  if (attr == NULL) return fail_null("alpi_attr_create", "attr");
  struct alpi_attr *const made = malloc(sizeof *made);
  if (made == NULL) return fail(ALPI_ERR_OUT_OF_MEMORY, "alpi_attr_create", NULL, "no memory");
  *attr = made;
  return alpi_attr_init(made);
}

EXPORT int alpi_attr_destroy(struct alpi_attr *attr) {
  if (attr == NULL) return fail_null("alpi_attr_destroy", "attr");
  free(attr);
  return ALPI_SUCCESS;
}

EXPORT int alpi_attr_init(struct alpi_attr *attr) {
  if (attr == NULL) return fail_null("alpi_attr_init", "attr");
  *attr = (struct alpi_attr){0};
  return ALPI_SUCCESS;
}

EXPORT int alpi_attr_size(uint64_t *attr_size) {
  if (attr_size == NULL) return fail_null("alpi_attr_size", "attr_size");
  *attr_size = sizeof(struct alpi_attr);
  return ALPI_SUCCESS;
}

EXPORT int alpi_cpu_count(uint64_t *count) {
  if (count == NULL) return fail_null("alpi_cpu_count", "count");
  const unsigned workers = weft_worker_count();
  if (workers == 0) return fail_not_started("alpi_cpu_count");
  *count = workers;
  return ALPI_SUCCESS;
}

EXPORT int alpi_cpu_logical_id(uint64_t *logical_id) {
  if (logical_id == NULL) return fail_null("alpi_cpu_logical_id", "logical_id");
  const int worker = weft_worker_self();
  if (worker < 0) return fail_outside("alpi_cpu_logical_id");
  *logical_id = (uint64_t)worker;
  return ALPI_SUCCESS;
}

EXPORT int alpi_cpu_system_id(uint64_t *system_id) {
  if (system_id == NULL) return fail_null("alpi_cpu_system_id", "system_id");
  if (weft_worker_self() < 0) return fail_outside("alpi_cpu_system_id");
  const int cpu = sched_getcpu();
  if (cpu < 0) return fail(ALPI_ERR_UNKNOWN, "alpi_cpu_system_id", NULL, "sched_getcpu is refused");
  *system_id = (uint64_t)cpu;
  return ALPI_SUCCESS;
}
