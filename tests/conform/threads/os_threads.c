/* fifo makes an OS thread for each task that is there at once, and none beyond: also when tasks
 * come while OS threads are being started. */
#include <dirent.h>
#include <pthread.h>

#include "check.h"

const char *implementation = "fifo";
bool is_outside = true;
const char *current_case = "as many OS threads as tasks";

enum { tasks = 200, makers = 4, rounds = 4, of_others = 4 }; /* a sanitizer and an emulator have OS threads of their own */
static atomic_int waiting;
static threads_sync gate;

static void wait_at_the_gate(void *unused) {
  (void)unused;
  atomic_fetch_add(&waiting, 1);
  OK(threads_sync_read_ff(&gate, NULL));
}

static int count_os_threads(void) {
  DIR *const folder = opendir("/proc/self/task");
  CHECK(folder != NULL);
  int count = 0;
  for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static threads_thread *made[tasks];

/* Several at once: one starts the OS threads that it has claimed while others look how many there
 * are. */
static void *make_a_part(void *first) {
  threads_thread **const its = first;
  for (int i = 0; i < tasks / makers; ++i) its[i] = start(wait_at_the_gate, NULL);
  return NULL;
}

static void make_all(void) {
  pthread_t others[makers];
  for (int i = 0; i < makers; ++i) CHECK(pthread_create(&others[i], NULL, make_a_part, &made[tasks / makers * i]) == 0);
  for (int i = 0; i < makers; ++i) CHECK(pthread_join(others[i], NULL) == 0);
}

static void as_many_os_threads_as_tasks(void) {
  threads_config config = THREADS_CONFIG_INIT;
  config.implementation = implementation;
  config.caller_outside = is_outside;
  const int before = count_os_threads();
  atomic_store(&waiting, 0);
  OK(threads_start(&config));
  make_all();
  wait_for(&waiting, tasks);
  CHECK(count_os_threads() - before <= tasks + of_others);
  OK(threads_sync_write_xf(&gate, 0));
  for (int i = 0; i < tasks; ++i) OK(threads_join(made[i]));
  OK(threads_sync_destroy(&gate));
  OK(threads_stop());
}

int main(void) {
  for (int i = 0; i < rounds; ++i) as_many_os_threads_as_tasks();
  return 0;
}
