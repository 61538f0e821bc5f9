/* The cases of the library between programs and MPI, one a run: mpirun -n RANKS program CASE. */
#include "check.h"

#include <pthread.h>

int rank, ranks;

static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {{"exchanges", test_exchanges},
             {"pairs", test_pairs},
             {"collectives", test_collectives},
             {"communicators", test_communicators},
             {"windows", test_windows},
             {"files", test_files},
             {"errors", test_errors},
             {"statuses", test_statuses},
             {"fatal", test_fatal},
             {"late", test_late},
             {"left_parked", test_left_parked},
             {"stall", test_stall},
             {"dump", test_dump},
             {"spawn", test_spawn},
             {"child", test_child},
             {"meeting", test_meeting},
             {"sessions", test_sessions},
             {"join", test_join},
             {"serial", test_serial},
             {"crossing", test_crossing},
             {"left_polling", test_left_polling},
             {"freed_request", test_freed_request},
             {"freed_fatal", test_freed_fatal},
             {"freed_send", test_freed_send},
             {"freed_complete", test_freed_complete},
             {"freed_early", test_freed_early},
             {"dying", test_dying},
             {"queue", test_queue},
             {"one_behind_another", test_one_behind_another},
             {"freed_communicator", test_freed_communicator},
             {"states", test_states},
             {"collective_states", test_collective_states}};

static void *run_on_os_thread(void *argument) {
  const running *const one = argument;
  one->function(one->argument);
  return NULL;
}

/* An OS thread gets a copy, as `running` is returned by value. */
static void *run_copy(void *argument) {
  running copy = *(running *)argument;
  free(argument);
  return run_on_os_thread(&copy);
}

running start(caller kind, weft_function function, void *argument) {
  running one = {kind, function, argument, NULL, 0};
  if (kind == ULT) OK(weft_thread_create(function, argument, NULL, &one.thread));
  if (kind == TASKLET) OK(weft_tasklet_create(function, argument, NULL, &one.thread));
  if (kind == OS_THREAD) {
    running *const copy = malloc(sizeof one);
    pthread_t made;
    CHECK(copy != NULL);
    *copy = one;
    OK(pthread_create(&made, NULL, run_copy, copy));
    one.os_thread = made;
  }
  return one;
}

static void join_os_thread(void *argument) {
  const running *const one = argument;
  OK(pthread_join(one->os_thread, NULL));
}

void finish(running *one) {
  if (one->kind == MAIN) one->function(one->argument);
  if (one->kind == ULT || one->kind == TASKLET) OK(weft_thread_join(one->thread));
  if (one->kind == OS_THREAD) OK(weft_blocking(join_os_thread, one));
}

void let_others_run(void) {
  for (int i = 0; i < 10; ++i) weft_yield();
}

int main(int count, char **words) {
  weft_config config = WEFT_CONFIG_INIT;
  const char *const name = count > 1 ? words[1] : "";
  const char *const workers = getenv("WEFT_WORKERS");
  if (workers == NULL) config.workers = 1;
  note_program(words[0]);
  OK(MPI_Init(&count, &words));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  OK(weft_init(&config));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    if (strcmp(name, cases[i].name) != 0) continue;
    cases[i].run();
    OK(MPI_Finalize());
    OK(weft_finalize());
    if (rank == 0 && cases[i].run != test_child) puts("passed");
    return 0;
  }
  fprintf(stderr, "usage: program CASE\n");
  return 2;
}
