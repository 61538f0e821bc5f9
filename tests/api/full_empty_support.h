/* Every operation of full/empty words, in both states: what it returns, copies, writes and leaves.
 * From each kind of caller. */
#ifndef WEFT_TESTS_FULL_EMPTY_SUPPORT_H
#define WEFT_TESTS_FULL_EMPTY_SUPPORT_H

#include "sync_support.h"

enum { BEFORE = 7, WRITTEN = 9, UNTOUCHED = 99 };
enum asks { FOR_ANY, FOR_FULL, FOR_EMPTY };
enum leaves { AS_IT_WAS, FULL, EMPTY };

struct operation {
  const char *name;
  weft_status (*call)(void *object, uint64_t *out);
  enum asks asks;
  weft_status refusal; /* WEFT_CANNOT_BLOCK: it would wait, which only a tasklet finds out */
  enum leaves leaves;
  uint64_t value; /* in the object afterwards */
  bool copies;
};

/* The object under test. */
struct full_empty {
  void *object;
  void (*make)(void *object, bool is_full); /* with the value BEFORE */
  bool (*is_full)(void *object);
  uint64_t (*value)(void *object);
  const struct operation *operations;
  size_t count;
};

static void check_operation(const struct full_empty *of, const struct operation *one, bool was_full) {
  const bool is_refused = one->asks != FOR_ANY && (one->asks == FOR_FULL) != was_full;
  if (is_refused && one->refusal == WEFT_CANNOT_BLOCK && !weft_thread_is_tasklet(weft_self())) return;
  of->make(of->object, was_full);
  uint64_t out = UNTOUCHED;
  const weft_status got = one->call(of->object, &out);
  const bool is_full = one->leaves == AS_IT_WAS || is_refused ? was_full : one->leaves == FULL;
  const uint64_t value = is_refused ? BEFORE : one->value;
  const uint64_t copy = one->copies && !is_refused ? BEFORE : UNTOUCHED;
  const bool is_right = got == (is_refused ? one->refusal : WEFT_OK) && of->is_full(of->object) == is_full &&
                        of->value(of->object) == value && out == copy;
  if (is_right) return;
  fprintf(stderr, "%s: %s of one that is %s: %s, leaves %s, value %llu, copied %llu\n", phase, one->name,
          was_full ? "full" : "empty", weft_status_name(got), of->is_full(of->object) ? "full" : "empty",
          (unsigned long long)of->value(of->object), (unsigned long long)out);
  tell_planned_fault(one->name, weft_status_name(got));
  abort();
}

static weft_status check_operations(void *memory) {
  const struct full_empty *of = memory;
  for (size_t i = 0; i < of->count; ++i) {
    check_operation(of, &of->operations[i], true);
    check_operation(of, &of->operations[i], false);
  }
  of->make(of->object, true);
  return WEFT_OK;
}

static void check_operations_as(void *memory, int index) {
  (void)index;
  IS_OK(check_operations(memory));
}

/* The caller is a thread of its own, a tasklet, or an OS thread outside. */
static void check_operations_everywhere(struct full_empty *of) {
  IS_OK(check_operations(of));
  struct caller one;
  start_caller(&one, weft_is_initialized(), check_operations_as, of, 0);
  end_caller(&one);
  if (weft_is_initialized()) IS_OK(in_tasklet(check_operations, of));
}

#endif
