/* Whether several threads call: see guarded.h in the public headers. */
#include <weft_threads/guarded.h>

bool threads_use = false;

void threads_set_using(bool use) { __atomic_store_n(&threads_use, use, __ATOMIC_RELAXED); }
