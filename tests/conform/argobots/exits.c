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

/* ---- the ULT named to run instead runs, though destructors of the one that ends yield, wait -- */

static ABT_thread resumable;
static ABT_pool elsewhere;

static void yield_once(void) { OK(ABT_self_yield()); }
static void suspend_once(void) {
  OK(ABT_self_get_thread(&resumable));
  OK(ABT_self_suspend());
}
static void go_elsewhere(void) {
  OK(ABT_self_set_associated_pool(elsewhere));
  OK(ABT_self_yield());
}
static void (*const absences[])(void) = {yield_once, suspend_once, go_elsewhere};

static void be_absent(void *absence) {
  mark('d');
  (*(void (*const *)(void))absence)();
  mark('e');
}

struct handover {
  void (*const *absence)(void);
  void (*leave)(ABT_thread successor);
  ABT_thread successor;
};

static void hand_over(void *argument) {
  const struct handover *const mine = argument;
  OK(ABT_key_set(key, (void *)mine->absence));
  mark('a');
  mine->leave(mine->successor);
  mark('!');
}

static void exit_to(ABT_thread successor) { OK(ABT_self_exit_to(successor)); }
static void resume_exit_to(ABT_thread successor) { OK(ABT_self_resume_exit_to(successor)); }
static void be_cancelled_at_yield_to(ABT_thread successor) {
  be_cancelled();
  OK(ABT_self_yield_to(successor));
}
static void (*const leaves[])(ABT_thread) = {exit_to, resume_exit_to, be_cancelled_at_yield_to};

static void suspend_and_mark(void *letter) {
  if (*(const char *)letter == 'S') OK(ABT_self_suspend());
  mark('b');
}

static ABT_thread new_successor(bool is_suspended) {
  const ABT_thread made = start(elsewhere, suspend_and_mark, is_suspended ? "S" : "b");
  ABT_thread popped;
  if (is_suspended) {
    CHECK(run_next(elsewhere));
    return made;
  }
  OK(ABT_pool_pop_thread(elsewhere, &popped));
  CHECK(popped == made);
  return made;
}

static void succeed(ABT_pool pool, void (*leaving)(ABT_thread), void (*const *absence)(void)) {
  ABT_thread_state state;
  struct handover mine = {absence, leaving, new_successor(leaving == resume_exit_to)};
  OK(ABT_thread_create(pool, hand_over, &mine, ABT_THREAD_ATTR_NULL, NULL));
  for (int turn = 0; turn < 4; ++turn) {
    OK(ABT_thread_yield());
    if (pool != my_pool()) run_next(pool);
    run_next(elsewhere);
    if (resumable != ABT_THREAD_NULL) OK(ABT_thread_resume(resumable));
    resumable = ABT_THREAD_NULL;
  }
  check_trail("adeb");
  OK(ABT_thread_get_state(mine.successor, &state));
  CHECK(state == ABT_THREAD_STATE_TERMINATED);
  end(mine.successor);
}

static void successors(void) {
  ABT_pool aside = new_pool(ABT_POOL_FIFO);
  elsewhere = new_pool(ABT_POOL_FIFO);
  OK(ABT_key_create(be_absent, &key));
  for (int how = 0; how < 3; ++how) {
    for (int absence = 0; absence < 3; ++absence) {
      succeed(my_pool(), leaves[how], &absences[absence]);
      succeed(aside, leaves[how], &absences[absence]);
    }
  }
  OK(ABT_key_free(&key));
  OK(ABT_pool_free(&aside));
  OK(ABT_pool_free(&elsewhere));
}

struct succession {
  ABT_thread successor;
  atomic_int ran;
  int rank; /* where it ran */
};

static void note_rank(void *argument) {
  struct succession *const mine = argument;
  OK(ABT_self_get_xstream_rank(&mine->rank));
  add_one(&mine->ran);
}

static void exit_to_noted(void *argument) {
  OK(ABT_key_set(key, (void *)&absences[2]));
  OK(ABT_self_exit_to(((struct succession *)argument)->successor));
}

/* It runs where the one that ends has come to. */
static void successor_on_another_stream(void) {
  ABT_xstream stream = start_stream();
  ABT_pool aside = new_pool(ABT_POOL_FIFO);
  struct succession mine = {.ran = 0};
  ABT_thread popped;
  int rank;
  elsewhere = pool_of(stream);
  OK(ABT_xstream_get_rank(stream, &rank));
  OK(ABT_key_create(be_absent, &key));
  mine.successor = start(aside, note_rank, &mine);
  OK(ABT_pool_pop_thread(aside, &popped));
  OK(ABT_thread_create(my_pool(), exit_to_noted, &mine, ABT_THREAD_ATTR_NULL, NULL));
  wait_for(&mine.ran, 1);
  CHECK(mine.rank == rank);
  end(mine.successor);
  check_trail("de");
  end_stream(stream);
  OK(ABT_key_free(&key));
  OK(ABT_pool_free(&aside));
}

void check_exits(void) {
  RUN(exits);
  if (IS_WEFT) RUN(ends_once);
  if (IS_WEFT) RUN(successors);
  if (IS_WEFT) RUN(successor_on_another_stream);
}
