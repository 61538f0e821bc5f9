/* What came before. Under WEFT_TRACE=keep each worker keeps its newest records in memory; the
 * program writes them to a file when something took too long:
 *
 *     WEFT_TRACE=keep ./34_kept_trace_c slow.json
 *     weft profile slow.json */
#include <stdio.h>
#include <unistd.h>

#include <weft/weft.h>

#include "must.h"

enum { requests = 100, slow_one = 70, ns_per_ms = 1000000, limit_ms = 10, pause_us = 20000 };

static void parse(void *argument) { *(int *)argument += 1; }

static void serve(int request) {
  int parsed = 0;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = "parser";
  weft_thread *parser;
  must(weft_thread_create(parse, &parsed, &attr, &parser));
  must(weft_thread_join(parser));
  if (request == slow_one) usleep(pause_us); /* forgets weft_blocking */
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s FILE\n", arguments[0]);
    return 2;
  }
  must(weft_init(NULL));
  for (int request = 0; request < requests; ++request) {
    const uint64_t begin_ns = weft_now_ns();
    serve(request);
    if (weft_now_ns() - begin_ns < limit_ms * (uint64_t)ns_per_ms) continue;
    must(weft_trace_dump(arguments[1])); /* an error here names the variable that is missing */
    puts("a request was slow: its trace is written");
    break;
  }
  must(weft_finalize());
  return 0;
}
