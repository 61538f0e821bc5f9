/* What spare OS threads have: what weft_init's OS thread had, whatever the OS thread of the first
 * region has by then. */
#define _GNU_SOURCE /* sched_getaffinity, pipe2 */
#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <weft/blocking.h>

#include "check.h"

struct state {
  sigset_t blocked;
  cpu_set_t cpus;
  int policy, rounding, timer_slack;
};

/* glibc's function keeps an old answer, musl's refuses. */
static int policy_of(pid_t os_thread) { return (int)syscall(SYS_sched_getscheduler, os_thread); }

static void read_state(struct state *out) {
  CHECK(pthread_sigmask(SIG_SETMASK, NULL, &out->blocked) == 0);
  CHECK(sched_getaffinity(0, sizeof out->cpus, &out->cpus) == 0);
  out->policy = policy_of(0);
  out->rounding = fegetround();
  out->timer_slack = prctl(PR_GET_TIMERSLACK);
}

static void write_state(const struct state *wanted) {
  CHECK(pthread_sigmask(SIG_SETMASK, &wanted->blocked, NULL) == 0);
  CHECK(sched_setaffinity(0, sizeof wanted->cpus, &wanted->cpus) == 0);
  const struct sched_param parameters = {0};
  CHECK(pthread_setschedparam(pthread_self(), wanted->policy, &parameters) == 0);
  CHECK(fesetround(wanted->rounding) == 0);
  CHECK(prctl(PR_SET_TIMERSLACK, wanted->timer_slack) == 0);
}

static void be_alike(const struct state *left, const struct state *right) {
  for (int number = 1; number < SIGRTMIN; ++number)
    CHECK(sigismember(&left->blocked, number) == sigismember(&right->blocked, number));
  CHECK(CPU_EQUAL(&left->cpus, &right->cpus));
  CHECK(left->policy == right->policy);
  CHECK(left->rounding == right->rounding);
  CHECK(left->timer_slack == right->timer_slack);
}

/* Each in another way than before. */
static struct state other_than(const struct state *before) {
  struct state other = *before;
  CHECK(sigaddset(&other.blocked, SIGUSR2) == 0);
  CHECK(sigdelset(&other.blocked, SIGUSR1) == 0);
  CPU_ZERO(&other.cpus);
  for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&other.cpus) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before->cpus)) CPU_SET(cpu, &other.cpus);
  }
  other.policy = before->policy == SCHED_OTHER ? SCHED_BATCH : SCHED_OTHER;
  other.rounding = before->rounding == FE_UPWARD ? FE_DOWNWARD : FE_UPWARD;
  other.timer_slack = before->timer_slack + 1000;
  return other;
}

/* ---- the first region, by main, whose worker goes to a spare OS thread ---- */

struct scene {
  int ends[2];
  struct state of_spare;
};

static void read_one(void *argument) {
  char byte;
  CHECK(read(((struct scene *)argument)->ends[0], &byte, 1) == 1);
}

static void run_on_spare(void *argument) {
  struct scene *scene = argument;
  char name[16] = "";
  CHECK(prctl(PR_GET_NAME, name) == 0);
  CHECK(strcmp(name, "weft-spare") == 0);
  read_state(&scene->of_spare);
  CHECK(write(scene->ends[1], "x", 1) == 1);
}

/* The guard, which is no OS thread of a worker; 0: it is not there. */
static pid_t find_guard(void) {
  DIR *tasks = opendir("/proc/self/task");
  CHECK(tasks != NULL);
  pid_t found = 0;
  for (const struct dirent *task = readdir(tasks); task != NULL; task = readdir(tasks)) {
    char path[300], name[16] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
    FILE *file = fopen(path, "r");
    if (file == NULL) continue;
    if (fgets(name, sizeof name, file) != NULL && strcmp(name, "weft-regions\n") == 0) found = (pid_t)atoi(task->d_name);
    CHECK(fclose(file) == 0);
  }
  CHECK(closedir(tasks) == 0);
  return found;
}

static void by_main(const struct state *before) {
  struct scene scene;
  CHECK(pipe2(scene.ends, O_CLOEXEC) == 0);
  const struct state other = other_than(before);
  write_state(&other);
  weft_thread *writer = start_pinned(run_on_spare, &scene, 0);
  OK(weft_blocking(read_one, &scene));
  struct state after;
  read_state(&after);
  be_alike(&other, &after);
  write_state(before);
  OK(weft_thread_join(writer));
  be_alike(before, &scene.of_spare);
  const pid_t guard = find_guard();
  CHECK(guard != 0 && policy_of(guard) == before->policy);
  CHECK(close(scene.ends[0]) == 0 && close(scene.ends[1]) == 0);
}

/* ---- what a thread that keeps its FP control has after a region that lost its worker ---- */

/* On worker 1, to which it is not pinned, so that it may go on on another OS thread. */
static void round_upward(void *argument) {
  OK(weft_pin(1));
  OK(weft_pin(WEFT_ANY_WORKER));
  CHECK(fesetround(FE_UPWARD) == 0);
  OK(weft_blocking(read_one, argument));
  CHECK(fegetround() == FE_UPWARD);
}

static void write_rounding_to_nearest(void *argument) {
  CHECK(fegetround() == FE_TONEAREST);
  CHECK(write(((struct scene *)argument)->ends[1], "x", 1) == 1);
}

static void rounding_is_kept(void) {
  init_with(2);
  struct scene scene;
  CHECK(pipe2(scene.ends, O_CLOEXEC) == 0);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.keep_fp = true;
  for (int round = 0; round < 10; ++round) {
    weft_thread *reader = start_with(&attr, round_upward, &scene);
    while (weft_thread_get_state(reader) != WEFT_THREAD_BLOCKED) weft_yield(); /* another OS thread has its worker */
    OK(weft_thread_join(start(write_rounding_to_nearest, &scene)));
    OK(weft_thread_join(reader));
    CHECK(fegetround() == FE_TONEAREST);
  }
  CHECK(close(scene.ends[0]) == 0 && close(scene.ends[1]) == 0);
  OK(weft_finalize());
}

int main(void) {
  rounding_is_kept();
  struct state first;
  read_state(&first);
  CHECK(sigaddset(&first.blocked, SIGUSR1) == 0);
  for (int life = 0; life < 2; ++life) {
    write_state(&first);
    init_with(1);
    by_main(&first);
    OK(weft_finalize());
    first = other_than(&first); /* and the other way round */
  }
  return 0;
}
