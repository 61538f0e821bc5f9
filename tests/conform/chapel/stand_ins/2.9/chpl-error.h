/* Stand-in for Chapel 2.9: warnings, and lines that end the program. */
#ifndef STAND_IN_CHPL_ERROR_H
#define STAND_IN_CHPL_ERROR_H

#include <stdint.h>

void chpl_warning(const char *message, int32_t lineno, int32_t filename);
void chpl_internal_error(const char *message);
void chpl_internal_error_v(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
