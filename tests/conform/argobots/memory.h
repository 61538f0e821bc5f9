/* What is done with a family of functions while memory runs out. */
#ifndef WEFT_TESTS_CONFORM_ARGOBOTS_MEMORY_H
#define WEFT_TESTS_CONFORM_ARGOBOTS_MEMORY_H

#include "check.h"
#include "support/failing_requests.h"

/* A call that may want memory: true if it got it. Any other answer than ABT_SUCCESS and, after a
 * failure, ABT_ERR_MEM ends the program. */
#define GOT(call) got(call, #call, __FILE__, __LINE__)
static inline bool got(int code, const char *call, const char *file, int line) {
  if (code == ABT_SUCCESS) return true;
  if (code != ABT_ERR_MEM || !has_failed()) {
    fprintf(stderr, "%s:%d: [%s] %s: %s\n", file, line, current_case, call, code_name(code));
    abort();
  }
  return false;
}

/* These start and end the runtime themselves. */
void lack_memory_for_start_and_end(void);
void lack_memory_for_many_blocked(void);

void lack_memory_for_handing_over(void);
void lack_memory_for_streams(void);
void lack_memory_for_schedulers(void);
void lack_memory_for_configurations(void);
void lack_memory_for_pools(void);
void lack_memory_for_units(void);
void lack_memory_for_values(void);
void lack_memory_for_locks(void);
void lack_memory_for_events(void);
void lack_memory_for_information(void);

#endif
