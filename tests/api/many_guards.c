/* Where each guard takes two of the mappings that the kernel grants a process (before Linux 6.13),
 * the guards of many threads leave half of them to the rest of the program: it allocates, starts OS
 * threads and forks as before, and is told once that further stacks have another guard. */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "said.h"

enum { THREADS = 100000, ALLOCATED = 1 << 20, BYTES_A_THREAD = 12 << 10, MAPPINGS = 1000 };

static weft_event opened = WEFT_EVENT_INIT;

static void wait_until_opened(void *unused) {
  (void)unused;
  OK(weft_event_wait(&opened));
}

static size_t number_in(const char *path, const char *key) {
  FILE *const file = fopen(path, "r");
  CHECK(file != NULL);
  char line[256];
  size_t number = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, key, strlen(key)) == 0) number = strtoull(line + strlen(key), NULL, 10);
  }
  fclose(file);
  return number;
}

static size_t mappings_now(void) {
  FILE *const file = fopen("/proc/self/maps", "r");
  CHECK(file != NULL);
  size_t count = 0;
  for (int c = getc(file); c != EOF; c = getc(file)) count += c == '\n';
  fclose(file);
  return count;
}

static void *note(void *ran) {
  atomic_store((atomic_int *)ran, 1);
  return NULL;
}

/* What needs mappings of its own. */
static void do_other_things(void) {
  void *blocks[MAPPINGS];
  for (int i = 0; i < MAPPINGS; ++i) { /* neighbours with other rights are mappings of their own */
    blocks[i] = mmap(NULL, ALLOCATED, i % 2 == 0 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(blocks[i] != MAP_FAILED);
  }
  for (int i = 0; i < MAPPINGS; ++i) CHECK(munmap(blocks[i], ALLOCATED) == 0);
  void *const block = malloc((size_t)64 << 20);
  CHECK(block != NULL);
  free(block);
  atomic_int ran = 0;
  pthread_t os_thread;
  CHECK(pthread_create(&os_thread, NULL, note, &ran) == 0);
  CHECK(pthread_join(os_thread, NULL) == 0 && atomic_load(&ran) == 1);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) _exit(7);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(void) {
  phase = "guards by mprotect";
  const size_t limit = number_in("/proc/sys/vm/max_map_count", "");
  size_t count = THREADS;
  const size_t room = number_in("/proc/meminfo", "MemAvailable:") * 1024 / 2 / BYTES_A_THREAD;
  if (count > room) count = room;
  CHECK(setenv("WEFT_GUARD", "mprotect", 1) == 0);
  listen_to_library();
  const size_t mappings_before = mappings_now();
  init_with(2);
  weft_thread **const threads = calloc(count, sizeof(weft_thread *));
  CHECK(threads != NULL);
  for (size_t i = 0; i < count; ++i) threads[i] = start(wait_until_opened, NULL);
  for (size_t i = 0; i < count; ++i) wait_for_state(threads[i], WEFT_THREAD_BLOCKED);
  const size_t mappings = mappings_now() - mappings_before;
  do_other_things();
  OK(weft_event_set(&opened));
  OK(weft_thread_join_many(threads, count));
  free(threads);
  OK(weft_finalize());
  const int lines = lines_with("vm.max_map_count");
  printf("%zu threads blocked at once, %zu mappings more, of at most %zu; said %d times\n", count, mappings, limit, lines);
  CHECK(mappings <= limit / 2 + limit / 100);
  CHECK(lines == (count > limit / 4 ? 1 : 0));
  return 0;
}
