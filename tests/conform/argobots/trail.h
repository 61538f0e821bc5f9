/* Which unit ran when, as a trail of letters. */
#ifndef WEFT_TESTS_CONFORM_ARGOBOTS_TRAIL_H
#define WEFT_TESTS_CONFORM_ARGOBOTS_TRAIL_H

#include "check.h"

void mark(char letter);
void mark_and_end(void *letter);
/* It is as wanted, and begins anew. */
void check_trail(const char *wanted);

#endif
