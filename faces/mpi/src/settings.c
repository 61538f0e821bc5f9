/* See settings.h. */
#include "settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "family.h"
#include "say.h"

struct variable {
  const char *name;
  uint64_t least, most; /* ns */
  bool may_be_off;
  const char *range; /* for people */
  uint64_t *value;
};

static struct mpi_settings all = {
    .poll_ns = 2000000, .start_ns = 10000000000u, .stall_ns = 60000000000u, .level = MPI_THREAD_MULTIPLE};
static const struct variable variables[] = {
    {"WEFT_MPI_POLL", 1000, 1000000000, false, "a duration from 1us to 1s, such as 2ms", &all.poll_ns},
    {"WEFT_MPI_START", 1000000, 86400000000000, true, "a duration from 1ms to 86400s, such as 10s, or off", &all.start_ns},
    {"WEFT_MPI_STALL", 1000000, 86400000000000, true, "a duration from 1ms to 86400s, such as 60s, or off", &all.stall_ns}};
#define VARIABLES (sizeof variables / sizeof variables[0])

/* A whole number of nanoseconds, or with us, ms or s. */
static bool read_duration(const char *text, uint64_t *out) {
  static const struct {
    const char *unit;
    uint64_t ns;
  } units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
  char *end = NULL;
  errno = 0;
  const unsigned long long number = strtoull(text, &end, 10);
  if (errno != 0 || end == text || *text < '0' || *text > '9') return false;
  for (unsigned i = 0; i < sizeof units / sizeof units[0]; ++i) {
    if (strcmp(end, units[i].unit) == 0) return !__builtin_mul_overflow((uint64_t)number, units[i].ns, out);
  }
  return false;
}

static void read_variable(const struct variable *one) {
  const char *const text = getenv(one->name);
  uint64_t value = 0;
  if (text == NULL || *text == 0) return;
  const bool is_off = one->may_be_off && (strcmp(text, "off") == 0 || strcmp(text, "0") == 0);
  if (!is_off && (!read_duration(text, &value) || value < one->least || value > one->most)) {
    end_process("weft-mpi: error: %s=%s: use %s", one->name, text, one->range);
  }
  *one->value = value;
}

static const char *const report = "WEFT_MPI_REPORT";
static const char *const level = "WEFT_MPI_LEVEL";

static void read_switch(void) {
  const char *const text = getenv(report);
  if (text == NULL || *text == 0 || strcmp(text, "off") == 0 || strcmp(text, "0") == 0) return;
  if (strcmp(text, "on") != 0 && strcmp(text, "1") != 0) end_process("weft-mpi: error: %s=%s: use on or off", report, text);
  all.reports = true;
}

static void read_level(void) {
  static const struct {
    const char *name;
    int value;
  } levels[] = {{"multiple", MPI_THREAD_MULTIPLE}, {"serialized", MPI_THREAD_SERIALIZED}, {"funneled", MPI_THREAD_FUNNELED}};
  const char *const text = getenv(level);
  if (text == NULL || *text == 0) return;
  for (unsigned i = 0; i < sizeof levels / sizeof levels[0]; ++i) {
    if (strcmp(text, levels[i].name) != 0) continue;
    all.level = levels[i].value;
    return;
  }
  end_process("weft-mpi: error: %s=%s: use multiple, serialized or funneled", level, text);
}

static bool is_called(const char *entry, size_t length, const char *name) {
  return strlen(name) == length && strncmp(entry, name, length) == 0;
}

static void warn_of_unknown(const char *entry) {
  const size_t length = strcspn(entry, "=");
  for (unsigned i = 0; i < VARIABLES; ++i) {
    if (is_called(entry, length, variables[i].name)) return;
  }
  if (is_called(entry, length, report) || is_called(entry, length, level)) return;
  say("weft-mpi: warning: no variable is called %.*s; there are WEFT_MPI_LEVEL, WEFT_MPI_POLL, WEFT_MPI_REPORT, "
      "WEFT_MPI_START and WEFT_MPI_STALL",
      (int)length, entry);
}

static void read_all(void) {
  for (unsigned i = 0; i < VARIABLES; ++i) read_variable(&variables[i]);
  read_switch();
  read_level();
  for (char **entry = environ; *entry != NULL; ++entry) {
    if (strncmp(*entry, "WEFT_MPI_", 9) == 0) warn_of_unknown(*entry);
  }
}

const struct mpi_settings *mpi_settings(void) {
  static pthread_once_t is_read = PTHREAD_ONCE_INIT;
  pthread_once(&is_read, read_all);
  return &all;
}
