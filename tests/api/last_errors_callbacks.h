/* What the calls of last_errors.c are to call, and never do. */
#ifndef WEFT_TESTS_LAST_ERRORS_CALLBACKS_H
#define WEFT_TESTS_LAST_ERRORS_CALLBACKS_H

#include <weft/await.h>
#include <weft/context.h>
#include <weft/ext.h>

static size_t nothing_comes(void *state) {
  (void)state;
  return 0;
}
static void sleep_until(void *state, uint64_t deadline_ns) { (void)state, (void)deadline_ns; }
static void nothing_happens(void *state) { (void)state; }
static const weft_source_ops nothing_to_wait_for = {sizeof nothing_to_wait_for, nothing_comes, sleep_until, nothing_happens};
static void loop_body(size_t from, size_t to, void *argument) { (void)from, (void)to, (void)argument; }
static void reduce_body(size_t from, size_t to, void *argument, void *value) {
  (void)from, (void)to, (void)argument, (void)value;
}
static void combine(void *value, const void *later, void *argument) { (void)value, (void)later, (void)argument; }
static int compare(const void *left, const void *right, void *argument) { return (void)left, (void)right, (void)argument, 0; }
static void fill(void *memory, void *source) { (void)memory, (void)source; }
static bool accepts(void *state, weft_thread *unit) { return (void)state, (void)unit, true; }
static bool commit(weft_thread *self, void *argument) { return (void)self, (void)argument, false; }
static weft_context *context_body(weft_context *from, void *passed, void *room) { return (void)passed, (void)room, from; }
static bool is_never(void *argument) { return (void)argument, false; }
static bool attempt(void *argument) { return (void)argument, true; }
static void visit_frame(void *state, const void *code, const char *name) { (void)state, (void)code, (void)name; }
static weft_thread *no_unit(void *state, weft_thread *yielding) { return (void)state, (void)yielding, NULL; }
static weft_thread *none(void *state) { return (void)state, NULL; }
static void push(void *state, weft_thread *unit, weft_push_reason reason) { (void)state, (void)unit, (void)reason; }
static void no_delivery(weft_awaiter *one, weft_status status) { (void)one, (void)status; }

#endif
