/* Shepherds by the topology: QT_SHEPHERD_BOUNDARY, QT_WORKER_UNIT, QT_CPUBIND, QT_LAYOUT, and values
 * of other variables that cannot be used. Each case is a process of its own. */
#include <sys/wait.h>

#include <weft/ext.h>

#include "tasks.h"

/* What WEFT_TOPOLOGY says: two sockets of two nodes; a node has three cores of two CPUs. */
#define MACHINE "WEFT_TOPOLOGY=package:2 numa:2 core:3 pu:2"

struct a_case {
  const char *variables[6];
  const char *told; /* part of what stands on stderr; null: nothing does */
  int shepherds, each;
  int cpus[16]; /* those of the workers; -1 ends them, and -2 stands for any */
};

#define ANY {-2, -1}

static const struct a_case cases[] = {
    {{MACHINE, "QT_SHEPHERD_BOUNDARY=node"}, NULL, 4, 6, {0, 1, 2, 3, 4, 5, 6, -1}},
    {{MACHINE, "QT_SHEPHERD_BOUNDARY=pu", "QT_NUM_SHEPHERDS=3"}, NULL, 3, 1, {0, 1, 2, -1}},
    {{MACHINE, "QTHREAD_SHEPHERD_BOUNDARY=Socket", "QT_WORKER_UNIT=node"}, NULL, 2, 2, {0, 6, 12, 18, -1}},
    {{MACHINE, "QT_SHEPHERD_BOUNDARY=core"}, NULL, 12, 2, {0, 1, 2, 3, -1}},
    {{MACHINE, "QT_SHEPHERD_BOUNDARY=node", "QT_WORKER_UNIT=core"}, NULL, 4, 3, {0, 2, 4, 6, 8, 10, 12, -1}},
    {{MACHINE, "QT_SHEPHERD_BOUNDARY=cache", "QT_WORKER_UNIT=L1cache"}, NULL, 4, 3, {0, 2, 4, 6, -1}},
    {{MACHINE, "QT_SHEPHERD_BOUNDARY=node", "QT_NUM_SHEPHERDS=6", "QT_NUM_WORKERS_PER_SHEPHERD=2"},
     NULL,
     6,
     2,
     {0, 1, 6, 7, 12, 13, 18, 19, 2, 3, 8, 9, -1}},
    {{MACHINE, "QT_SHEPHERD_BOUNDARY=node", "QT_HWPAR=8"}, NULL, 4, 2, {0, 1, 6, 7, -1}},
    {{MACHINE, "QT_SHEPHERD_BOUNDARY=node", "QT_HWPAR=3"}, NULL, 3, 1, {0, 6, 12, -1}},
    {{MACHINE, "QT_WORKER_UNIT=core"}, NULL, 12, 1, {0, 2, 4, 6, -1}},
    {{MACHINE, "QT_WORKER_UNIT=core", "QT_NUM_SHEPHERDS=14", "QT_NUM_WORKERS_PER_SHEPHERD=1"},
     NULL,
     14,
     1,
     {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 1, 3, -1}},
    {{MACHINE, "QT_CPUBIND=0-3:20,6-8"}, NULL, 2, 4, {0, 1, 2, 3, 6, 7, 8, 20, -1}},
    {{MACHINE, "QT_CPUBIND=5:1:9", "QT_NUM_SHEPHERDS=3"}, NULL, 3, 1, {5, 1, 9, -1}},
    {{MACHINE, "QT_CPUBIND=5:1:9", "QT_NUM_SHEPHERDS=2"}, "lists 3 shepherds with 1 CPUs each", 3, 1, {5, 1, 9, -1}},
    {{MACHINE, "QT_LAYOUT=COMPACT", "QT_NUM_SHEPHERDS=2", "QT_NUM_WORKERS_PER_SHEPHERD=3"}, NULL, 2, 3, {0, 1, 2, 3, 4, 5, -1}},
    {{MACHINE, "QT_LAYOUT=BALANCED", "QT_NUM_SHEPHERDS=2", "QT_NUM_WORKERS_PER_SHEPHERD=3"},
     NULL,
     2,
     3,
     {0, 2, 6, 12, 14, 18, -1}},
    {{MACHINE, "QT_LAYOUT=balanced", "QT_NUM_SHEPHERDS=2", "QT_NUM_WORKERS_PER_SHEPHERD=1"}, NULL, 2, 1, {0, 12, -1}},
    /* values that cannot be used */
    {{MACHINE, "QT_SHEPHERD_BOUNDARY=moon", "QT_NUM_SHEPHERDS=2"},
     "QT_SHEPHERD_BOUNDARY=moon is no group of CPUs: set node, socket, cache, core or pu",
     2,
     1,
     {0, 1, -1}},
    {{MACHINE, "QTHREAD_WORKER_UNIT=", "QT_NUM_SHEPHERDS=2"}, "QTHREAD_WORKER_UNIT= is no group", 2, 1, {0, 1, -1}},
    {{MACHINE, "QT_SHEPHERD_BOUNDARY=core", "QT_WORKER_UNIT=socket"},
     "QT_WORKER_UNIT=socket is larger than the core of QT_SHEPHERD_BOUNDARY: set core or pu",
     12,
     2,
     {0, 1, 2, -1}},
    {{MACHINE, "QT_LAYOUT=WIDE", "QT_NUM_SHEPHERDS=2"}, "QT_LAYOUT=WIDE is no layout: set COMPACT or BALANCED", 2, 1, {0, 1, -1}},
    {{MACHINE, "QT_CPUBIND=0-3;4-7", "QT_NUM_SHEPHERDS=2"}, "QT_CPUBIND=0-3;4-7 is no list of CPUs: set lists", 2, 1, {0, 1, -1}},
    {{MACHINE, "QT_CPUBIND=", "QT_NUM_SHEPHERDS=2"}, "QT_CPUBIND= is no list", 2, 1, {0, 1, -1}},
    {{MACHINE, "QT_CPUBIND=3-1", "QT_NUM_SHEPHERDS=2"}, "QT_CPUBIND=3-1 is no list", 2, 1, {0, 1, -1}},
    {{MACHINE, "QT_CPUBIND=0:1:", "QT_NUM_SHEPHERDS=2"}, "QT_CPUBIND=0:1: is no list", 2, 1, {0, 1, -1}},
    {{MACHINE, "QT_CPUBIND=0,99999999999999999999", "QT_NUM_SHEPHERDS=2"}, "may not use CPU 1024", 2, 1, {0, 1, -1}},
    {{MACHINE, "QT_CPUBIND=0,24", "QT_NUM_SHEPHERDS=2"}, "may not use CPU 24: leave it out", 2, 1, {0, 1, -1}},
    {{MACHINE, "QT_CPUBIND=0-3:4-6", "QT_NUM_SHEPHERDS=2"}, "shepherd 1 has another number of CPUs", 2, 1, {0, 1, -1}},
#if !IS_SLOW /* a thousand OS threads */
    {{"QT_NUM_SHEPHERDS=100000"}, "QT_NUM_SHEPHERDS=100000 is too large: it counts as 1024", 1024, 1, ANY},
#endif
    {{"QT_NUM_SHEPHERDS=0"}, "QT_NUM_SHEPHERDS=0 is too small: it counts as 1", 1, 1, ANY},
    {{"QT_NUM_SHEPHERDS=-3", "QT_HWPAR=2"},
     "QT_NUM_SHEPHERDS=-3 is no number from 1 to 1024: set one, or unset it; it is not used",
     2,
     1,
     ANY},
#if !IS_SLOW
    {{"QT_NUM_SHEPHERDS=600", "QT_NUM_WORKERS_PER_SHEPHERD=600"},
     "600 shepherds with 600 workers each are more than 1024 workers: there are 1 shepherds",
     1,
     600,
     ANY},
#endif
    {{"QT_STACK_SIZE=4096", "QT_NUM_SHEPHERDS=1"}, "QT_STACK_SIZE=4096 is too small: it counts as 16384", 1, 1, ANY},
    {{"QT_SCHEDULER=lifo", "QT_NUM_SHEPHERDS=1"},
     "QT_SCHEDULER=lifo is no scheduler: set weft, nemesis, sherwood or distrib",
     1,
     1,
     ANY},
    {{"QT_SPINCOUNT=300", "QT_NUM_SHEPHERDS=1"}, "set, but without meaning here: QT_SPINCOUNT", 1, 1, ANY},
    {{"QT_GUARD_PAGES=no", "QT_STEAL_RATIO=4", "QT_NUM_SHEPHERDS=1"}, "here: QT_GUARD_PAGES, QT_STEAL_RATIO", 1, 1, ANY},
    {{"QT_STEAL_CHUNK=4", "QT_NUM_SHEPHERDS=1"}, NULL, 1, 1, ANY},
    {{"QT_STEAL_CHUNK=some", "QT_NUM_SHEPHERDS=1"}, "QT_STEAL_CHUNK", 1, 1, ANY},
    {{"QT_GUARD_PAGES=1", "QT_STEAL_RATIO=0", "QT_NUM_SHEPHERDS=1"}, NULL, 1, 1, ANY},
    {{"QT_MAX_POOL_ALLOC_SIZE=16777216", "QTHREAD_MAX_POOL_ALLOC_SIZE=16777216", "QT_NUM_SHEPHERDS=1"}, NULL, 1, 1, ANY},
    {{"QT_MAX_POOL_ALLOC_SIZE=16777216", "QT_NUM_SHEPHERDS=1"}, "here: QT_MAX_POOL_ALLOC_SIZE", 1, 1, ANY},
};

static aligned_t shepherd_here(void *unused) {
  (void)unused;
  return qthread_shep();
}

/* 10 for the same innermost group of the machine, and 10 more for each further one. */
static int distance_on_machine(qthread_shepherd_id_t one, qthread_shepherd_id_t other, unsigned each) {
  weft_ext_cpu from, to;
  CHECK(weft_ext_worker_cpu(one * each, &from) == WEFT_OK && weft_ext_worker_cpu(other * each, &to) == WEFT_OK);
  if (one == other) return 0;
  return from.core == to.core ? 10 : from.numa == to.numa ? 20 : from.package == to.package ? 40 : 50;
}

static void distances(const struct a_case *one) {
  for (qthread_shepherd_id_t from = 0; from < one->shepherds; ++from) {
    const qthread_shepherd_id_t *others = qthread_sorted_sheps_remote(from);
    for (int i = 0; i + 1 < one->shepherds; ++i) {
      IS(distance_on_machine(from, others[i], (unsigned)one->each), qthread_distance(from, others[i]));
      CHECK(i == 0 || qthread_distance(from, others[i - 1]) <= qthread_distance(from, others[i]));
    }
  }
}

/* Twice: the second start does not tell again. */
static void run_case(const struct a_case *one) {
  for (int life = 0; life < 2; ++life) {
    OK(qthread_initialize());
    IS(one->shepherds, qthread_num_shepherds());
    IS(one->shepherds * one->each, qthread_num_workers());
    for (unsigned i = 0; one->cpus[i] >= 0; ++i) {
      weft_ext_cpu cpu;
      CHECK(weft_ext_worker_cpu(i, &cpu) == WEFT_OK);
      IS(one->cpus[i], (int)cpu.number);
    }
    if (one->cpus[0] >= 0) distances(one);
    aligned_t there = 0;
    OK(qthread_fork_to(shepherd_here, NULL, &there, (qthread_shepherd_id_t)(one->shepherds - 1)));
    OK(qthread_readFF(&there, &there));
    CHECK((int)there == one->shepherds - 1);
    qthread_finalize();
  }
}

static void set_variables(const struct a_case *one) {
  static const char *const all[] = {"NUM_SHEPHERDS", "NUM_WORKERS_PER_SHEPHERD", "HWPAR", "SCHEDULER", "STACK_SIZE"};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {
    char name[64];
    snprintf(name, sizeof name, "QT_%s", all[i]);
    CHECK(unsetenv(name) == 0);
  }
  for (const char *const *each = one->variables; *each != NULL; ++each) CHECK(putenv((char *)(uintptr_t)*each) == 0);
}

static size_t count_lines(const char *text) {
  size_t count = 0;
  for (; *text != 0; ++text) count += *text == '\n';
  return count;
}

/* What the process of a case prints on stderr is all of it one line, or nothing. */
static void check_case(const struct a_case *one) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(dup2(ends[1], STDERR_FILENO) >= 0);
    close(ends[0]);
    close(ends[1]);
    set_variables(one);
    run_case(one);
    exit(0);
  }
  close(ends[1]);
  char text[4096] = {0};
  size_t length = 0;
  for (ssize_t got; length + 1 < sizeof text && (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
    length += (size_t)got;
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  const int is_right =
      status == 0 && (one->told != NULL ? strstr(text, one->told) != NULL && count_lines(text) == 1 : length == 0);
  if (!is_right) {
    fprintf(stderr, "%s %s: status %d, stderr: %s\n", one->variables[0], one->variables[1], status, text);
    abort();
  }
}

/* ---- on this machine ---- */

static cpu_set_t mask_now(void) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0);
  return mask;
}

static aligned_t only_cpu_of_mask(void *unused) {
  (void)unused;
  const cpu_set_t mask = mask_now();
  if (CPU_COUNT(&mask) != 1) return 100000;
  aligned_t number = 0;
  while (!CPU_ISSET(number, &mask)) ++number;
  return number;
}

static aligned_t cpu_of_shepherd(qthread_shepherd_id_t shepherd) {
  aligned_t cpu = 0;
  OK(qthread_fork_to(only_cpu_of_mask, NULL, &cpu, shepherd));
  OK(qthread_readFF(&cpu, &cpu));
  return cpu;
}

/* The CPUs of the mask from the last one to the first, a shepherd for each. */
static void binding(void) {
  const cpu_set_t before = mask_now();
  char list[8192] = "";
  unsigned numbers[CPU_SETSIZE], count = 0;
  for (unsigned cpu = CPU_SETSIZE; cpu-- > 0 && count < 64;) {
    if (!CPU_ISSET(cpu, &before)) continue;
    numbers[count] = cpu;
    snprintf(list + strlen(list), sizeof list - strlen(list), count++ == 0 ? "%u" : ":%u", cpu);
  }
  CHECK(setenv("QT_CPUBIND", list, 1) == 0);
  OK(qthread_initialize());
  IS((int)count, qthread_num_shepherds());
  for (unsigned i = 0; i < count; ++i) CHECK(cpu_of_shepherd((qthread_shepherd_id_t)i) == numbers[i]);
  qthread_finalize();
  const cpu_set_t after = mask_now();
  CHECK(CPU_EQUAL(&before, &after));
  CHECK(setenv("QT_AFFINITY", "no", 1) == 0);
  OK(qthread_initialize());
  const cpu_set_t unbound = mask_now();
  CHECK(CPU_EQUAL(&before, &unbound));
  qthread_finalize();
}

static unsigned cpu_of_programs_worker(void) {
  weft_ext_cpu cpu;
  CHECK(weft_init(NULL) == WEFT_OK && weft_ext_worker_cpu(0, &cpu) == WEFT_OK && weft_finalize() == WEFT_OK);
  return cpu.number;
}

static void a_start_that_fails_places_nothing(void) {
  CHECK(weft_ext_place_workers(NULL, 0) == WEFT_OK);
  const unsigned before = cpu_of_programs_worker();
  CHECK(setenv("WEFT_SCHEDULE", "no such schedule", 1) == 0);
  IS(QTHREAD_THIRD_PARTY_ERROR, qthread_initialize());
  CHECK(unsetenv("WEFT_SCHEDULE") == 0);
  CHECK(cpu_of_programs_worker() == before);
}

int main(void) {
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) check_case(&cases[i]);
  set_variables(&(struct a_case){{NULL}, NULL, 0, 0, {0}});
  binding();
  a_start_that_fails_places_nothing();
  return 0;
}
