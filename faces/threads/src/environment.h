/* The environment variables of this face, and what is said on stderr. */
#ifndef WEFT_THREADS_SRC_ENVIRONMENT_H
#define WEFT_THREADS_SRC_ENVIRONMENT_H

#include <stdbool.h>

/* "weft-threads: error: ..." in one line. */
__attribute__((format(printf, 1, 2))) void report_error(const char *format, ...);

/* Both leave *out alone where the variable is not set, and report one that cannot be used:
 * false. */
bool read_number(const char *variable, unsigned least, unsigned most, unsigned *out);
/* choices ends with null; *out is the index of one. */
bool read_choice(const char *variable, const char *const *choices, unsigned *out);

/* How many CPUs the inherited mask allows; at least 1. */
unsigned allowed_cpus(void);

#endif
