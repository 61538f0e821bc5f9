/* Memory that runs out. The program is linked with -Wl,--wrap for malloc and its kin and for
 * mmap, so that every call of the libraries beneath it comes here first. */
#ifndef WEFT_TESTS_CONFORM_ARGOBOTS_FAILING_H
#define WEFT_TESTS_CONFORM_ARGOBOTS_FAILING_H

#include <stdbool.h>

/* The nth request for memory from now on fails (from 1), and those after it, `count` in all; 0:
 * none. */
void fail_requests(int nth, int count);
/* Since then. */
bool has_failed(void);
/* Blocks of malloc that are not freed. */
long live_blocks(void);

#endif
