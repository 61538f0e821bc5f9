/* Full/empty variables: every operation in both states, waiting of every kind, order, deadlines,
 * memory that goes, misuse. */
#include <string.h>

#include "full_empty_support.h"

enum { CALLERS = 8, ROUNDS = 2000 };

/* ---- every operation ---- */

static weft_status read_fe(void *var, uint64_t *out) { return weft_syncvar_read_fe(var, out); }
static weft_status read_ff(void *var, uint64_t *out) { return weft_syncvar_read_ff(var, out); }
static weft_status read_xx(void *var, uint64_t *out) { return weft_syncvar_read_xx(var, out); }
static weft_status write_ef(void *var, uint64_t *out) { return (void)out, weft_syncvar_write_ef(var, WRITTEN); }
static weft_status write_ff(void *var, uint64_t *out) { return (void)out, weft_syncvar_write_ff(var, WRITTEN); }
static weft_status write_f(void *var, uint64_t *out) { return (void)out, weft_syncvar_write_f(var, WRITTEN); }
/* From BEFORE, so that the sum is WRITTEN. */
static weft_status add_f(void *var, uint64_t *out) {
  uint64_t sum = UNTOUCHED;
  const weft_status result = weft_syncvar_add_f(var, WRITTEN - BEFORE, &sum);
  CHECK(sum == WRITTEN);
  return (void)out, result;
}
static weft_status read_fe_until(void *var, uint64_t *out) { return weft_syncvar_read_fe_until(var, 0, out); }
static weft_status read_ff_until(void *var, uint64_t *out) { return weft_syncvar_read_ff_until(var, 0, out); }
static weft_status write_ef_until(void *var, uint64_t *out) { return (void)out, weft_syncvar_write_ef_until(var, WRITTEN, 0); }
static weft_status write_ff_until(void *var, uint64_t *out) { return (void)out, weft_syncvar_write_ff_until(var, WRITTEN, 0); }
static weft_status try_read_fe(void *var, uint64_t *out) { return weft_syncvar_try_read_fe(var, out); }
static weft_status try_read_ff(void *var, uint64_t *out) { return weft_syncvar_try_read_ff(var, out); }
static weft_status try_write_ef(void *var, uint64_t *out) { return (void)out, weft_syncvar_try_write_ef(var, WRITTEN); }
static weft_status try_write_ff(void *var, uint64_t *out) { return (void)out, weft_syncvar_try_write_ff(var, WRITTEN); }
static weft_status fill(void *var, uint64_t *out) { return (void)out, weft_syncvar_fill(var); }
static weft_status empty(void *var, uint64_t *out) { return (void)out, weft_syncvar_empty(var); }
static weft_status purge(void *var, uint64_t *out) { return (void)out, weft_syncvar_purge(var); }
static weft_status purge_to(void *var, uint64_t *out) { return (void)out, weft_syncvar_purge_to(var, WRITTEN); }

static const struct operation operations[] = {
    {"read_fe", read_fe, FOR_FULL, WEFT_CANNOT_BLOCK, EMPTY, BEFORE, true},
    {"read_ff", read_ff, FOR_FULL, WEFT_CANNOT_BLOCK, FULL, BEFORE, true},
    {"read_xx", read_xx, FOR_ANY, WEFT_OK, AS_IT_WAS, BEFORE, true},
    {"write_ef", write_ef, FOR_EMPTY, WEFT_CANNOT_BLOCK, FULL, WRITTEN, false},
    {"write_ff", write_ff, FOR_FULL, WEFT_CANNOT_BLOCK, FULL, WRITTEN, false},
    {"write_f", write_f, FOR_ANY, WEFT_OK, FULL, WRITTEN, false},
    {"add_f", add_f, FOR_ANY, WEFT_OK, FULL, WRITTEN, false},
    {"read_fe_until", read_fe_until, FOR_FULL, WEFT_TIMEOUT, EMPTY, BEFORE, true},
    {"read_ff_until", read_ff_until, FOR_FULL, WEFT_TIMEOUT, FULL, BEFORE, true},
    {"write_ef_until", write_ef_until, FOR_EMPTY, WEFT_TIMEOUT, FULL, WRITTEN, false},
    {"write_ff_until", write_ff_until, FOR_FULL, WEFT_TIMEOUT, FULL, WRITTEN, false},
    {"try_read_fe", try_read_fe, FOR_FULL, WEFT_BUSY, EMPTY, BEFORE, true},
    {"try_read_ff", try_read_ff, FOR_FULL, WEFT_BUSY, FULL, BEFORE, true},
    {"try_write_ef", try_write_ef, FOR_EMPTY, WEFT_BUSY, FULL, WRITTEN, false},
    {"try_write_ff", try_write_ff, FOR_FULL, WEFT_BUSY, FULL, WRITTEN, false},
    {"fill", fill, FOR_ANY, WEFT_OK, FULL, BEFORE, false},
    {"empty", empty, FOR_ANY, WEFT_OK, EMPTY, BEFORE, false},
    {"purge", purge, FOR_ANY, WEFT_OK, EMPTY, 0, false},
    {"purge_to", purge_to, FOR_ANY, WEFT_OK, EMPTY, WRITTEN, false},
};

static void make_var(void *object, bool is_full) {
  weft_syncvar *var = object;
  IS_OK(weft_syncvar_write_f(var, BEFORE));
  if (!is_full) IS_OK(weft_syncvar_empty(var));
}

static bool var_is_full(void *var) { return weft_syncvar_is_full(var); }
static uint64_t value_of(void *var) {
  uint64_t value = UNTOUCHED;
  IS_OK(weft_syncvar_read_xx(var, &value));
  return value;
}

static void every_operation_in_each_state(void) {
  weft_syncvar var = WEFT_SYNCVAR_EMPTY_INIT;
  struct full_empty of = {&var, make_var, var_is_full, value_of, operations, sizeof operations / sizeof *operations};
  check_operations_everywhere(&of);
}

static void beginnings(void) {
  CHECK(sizeof(weft_syncvar) == 8);
  weft_syncvar zero, full = WEFT_SYNCVAR_INIT(41), most = WEFT_SYNCVAR_INIT(WEFT_SYNCVAR_MAX), none = WEFT_SYNCVAR_EMPTY_INIT;
  memset(&zero, 0, sizeof zero);
  CHECK(weft_syncvar_is_full(&zero) && value_of(&zero) == 0);
  CHECK(weft_syncvar_is_full(&full) && value_of(&full) == 41);
  CHECK(weft_syncvar_is_full(&most) && value_of(&most) == WEFT_SYNCVAR_MAX);
  CHECK(!weft_syncvar_is_full(&none) && value_of(&none) == 0);
  IS_OK(weft_syncvar_write_ef(&none, WEFT_SYNCVAR_MAX));
  IS_OK(weft_syncvar_read_fe(&none, NULL));
  IS_OK(weft_syncvar_read_xx(&none, NULL));
  CHECK(!weft_syncvar_is_full(&none) && value_of(&none) == WEFT_SYNCVAR_MAX);
}

static void arguments(void) {
  weft_syncvar var = WEFT_SYNCVAR_INIT(3);
  const uint64_t large = WEFT_SYNCVAR_MAX + 1;
  for (int i = 0; i < 2; ++i) {
    CHECK(weft_syncvar_write_ef(&var, large) == WEFT_INVALID);
    CHECK(weft_syncvar_write_ff(&var, large) == WEFT_INVALID);
    CHECK(weft_syncvar_write_f(&var, large) == WEFT_INVALID);
    CHECK(weft_syncvar_write_ef_until(&var, large, 0) == WEFT_INVALID);
    CHECK(weft_syncvar_write_ff_until(&var, UINT64_MAX, 0) == WEFT_INVALID);
    CHECK(weft_syncvar_try_write_ef(&var, large) == WEFT_INVALID);
    CHECK(weft_syncvar_try_write_ff(&var, large) == WEFT_INVALID);
    CHECK(weft_syncvar_purge_to(&var, large) == WEFT_INVALID);
    CHECK(value_of(&var) == 3 && weft_syncvar_is_full(&var) == (i == 0));
    IS_OK(weft_syncvar_empty(&var));
  }
  CHECK(!weft_syncvar_is_full(NULL));
}

/* ---- as a channel of one place, and as a lock ---- */

struct channel {
  weft_syncvar var;
  atomic_llong sent, received;
};

static weft_status send_or_receive_once(struct channel *channel, bool sends, uint64_t *value, uint64_t deadline) {
  if (sends) return weft_syncvar_write_ef_until(&channel->var, *value, deadline);
  return weft_syncvar_read_fe_until(&channel->var, deadline, value);
}

static void send_or_receive(void *argument, int index) {
  struct channel *channel = argument;
  const bool sends = index / 2 % 2 == 0;
  for (int i = 0; i < ROUNDS; ++i) {
    const uint64_t deadline = i % 2 == 0 ? WEFT_FOREVER : weft_deadline_in((uint64_t)(i % 7) * 10000);
    uint64_t value = (uint64_t)(i + index);
    weft_status end;
    while ((end = send_or_receive_once(channel, sends, &value, deadline)) == WEFT_TIMEOUT) breathe();
    IS_OK(end);
    atomic_fetch_add(sends ? &channel->sent : &channel->received, (long long)value);
  }
}

static void sums_agree(void) {
  struct channel channel = {.var = WEFT_SYNCVAR_EMPTY_INIT};
  run_team(CALLERS, send_or_receive, &channel);
  CHECK(atomic_load(&channel.sent) == atomic_load(&channel.received));
  CHECK(!weft_syncvar_is_full(&channel.var));
  IS_OK(weft_syncvar_try_write_ef(&channel.var, 1));
}

struct counted {
  weft_syncvar var;
  long count;
};

static void count_up(void *argument, int index) {
  (void)index;
  struct counted *shared = argument;
  for (int i = 0; i < ROUNDS; ++i) {
    IS_OK(weft_syncvar_read_fe(&shared->var, NULL));
    ++shared->count;
    IS_OK(weft_syncvar_fill(&shared->var));
  }
}

static void locks(void) {
  struct counted shared = {WEFT_SYNCVAR_INIT(0), 0};
  run_team(CALLERS, count_up, &shared);
  CHECK(shared.count == (long)CALLERS * ROUNDS);
}

/* ---- one fill serves all that overwrite or read ---- */

static void overwrite_or_read(void *argument, int index) {
  if (index % 2 == 0) {
    IS_OK(weft_syncvar_write_ff(argument, 6));
  } else {
    uint64_t value = 0;
    IS_OK(weft_syncvar_read_ff(argument, &value));
    CHECK(value == 5 || value == 6);
  }
}

static void one_fill_serves_all(void) {
  weft_syncvar var = WEFT_SYNCVAR_EMPTY_INIT;
  struct team team;
  start_team(&team, CALLERS, overwrite_or_read, &var);
  breathe();
  IS_OK(weft_syncvar_write_ef(&var, 5));
  end_team(&team);
  CHECK(value_of(&var) == 6 && weft_syncvar_is_full(&var));
}

/* ---- the memory goes with the caller that was served last ---- */

static void fill_it(void *argument, int index) {
  (void)index;
  IS_OK(weft_syncvar_write_ef(argument, 8));
}

static void frees_what_it_has_read(void) {
  for (int i = 0; i < 200; ++i) {
    weft_syncvar *var = malloc(sizeof *var);
    CHECK(var != NULL);
    *var = (weft_syncvar)WEFT_SYNCVAR_EMPTY_INIT;
    struct caller writer;
    start_caller(&writer, weft_is_initialized() && i % 2 == 0, fill_it, var, 0);
    uint64_t value = 0;
    if (i % 3 == 0) {
      IS_OK(weft_syncvar_read_fe(var, &value));
    } else {
      IS_OK(weft_syncvar_read_fe_until(var, weft_deadline_in(1000 * SECOND), &value));
    }
    memset(var, 0xff, sizeof *var);
    free(var);
    CHECK(value == 8);
    end_caller(&writer);
  }
}

/* ---- deadlines ---- */

static void give_up(void *argument, int index) {
  uint64_t out = UNTOUCHED;
  const uint64_t soon = weft_deadline_in(MILLISECOND);
  switch (index % 3) {
    case 0: CHECK(weft_syncvar_read_fe_until(argument, soon, &out) == WEFT_TIMEOUT); break;
    case 1: CHECK(weft_syncvar_read_ff_until(argument, soon, &out) == WEFT_TIMEOUT); break;
    default: CHECK(weft_syncvar_write_ff_until(argument, 9, soon) == WEFT_TIMEOUT); break;
  }
  CHECK(out == UNTOUCHED);
}

static void deadlines(void) {
  weft_syncvar var = WEFT_SYNCVAR_EMPTY_INIT;
  run_team(CALLERS, give_up, &var);
  CHECK(!weft_syncvar_is_full(&var) && value_of(&var) == 0);
  const weft_syncvar untouched = WEFT_SYNCVAR_EMPTY_INIT;
  CHECK(memcmp(&var, &untouched, sizeof var) == 0); /* no record of the callers is left elsewhere */
  IS_OK(weft_syncvar_try_write_ef(&var, 1));
  CHECK(weft_syncvar_write_ef_until(&var, 9, weft_deadline_in(MILLISECOND)) == WEFT_TIMEOUT);
  IS_OK(weft_syncvar_try_read_fe(&var, NULL));
}

/* ---- with a runtime: the order of serving ---- */

struct line {
  weft_syncvar var;
  uint64_t expected;
};

static void take(void *argument, int index) {
  struct line *line = argument;
  uint64_t value = 0;
  IS_OK(weft_syncvar_read_fe(&line->var, &value));
  CHECK(value == (uint64_t)index); /* values come in the order of the waits for them */
}

static void put(void *argument, int index) {
  struct line *line = argument;
  IS_OK(weft_syncvar_write_ef(&line->var, (uint64_t)index));
}

static void start_in_line(struct caller *one, void (*body)(void *, int), struct line *line, int index) {
  start_caller(one, true, body, line, index);
  wait_until_blocked(one);
}

static void first_come_first_served(void) {
  struct line line = {.var = WEFT_SYNCVAR_EMPTY_INIT};
  struct caller callers[CALLERS];
  for (int i = 0; i < CALLERS; ++i) start_in_line(&callers[i], take, &line, i);
  CHECK(weft_feb_forget(&line.var, sizeof line.var) == WEFT_BUSY);
  for (int i = 0; i < CALLERS; ++i) IS_OK(weft_syncvar_write_ef(&line.var, (uint64_t)i));
  for (int i = 0; i < CALLERS; ++i) end_caller(&callers[i]);

  IS_OK(weft_syncvar_fill(&line.var));
  for (int i = 0; i < CALLERS; ++i) start_in_line(&callers[i], put, &line, i);
  IS_OK(weft_syncvar_empty(&line.var)); /* the first writer fills it at once */
  CHECK(weft_syncvar_is_full(&line.var));
  for (uint64_t i = 0; i < CALLERS; ++i) {
    uint64_t value = UNTOUCHED;
    IS_OK(weft_syncvar_try_read_fe(&line.var, &value));
    CHECK(value == i);
  }
  for (int i = 0; i < CALLERS; ++i) end_caller(&callers[i]);
  IS_OK(weft_feb_forget(&line.var, sizeof line.var));
}

static void overwrite_in_turn(void *argument, int index) {
  struct line *line = argument;
  IS_OK(weft_syncvar_write_ff(&line->var, (uint64_t)index));
}

static void read_the_expected(void *argument, int index) {
  struct line *line = argument;
  uint64_t value = 0;
  IS_OK(index % 2 == 0 ? weft_syncvar_read_ff(&line->var, &value) : weft_syncvar_read_fe(&line->var, &value));
  CHECK(value == line->expected);
}

/* Those that overwrite go before those that read and take, each kind in its order. */
static void those_that_overwrite_go_first(void) {
  struct line line = {.var = WEFT_SYNCVAR_EMPTY_INIT, .expected = CALLERS - 3};
  struct caller callers[CALLERS];
  for (int i = 0; i < CALLERS; ++i) {
    start_in_line(&callers[i], i > 0 && i < CALLERS - 2 ? overwrite_in_turn : read_the_expected, &line, i);
  }
  IS_OK(weft_syncvar_write_f(&line.var, 77));
  for (int i = 0; i < CALLERS; ++i) end_caller(&callers[i]);
  CHECK(value_of(&line.var) == CALLERS - 3 && !weft_syncvar_is_full(&line.var));
}

static void write_when_empty(void *argument, int index) {
  struct channel *channel = argument;
  (void)index;
  IS_OK(weft_syncvar_write_ef(&channel->var, WRITTEN));
}

/* While callers wait, and while none does, no sum is lost; the sum has 60 bits. */
static void add_once(void *argument, int index) {
  struct channel *channel = argument;
  (void)index;
  for (int i = 0; i < ROUNDS; ++i) IS_OK(weft_syncvar_add_f(&channel->var, 3, NULL));
}

static void sums_have_sixty_bits(void) {
  struct channel channel = {.var = WEFT_SYNCVAR_INIT(WEFT_SYNCVAR_MAX)};
  uint64_t sum = UNTOUCHED;
  IS_OK(weft_syncvar_add_f(&channel.var, 2, &sum));
  CHECK(sum == 1 && value_of(&channel.var) == 1 && weft_syncvar_is_full(&channel.var));
  struct caller callers[CALLERS], waits;
  start_caller(&waits, true, write_when_empty, &channel, 0);
  wait_until_blocked(&waits);
  for (int i = 0; i < CALLERS; ++i) start_caller(&callers[i], i % 2 == 0, add_once, &channel, i);
  for (int i = 0; i < CALLERS; ++i) end_caller(&callers[i]);
  CHECK(value_of(&channel.var) == 1 + 3ull * CALLERS * ROUNDS);
  IS_OK(weft_syncvar_empty(&channel.var));
  end_caller(&waits);
  CHECK(value_of(&channel.var) == WRITTEN && weft_syncvar_is_full(&channel.var));
}

static void adds_serve(void) {
  struct line line = {.var = WEFT_SYNCVAR_EMPTY_INIT, .expected = 5};
  struct caller one;
  uint64_t sum = UNTOUCHED;
  start_in_line(&one, read_the_expected, &line, 1);
  IS_OK(weft_syncvar_add_f(&line.var, 5, &sum));
  end_caller(&one);
  CHECK(sum == 5 && value_of(&line.var) == 5 && !weft_syncvar_is_full(&line.var));
}

/* Each kind of change while a caller waits. */
static void changes_serve(void) {
  struct line line = {.var = WEFT_SYNCVAR_INIT(1), .expected = 4};
  struct caller one;
  start_in_line(&one, put, &line, 2);
  IS_OK(weft_syncvar_write_f(&line.var, 3)); /* full as before */
  CHECK(value_of(&line.var) == 3 && weft_syncvar_is_full(&line.var));
  IS_OK(weft_syncvar_purge_to(&line.var, 9));
  end_caller(&one);
  CHECK(value_of(&line.var) == 2 && weft_syncvar_is_full(&line.var));
  IS_OK(weft_syncvar_empty(&line.var));
  start_in_line(&one, read_the_expected, &line, 0);
  IS_OK(weft_syncvar_purge_to(&line.var, 4)); /* empty as before */
  CHECK(!weft_syncvar_is_full(&line.var));
  IS_OK(weft_syncvar_fill(&line.var));
  end_caller(&one);
  CHECK(value_of(&line.var) == 4 && weft_syncvar_is_full(&line.var));
}

static void anywhere(void) {
  beginnings();
  every_operation_in_each_state();
  arguments();
  sums_agree();
  locks();
  one_fill_serves_all();
  frees_what_it_has_read();
  deadlines();
}

static void with_runtime(void) {
  first_come_first_served();
  those_that_overwrite_go_first();
  sums_have_sixty_bits();
  adds_serve();
  changes_serve();
}

int main(void) { return run_phases(anywhere, with_runtime); }
