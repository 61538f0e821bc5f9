#include "environment.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_error(const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "weft-threads: error: %s\n", line);
}

bool read_number(const char *variable, unsigned least, unsigned most, unsigned *out) {
  const char *const text = getenv(variable);
  if (text == NULL || *text == 0) return true;
  char *end = NULL;
  errno = 0;
  const unsigned long number = strtoul(text, &end, 10);
  if (errno != 0 || *end != 0 || *text == '-' || number < least || number > most) {
    report_error("%s=%s: use a number from %u to %u", variable, text, least, most);
    return false;
  }
  *out = (unsigned)number;
  return true;
}

static void join_choices(const char *const *choices, char *text, size_t bytes) {
  size_t used = 0;
  text[0] = 0;
  for (size_t i = 0; choices[i] != NULL && used < bytes; ++i) {
    used += (size_t)snprintf(text + used, bytes - used, "%s%s", i == 0 ? "" : " or ", choices[i]);
  }
}

bool read_choice(const char *variable, const char *const *choices, unsigned *out) {
  const char *const text = getenv(variable);
  if (text == NULL || *text == 0) return true;
  for (unsigned i = 0; choices[i] != NULL; ++i) {
    if (strcmp(text, choices[i]) == 0) {
      *out = i;
      return true;
    }
  }
  char all[128];
  join_choices(choices, all, sizeof all);
  report_error("%s=%s: use %s", variable, text, all);
  return false;
}

unsigned allowed_cpus(void) {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 1;
  const int count = CPU_COUNT(&mask);
  return count > 0 ? (unsigned)count : 1;
}
