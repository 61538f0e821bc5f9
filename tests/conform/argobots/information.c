/* Timers, what the library says of itself and of its objects, tools, CPUs. */
#include "check.h"

#include <time.h>

/* ---- time ---- */

enum { most_elsewhere_s = 60 }; /* between two looks at the clock */

static void wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const double later = ABT_get_wtime() - (double)now.tv_sec;
  CHECK(later > -1 && later < (double)most_elsewhere_s);
}

static void timers(void) {
  ABT_timer timer, copy;
  double seconds = -1, sum = 10, overhead = -1;
  const double begin = ABT_get_wtime() - 0.001; /* another clock than that of timers */
  OK(ABT_timer_create(&timer));
  OK(ABT_timer_start(timer));
  OK(ABT_timer_stop_and_read(timer, &seconds));
  CHECK(seconds >= 0 && seconds <= ABT_get_wtime() - begin);
  OK(ABT_timer_dup(timer, &copy));
  double same = -1;
  OK(ABT_timer_read(copy, &same));
  CHECK(same == seconds);
  OK(ABT_timer_stop_and_add(timer, &sum));
  CHECK(sum >= 10 && sum <= 10 + ABT_get_wtime() - begin);
  OK(ABT_timer_stop(copy));
  OK(ABT_timer_free(&copy));
  OK(ABT_timer_free(&timer));
  CHECK(timer == ABT_TIMER_NULL);
  OK(ABT_timer_get_overhead(&overhead));
  CHECK(overhead >= 0);
}

/* ---- printing ---- */

static char *text;
static size_t length;

static FILE *open_text(void) {
  FILE *file = open_memstream(&text, &length);
  CHECK(file != NULL);
  return file;
}

static void check_text(FILE *file) {
  CHECK(fclose(file) == 0);
  CHECK(length > 0 && text[length - 1] == '\n');
  free(text);
}

#define PRINTS(call)                \
  do {                              \
    FILE *const file = open_text(); \
    OK(call);                       \
    check_text(file);               \
  } while (0)

static void wait_to_be_printed(void *argument) { /* a ULT with a stack, READY */
  while (atomic_load((atomic_int *)argument) == 0) OK(ABT_thread_yield());
}

static void objects(void) {
  atomic_int may_end = 0;
  ABT_xstream stream;
  ABT_sched sched;
  OK(ABT_xstream_self(&stream));
  OK(ABT_xstream_get_main_sched(stream, &sched));
  const ABT_thread thread = start(my_pool(), wait_to_be_printed, &may_end);
  ABT_task task;
  OK(ABT_task_create(my_pool(), nothing, NULL, &task));
  OK(ABT_thread_yield());
  PRINTS(ABT_info_print_config(file));
  PRINTS(ABT_info_print_all_xstreams(file));
  PRINTS(ABT_info_print_xstream(file, stream));
  PRINTS(ABT_info_print_sched(file, sched));
  PRINTS(ABT_info_print_pool(file, my_pool()));
  PRINTS(ABT_info_print_thread(file, thread));
  PRINTS(ABT_info_print_task(file, task));
  PRINTS(ABT_info_print_thread_stack(file, thread));
  may_end = 1;
  end(thread);
  OK(ABT_task_free(&task));
}

static void note_dump(ABT_bool is_late, void *argument) {
  CHECK(is_late == ABT_FALSE);
  add_one(argument);
}

static atomic_int dumps;
static void note_any_dump(ABT_bool is_late, void *argument) {
  (void)is_late;
  add_one(argument);
  add_one(&dumps);
}

static void dump_of_all_stacks(void) {
  atomic_int dumped = 0, may_end = 0;
  const ABT_xstream stream = start_stream();
  const ABT_thread thread = start(pool_of(stream), wait_to_be_printed, &may_end);
  FILE *const file = open_text();
  OK(ABT_info_trigger_print_all_thread_stacks(file, -1.0, note_dump, &dumped));
  wait_for(&dumped, 1);
  may_end = 1;
  end(thread);
  end_stream(stream);
  check_text(file);
}

/* A stream that has run a unit since is not in it any more. */
static void leave_dump(const ABT_xstream streams[2]) {
  for (int i = 0; i < 2; ++i) end(start(pool_of(streams[i]), nothing, NULL));
}

/* One that is asked for when none is under way comes, also when a stream comes too late for it. */
static void each_dump_comes(void) {
  const int enough = IS_SLOW ? 20 : 200;
  atomic_int dumped = 0;
  ABT_xstream streams[2];
  for (int i = 0; i < 2; ++i) streams[i] = start_stream();
  FILE *const file = fopen("/dev/null", "w");
  CHECK(file != NULL);
  for (int wish = 0; wish < enough; ++wish) {
    OK(ABT_info_trigger_print_all_thread_stacks(file, 0.0, note_any_dump, &dumped));
    wait_for(&dumped, wish + 1);
    leave_dump(streams);
  }
  for (int i = 0; i < 2; ++i) end_stream(streams[i]);
  CHECK(atomic_load(&dumped) == enough);
  fclose(file);
}

/* Those that are asked for while another is under way never come; none comes twice. */
enum { most_wishes = 20000 };
static atomic_int answers[most_wishes];

static void each_dump_once(void) {
  const int enough = IS_SLOW ? 20 : 200;
  atomic_store(&dumps, 0);
  ABT_xstream streams[2];
  for (int i = 0; i < 2; ++i) streams[i] = start_stream();
  FILE *const file = fopen("/dev/null", "w"); /* stays open: one may be under way at the end */
  CHECK(file != NULL);
  for (int wish = 0; wish < most_wishes && atomic_load(&dumps) < enough; ++wish) {
    OK(ABT_info_trigger_print_all_thread_stacks(file, 0.0, note_any_dump, &answers[wish]));
    breathe();
  }
  for (int i = 0; i < 2; ++i) end_stream(streams[i]);
  CHECK(atomic_load(&dumps) > 0);
  for (int wish = 0; wish < most_wishes; ++wish) CHECK(atomic_load(&answers[wish]) <= 1);
}

/* ---- stacks, as they were asked for and as they are ---- */

struct stack_now {
  void *low;
  size_t bytes;
};

/* Frames' redzones, too. */
__attribute__((no_sanitize_address, noinline)) static int sum_of(const volatile char *from, const char *to) {
  int sum = 0;
  for (; from < to; ++from) sum += *from;
  return sum;
}

static void see_stack(void *argument) {
  struct stack_now *const now = argument;
  char here = 0;
  ABT_thread me;
  OK(ABT_self_get_thread(&me));
  OK(ABT_thread_get_stack(me, &now->low, &now->bytes));
  CHECK((char *)now->low <= &here && &here < (char *)now->low + now->bytes);
  (void)sum_of(now->low, (char *)now->low + now->bytes); /* all of it is there, and no guard in it */
}

static void stacks(void) {
  static char memory[1 << 16] __attribute__((aligned(64)));
  struct stack_now now = {NULL, 0};
  ABT_thread_attr attr, again;
  ABT_thread thread = start(my_pool(), see_stack, &now);
  size_t usual = 0, bytes_before = 0;
  OK(ABT_info_query_config(ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE, &usual));
  OK(ABT_thread_get_stack(thread, NULL, &bytes_before)); /* it has not started */
  end(thread);
  CHECK(now.bytes == usual && bytes_before == usual);
  void *low = NULL;
  size_t bytes = 0;
  OK(ABT_thread_attr_create(&attr));
  OK(ABT_thread_attr_set_stack(attr, memory, sizeof memory));
  OK(ABT_thread_attr_get_stack(attr, &low, &bytes));
  CHECK(low == memory && bytes == sizeof memory);
  OK(ABT_thread_create(my_pool(), see_stack, &now, attr, &thread));
  OK(ABT_thread_join(thread));
  CHECK(now.low == memory && now.bytes == sizeof memory);
  OK(ABT_thread_get_attr(thread, &again));
  OK(ABT_thread_attr_get_stack(again, &low, &bytes));
  CHECK(low == memory && bytes == sizeof memory);
  OK(ABT_thread_attr_free(&again));
  OK(ABT_thread_attr_free(&attr));
  end(thread);
}

/* ---- what the library can do ---- */

static void unwinding(void) {
  ABT_bool is_enabled = ABT_FALSE;
  OK(ABT_info_query_config(ABT_INFO_QUERY_KIND_ENABLED_STACK_UNWIND, &is_enabled));
  CHECK(is_enabled == ABT_TRUE); /* ABT_info_print_thread_stack shows frames: see printing.c */
}

/* ---- tools ---- */

static ABT_thread watched;
static uint64_t events[16];
static int event_count;

static void watch(ABT_thread thread, ABT_xstream stream, uint64_t event, ABT_tool_context context, void *argument) {
  if (thread != watched && watched != ABT_THREAD_NULL) return;
  ABT_pool pool = ABT_POOL_NULL;
  ABT_exec_entity_type caller = ABT_EXEC_ENTITY_TYPE_EXT;
  int depth = -1;
  CHECK(stream != ABT_XSTREAM_NULL && argument == &events);
  if (event == ABT_TOOL_EVENT_THREAD_CREATE) {
    watched = thread;
    OK(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_POOL, &pool));
    OK(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_CALLER_TYPE, &caller));
    CHECK(pool != ABT_POOL_NULL && caller == ABT_EXEC_ENTITY_TYPE_THREAD);
  } else if (event == ABT_TOOL_EVENT_THREAD_RUN) {
    OK(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_STACK_DEPTH, &depth));
    CHECK(depth > 0);
  }
  CHECK(event_count < 16);
  if (watched != ABT_THREAD_NULL) events[event_count++] = event;
}

static void yield_once(void *argument) {
  (void)argument;
  OK(ABT_self_yield());
}

static void expect_a_stream(ABT_thread thread, ABT_xstream stream, uint64_t event, ABT_tool_context context, void *argument) {
  (void)thread, (void)event, (void)context;
  CHECK(stream != ABT_XSTREAM_NULL);
  add_one(argument);
}

/* The joiner is woken by another stream, where no unit runs at that moment. */
static void tools_know_the_stream(void) {
  atomic_int told = 0;
  const ABT_xstream stream = start_stream();
  const ABT_pool pool = pool_of(stream);
  OK(ABT_tool_register_thread_callback(expect_a_stream, ABT_TOOL_EVENT_THREAD_ALL, &told));
  for (int i = 0; i < 10; ++i) end(start(pool, nothing, NULL));
  OK(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL));
  CHECK(told >= 50); /* created, run, finished, joined, freed */
  end_stream(stream);
}

static void tools(void) {
  static const uint64_t wanted[] = {ABT_TOOL_EVENT_THREAD_CREATE, ABT_TOOL_EVENT_THREAD_RUN,    ABT_TOOL_EVENT_THREAD_YIELD,
                                    ABT_TOOL_EVENT_THREAD_RUN,    ABT_TOOL_EVENT_THREAD_FINISH, ABT_TOOL_EVENT_THREAD_JOIN,
                                    ABT_TOOL_EVENT_THREAD_FREE};
  const uint64_t mask = ABT_TOOL_EVENT_THREAD_ALL;
  const ABT_pool pool = my_pool();
  OK(ABT_tool_register_thread_callback(watch, mask, &events));
  end(start(pool, yield_once, NULL));
  OK(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL));
  end(start(pool, yield_once, NULL)); /* no callback is called */
  CHECK(event_count == sizeof wanted / sizeof wanted[0]);
  CHECK(memcmp(events, wanted, sizeof wanted) == 0);
}

/* ---- CPUs: with ABT_SET_AFFINITY in the environment, and without ---- */

static void affinity(void) {
  ABT_xstream stream;
  ABT_bool is_there = ABT_FALSE;
  int cpus[1024], again[1024], count = 0, count_again = 0;
  OK(ABT_xstream_self(&stream));
  OK(ABT_info_query_config(ABT_INFO_QUERY_KIND_ENABLED_AFFINITY, &is_there));
  if (IS_WEFT) CHECK(is_there == (getenv("ABT_SET_AFFINITY") != NULL || getenv("ABT_ENABLE_AFFINITY") != NULL));
  if (!is_there) {
    IS(ABT_ERR_FEATURE_NA, ABT_xstream_get_affinity(stream, 1024, cpus, &count));
    IS(ABT_ERR_FEATURE_NA, ABT_xstream_set_affinity(stream, 0, NULL));
    IS(ABT_ERR_FEATURE_NA, ABT_xstream_get_cpubind(stream, &count));
    IS(ABT_ERR_FEATURE_NA, ABT_xstream_set_cpubind(stream, 0));
    return;
  }
  OK(ABT_xstream_get_affinity(stream, 1024, cpus, &count));
  CHECK(count > 0);
  OK(ABT_xstream_set_affinity(stream, 1, cpus));
  OK(ABT_xstream_get_affinity(stream, 1024, again, &count_again));
  CHECK(count_again == 1 && again[0] == cpus[0]);
  int bound = -1;
  OK(ABT_xstream_get_cpubind(stream, &bound));
  CHECK(bound == cpus[0]);
  OK(ABT_xstream_set_affinity(stream, 0, NULL)); /* all that there were at ABT_init */
  OK(ABT_xstream_get_affinity(stream, 1024, again, &count_again));
  CHECK(count_again >= count);
}

/* What a default build of Argobots answers, or what was asked for. */
static void default_answers(void) {
  static const struct {
    ABT_info_query_kind kind;
    const char *variable;
  } each[] = {{ABT_INFO_QUERY_KIND_ENABLED_TOOL, "ABT_ENABLE_TOOL"},
              {ABT_INFO_QUERY_KIND_ENABLED_LAZY_STACK_ALLOC, "ABT_ENABLE_LAZY_STACK_ALLOC"}};
  for (size_t i = 0; i < sizeof each / sizeof *each; ++i) {
    ABT_bool is_there = ABT_TRUE;
    OK(ABT_info_query_config(each[i].kind, &is_there));
    CHECK(is_there == (getenv(each[i].variable) != NULL));
  }
}

void check_information(void) {
  if (IS_WEFT) RUN(default_answers);
  RUN(wall_clock);
  RUN(timers);
  RUN(objects);
  RUN(dump_of_all_stacks);
  RUN(each_dump_comes);
  RUN(each_dump_once);
  RUN(stacks);
  if (IS_WEFT) RUN(unwinding);
  RUN(tools);
  RUN(tools_know_the_stream);
  RUN(affinity);
}
