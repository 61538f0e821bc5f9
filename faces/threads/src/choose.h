/* Which implementation, by name: the built-in ones, and modules that are loaded when asked for. */
#ifndef WEFT_THREADS_SRC_CHOOSE_H
#define WEFT_THREADS_SRC_CHOOSE_H

#include <weft_threads/component.h>

/* Null, after one line on stderr. *status says what to return then. */
const threads_component *component_by_name(const char *name, const char *asked_by, threads_status *status);

#endif
