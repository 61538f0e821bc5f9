/* Stand-in for Chapel 1.3: warnings, and lines that end the program. */
#ifndef STAND_IN_ERROR_H
#define STAND_IN_ERROR_H

#include "chplrt.h"

void chpl_warning(const char *message, int32_t lineno, chpl_string filename);
void chpl_internal_error(const char *message);

#endif
