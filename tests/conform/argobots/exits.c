/* Ends in the middle of a function, and that what ends already does not end again. */
#include "trail.h"

#include <alloca.h>

/* ---- ABT_thread_exit, ABT_self_exit ---- */

static ABT_key key;
static int destroyed;
static void count_destroyed(void *value) {
  (void)value;
  ++destroyed;
}

static void leave_from_below(int depth, void *argument) {
  volatile char *const frame = alloca((size_t)depth * 64);
  frame[0] = (char)depth;
  if (depth > 1) {
    leave_from_below(depth - 1, argument);
  } else if (*(int *)argument == 0) {
    ABT_thread_exit();
  } else {
    ABT_self_exit();
  }
  mark('!');
  frame[0] = 0;
}

static void leave(void *argument) {
  OK(ABT_key_set(key, argument));
  mark('a');
  OK(ABT_self_yield());
  mark('b');
  leave_from_below(20, argument);
  mark('!');
}

static void exits(void) {
  OK(ABT_key_create(count_destroyed, &key));
  destroyed = 0;
  for (int how = 0; how < 2; ++how) {
    ABT_thread thread = start(my_pool(), leave, &how);
    ABT_thread_state state;
    OK(ABT_thread_join(thread));
    OK(ABT_thread_get_state(thread, &state));
    CHECK(state == ABT_THREAD_STATE_TERMINATED && destroyed == 2 * how);
    OK(ABT_thread_revive(my_pool(), leave, &how, &thread)); /* it can end so again */
    end(thread);
    CHECK(destroyed == 2 * how + 1);
    check_trail("abab");
    OK(ABT_thread_create(my_pool(), leave, &how, ABT_THREAD_ATTR_NULL, NULL));
    while (destroyed != 2 * how + 2) OK(ABT_thread_yield());
    check_trail("ab");
  }
  OK(ABT_key_free(&key));
}

/* ---- no end of what ends already: an unnamed ULT's destructors are its own last calls ---- */

static void exit_again(void *value) {
  (void)value;
  mark('d');
  IS(ABT_ERR_INV_THREAD, ABT_thread_exit());
  IS(ABT_ERR_INV_THREAD, ABT_self_exit());
  be_cancelled();
  OK(ABT_self_yield());
  mark('e');
}

static void leave_value(void *with_exit) {
  mark('a');
  OK(ABT_key_set(key, with_exit));
  if (*(bool *)with_exit) ABT_thread_exit();
}

static void mark_event(ABT_thread thread, ABT_xstream stream, uint64_t event, ABT_tool_context context, void *argument) {
  (void)thread, (void)stream, (void)context, (void)argument;
  mark(event == ABT_TOOL_EVENT_THREAD_FINISH ? 'f' : event == ABT_TOOL_EVENT_THREAD_FREE ? 'g' : 'c');
}

static void ends_once(void) {
  OK(ABT_key_create(exit_again, &key));
  OK(ABT_tool_register_thread_callback(
      mark_event, ABT_TOOL_EVENT_THREAD_FINISH | ABT_TOOL_EVENT_THREAD_FREE | ABT_TOOL_EVENT_THREAD_CANCEL, NULL));
  for (int i = 0; i < 2; ++i) {
    bool with_exit = i == 1;
    OK(ABT_thread_create(my_pool(), leave_value, &with_exit, ABT_THREAD_ATTR_NULL, NULL));
    for (int turn = 0; turn < 4; ++turn) OK(ABT_thread_yield());
    check_trail("afgde");
  }
  OK(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL));
  OK(ABT_key_free(&key));
}

void check_exits(void) {
  RUN(exits);
  if (IS_WEFT) RUN(ends_once);
}
