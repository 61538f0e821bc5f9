/* Pools that go before their units: what units know of a pool stays good, whatever comes in its
 * place. */
#include "check.h"

#include <unistd.h>

/* ---- a pool of the program's own, which knows its units ---- */

struct unit {
  ABT_pool pool;
  ABT_thread thread;
  struct unit *next;
};

static struct unit *first;
static int units, pools;

static ABT_unit make_unit(ABT_pool pool, ABT_thread thread) {
  struct unit *const unit = malloc(sizeof *unit);
  CHECK(unit != NULL);
  *unit = (struct unit){pool, thread, NULL};
  ++units;
  return (ABT_unit)unit;
}
static void free_unit(ABT_pool pool, ABT_unit unit) {
  CHECK(((struct unit *)unit)->pool == pool);
  free(unit);
  --units;
}
static ABT_bool is_empty(ABT_pool pool) {
  (void)pool;
  return first == NULL ? ABT_TRUE : ABT_FALSE;
}
static ABT_thread pop(ABT_pool pool, ABT_pool_context context) {
  (void)pool, (void)context;
  struct unit *const unit = first;
  if (unit == NULL) return ABT_THREAD_NULL;
  first = unit->next;
  return unit->thread;
}
static void push(ABT_pool pool, ABT_unit given, ABT_pool_context context) {
  (void)context;
  struct unit *const unit = (struct unit *)given;
  CHECK(unit->pool == pool);
  unit->next = first;
  first = unit;
}
static size_t length_of_list(ABT_pool pool) {
  (void)pool;
  size_t length = 0;
  for (const struct unit *one = first; one != NULL; one = one->next) ++length;
  return length;
}
static void free_list(ABT_pool pool) {
  (void)pool;
  CHECK(first == NULL);
  --pools;
}

static ABT_pool new_list(void) {
  ABT_pool_user_def def;
  ABT_pool pool = ABT_POOL_NULL;
  OK(ABT_pool_user_def_create(make_unit, free_unit, is_empty, pop, push, &def));
  OK(ABT_pool_user_def_set_free(def, free_list));
  OK(ABT_pool_user_def_set_get_size(def, length_of_list));
  OK(ABT_pool_create(def, ABT_POOL_CONFIG_NULL, &pool));
  OK(ABT_pool_user_def_free(&def));
  ++pools;
  return pool;
}

/* ---- of each kind ---- */

enum kind { fifo, stealing, users, kinds };

static ABT_pool new_one(enum kind kind) {
  return kind == users ? new_list() : new_pool(kind == fifo ? ABT_POOL_FIFO : ABT_POOL_RANDWS);
}

static void free_now(ABT_pool pool) {
  OK(ABT_pool_free(&pool));
  CHECK(pool == ABT_POOL_NULL && pools == 0);
}

static ABT_pool last_pool_of(ABT_thread thread) {
  ABT_pool last = ABT_POOL_NULL;
  OK(ABT_thread_get_last_pool(thread, &last));
  return last;
}

static size_t total_size(ABT_pool pool) {
  size_t size = 99;
  OK(ABT_pool_get_total_size(pool, &size));
  return size;
}

static void suspend_and_add(void *argument) {
  OK(ABT_self_suspend());
  add_one(argument);
}

/* ---- before units that have ended ---- */

static ABT_thread ended_without_pool(enum kind kind, atomic_int *ran) {
  const ABT_pool pool = new_one(kind);
  const ABT_thread thread = start(pool, add_one, ran);
  CHECK(run_next(pool));
  free_now(pool);
  return thread;
}

static void revived_elsewhere(enum kind before, enum kind after) {
  atomic_int ran = 0;
  ABT_thread thread = ended_without_pool(before, &ran);
  const ABT_pool pool = new_one(after); /* maybe where the other one was */
  OK(ABT_thread_revive(pool, add_one, &ran, &thread));
  CHECK(last_pool_of(thread) == pool);
  CHECK(run_next(pool));
  end(thread);
  CHECK(atomic_load(&ran) == 2 && units == 0);
  free_now(pool);
}

/* It is not pushed until it comes back. */
static void revived_at_once(enum kind before, enum kind after) {
  atomic_int ran = 0;
  ABT_thread thread = ended_without_pool(before, &ran);
  const ABT_pool pool = new_one(after);
  OK(ABT_thread_revive_to(pool, suspend_and_add, &ran, &thread));
  CHECK(last_pool_of(thread) == pool && total_size(pool) == 1);
  OK(ABT_thread_resume(thread));
  CHECK(run_next(pool));
  end(thread);
  CHECK(atomic_load(&ran) == 2 && units == 0);
  free_now(pool);
}

static void before_ended_units(void) {
  for (enum kind before = fifo; before < kinds; ++before) {
    atomic_int ran = 0;
    end(ended_without_pool(before, &ran));
    CHECK(atomic_load(&ran) == 1 && units == 0);
    for (enum kind after = fifo; after < kinds; ++after) {
      revived_elsewhere(before, after);
      revived_at_once(before, after);
    }
  }
}

/* ---- before units that have not ---- */

/* Resumed without a push. */
static void before_blocked_units(enum kind kind) {
  atomic_int ran = 0;
  const ABT_pool pool = new_one(kind);
  const ABT_thread thread = start(pool, suspend_and_add, &ran);
  CHECK(run_next(pool));
  await_blocked(thread);
  free_now(pool);
  OK(ABT_self_resume_yield_to(thread));
  CHECK(atomic_load(&ran) == 1);
  end(thread);
  CHECK(units == 0);
}

static void before_popped_units(enum kind kind) {
  atomic_int ran = 0;
  const ABT_pool pool = new_one(kind);
  const ABT_thread thread = start(pool, suspend_and_add, &ran);
  ABT_thread popped;
  OK(ABT_pool_pop_thread(pool, &popped));
  CHECK(popped == thread);
  free_now(pool);
  const ABT_pool next = new_one(kind);
  OK(ABT_self_schedule(thread, ABT_POOL_NULL));
  OK(ABT_self_resume_yield_to(thread));
  CHECK(atomic_load(&ran) == 1);
  end(thread);
  CHECK(units == 0);
  free_now(next);
}

static void free_own_pool(void *ran) {
  ABT_pool pool;
  int before, after;
  OK(ABT_self_get_last_pool(&pool));
  OK(ABT_self_get_last_pool_id(&before));
  free_now(pool);
  OK(ABT_self_get_last_pool_id(&after));
  CHECK(before == after);
  suspend_and_add(ran);
}

static void before_running_units(enum kind kind) {
  atomic_int ran = 0;
  const ABT_pool pool = new_one(kind);
  const ABT_thread thread = start(pool, free_own_pool, &ran);
  CHECK(run_next(pool));
  OK(ABT_self_resume_yield_to(thread));
  CHECK(atomic_load(&ran) == 1);
  end(thread);
  CHECK(units == 0);
}

/* Resumed by a push, which is seen on stderr alone. */
static void lost_unit(void) {
  atomic_int ran = 0;
  char line[256] = "";
  const ABT_pool pool = new_list();
  const ABT_thread thread = start(pool, suspend_and_add, &ran);
  CHECK(run_next(pool));
  free_now(pool);
  FILE *const said = tmpfile();
  const int stderr_before = dup(STDERR_FILENO);
  CHECK(said != NULL && dup2(fileno(said), STDERR_FILENO) >= 0);
  const int code = ABT_thread_resume(thread);
  CHECK(dup2(stderr_before, STDERR_FILENO) >= 0 && close(stderr_before) == 0);
  OK(code);
  rewind(said);
  CHECK(fgets(line, sizeof line, said) != NULL && strstr(line, "pool") != NULL);
  fclose(said);
  OK(ABT_self_schedule(thread, ABT_POOL_NULL)); /* no pool has it */
  end(thread);
  CHECK(atomic_load(&ran) == 1 && units == 0 && first == NULL);
}

static void before_living_units(void) {
  for (enum kind kind = fifo; kind < kinds; ++kind) {
    before_blocked_units(kind);
    before_popped_units(kind);
    before_running_units(kind);
  }
}

void check_freed_pools(void) {
  if (!IS_WEFT) return; /* Argobots leaves all of it undefined */
  RUN(before_ended_units);
  RUN(before_living_units);
  RUN(lost_unit);
}
