/* Stand-in for Chapel 1.3: the types of generated programs. */
#ifndef STAND_IN_CHPLRT_H
#define STAND_IN_CHPLRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool chpl_bool;
typedef const char *chpl_string;
typedef int16_t chpl_fn_int_t;     /* an index of the function table */
typedef void (*chpl_fn_p)(void *); /* what stands there */

/* The table of the generated program. */
extern chpl_fn_p chpl_ftable[];

#endif
