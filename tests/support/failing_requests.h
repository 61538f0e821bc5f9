/* Memory that runs out. A program with failing_requests.c is made by
 * weft_wrap_requests (tests/conform/CMakeLists.txt) and linked to static libraries, so that every
 * call of theirs comes here first. */
#ifndef WEFT_TESTS_SUPPORT_FAILING_REQUESTS_H
#define WEFT_TESTS_SUPPORT_FAILING_REQUESTS_H

#include <stdbool.h>

/* The nth request for memory from now on fails (from 1), and those after it, `count` in all; 0:
 * none. */
void fail_requests(int nth, int count);
/* Since then. */
bool has_failed(void);
/* Blocks of malloc that are not freed. */
long live_blocks(void);

#endif
