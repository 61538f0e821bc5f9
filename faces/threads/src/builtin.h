/* The implementations that the library holds itself. */
#ifndef WEFT_THREADS_SRC_BUILTIN_H
#define WEFT_THREADS_SRC_BUILTIN_H

#include <weft_threads/component.h>

extern const threads_component threads_component_weft;
extern const threads_component threads_component_fifo;
extern const threads_component threads_component_pool;
extern const threads_component threads_component_none; /* before the start: answers THREADS_NOT_STARTED */

/* The one that runs; none between stop and start. */
extern const threads_component *threads_component_now;

#endif
