/* What a program is told that goes wrong: each case is a process of its own, whose stderr is read. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tasks.h"

struct end {
  int status;
  char told[8192];
};

/* Runs body in a child process. */
static struct end end_of(void (*body)(void)) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(dup2(ends[1], STDERR_FILENO) >= 0);
    close(ends[0]);
    close(ends[1]);
    CHECK(setenv("WEFT_DEADLOCK", "abort", 1) == 0);
    alarm(60);
    body();
    exit(0);
  }
  close(ends[1]);
  struct end end = {0};
  size_t length = 0;
  for (ssize_t got; length + 1 < sizeof end.told && (got = read(ends[0], end.told + length, sizeof end.told - 1 - length)) > 0;)
    length += (size_t)got;
  close(ends[0]);
  CHECK(waitpid(child, &end.status, 0) == child);
  return end;
}

static void says(const struct end *end, const char *text) {
  if (strstr(end->told, text) != NULL) return;
  fprintf(stderr, "\"%s\" is not in:\n%s", text, end->told);
  abort();
}

/* The line of a report that begins with a word. */
static void says_in_line(const struct end *end, const char *begin, const char *text) {
  const char *line = strstr(end->told, begin);
  CHECK(line != NULL);
  const char *found = strstr(line, text);
  if (found != NULL && memchr(line, '\n', (size_t)(found - line)) == NULL) return;
  fprintf(stderr, "\"%s\" is not in the line with \"%s\" of:\n%s", text, begin, end->told);
  abort();
}

static void is_abort(const struct end *end) {
  if (!WIFSIGNALED(end->status) || WTERMSIG(end->status) != SIGABRT) fprintf(stderr, "status %d:\n%s", end->status, end->told);
  CHECK(WIFSIGNALED(end->status) && WTERMSIG(end->status) == SIGABRT);
}

static const char *address_of(const void *word) {
  static char text[2][64];
  static unsigned next;
  char *out = text[next++ % 2];
  snprintf(out, sizeof text[0], "to be full at %p", word);
  return out;
}

/* ---- preconditions that never come ---- */

static aligned_t words[3], ret;

static aligned_t a_task_that_never_starts(void *unused) {
  (void)unused;
  abort();
}

static void second_of_three_never_comes(void) {
  OK(qthread_initialize());
  for (int i = 0; i < 3; ++i) OK(qthread_empty(&words[i]));
  OK(qthread_fork_precond(a_task_that_never_starts, NULL, &ret, 3, &words[0], &words[1], &words[2]));
  OK(qthread_fill(&words[2]));
  OK(qthread_fill(&words[0]));
  OK(qthread_readFF(NULL, &ret));
}

static void preconditions_that_never_come(void) {
  const struct end end = end_of(second_of_three_never_comes);
  is_abort(&end);
  says(&end, "deadlock: nothing can ever run again");
  says_in_line(&end, "main", address_of(&ret));
  says_in_line(&end, "(a_task_that_never_starts)", address_of(&words[1]));
  says_in_line(&end, "(a_task_that_never_starts)", "waits for its precondition");
}

/* ---- words that no task fills ---- */

static aligned_t waits_at_a_word(void *word) { return (aligned_t)qthread_readFE(NULL, word); }

static void a_circle(void) {
  OK(qthread_initialize());
  OK(qthread_empty(&words[0]));
  OK(qthread_fork_to(waits_at_a_word, &words[0], &ret, 0));
  OK(qthread_readFF(NULL, &ret));
}

static void words_that_are_never_filled(void) {
  const struct end end = end_of(a_circle);
  is_abort(&end);
  says_in_line(&end, "main", address_of(&ret));
  says_in_line(&end, "(waits_at_a_word)", address_of(&words[0]));
}

/* ---- a task on its reader's stack that waits for that reader ---- */

static aligned_t fills_early_and_waits(void *word) {
  OK(qthread_writeF_const(word, 3)); /* its reader could go on now, if it had a stack of its own */
  return (aligned_t)qthread_readFF(NULL, &words[0]);
}

/* One worker: no other one takes the task before it is read. */
static void initialize_one_worker(void) {
  CHECK(setenv("QT_NUM_WORKERS_PER_SHEPHERD", "1", 1) == 0);
  OK(qthread_init(1));
}

static void a_reader_that_is_held(void) {
  initialize_one_worker();
  OK(qthread_empty(&words[0]));
  OK(qthread_fork(fills_early_and_waits, &ret, &ret));
  OK(qthread_readFF(NULL, &ret));
  OK(qthread_fill(&words[0]));
}

static aligned_t variable_fills_early(void *variable) {
  OK(qthread_syncvar_writeF_const(variable, 3));
  return (aligned_t)qthread_readFE(NULL, &words[0]);
}

static void a_reader_of_a_syncvar_that_is_held(void) {
  static syncvar_t variable = SYNCVAR_EMPTY_INITIALIZER;
  uint64_t seen = 0;
  initialize_one_worker();
  OK(qthread_empty(&words[0]));
  OK(qthread_fork_syncvar(variable_fills_early, &variable, &variable));
  OK(qthread_syncvar_readFF(&seen, &variable));
  OK(qthread_fill(&words[0]));
}

static void readers_that_are_held(void) {
  struct end end = end_of(a_reader_that_is_held);
  is_abort(&end);
  says_in_line(&end, "a task runs on the stack of its reader", "make it with qthread_fork_to");
  says(&end, address_of(&words[0]));
  end = end_of(a_reader_of_a_syncvar_that_is_held);
  is_abort(&end);
  says(&end, "a task runs on the stack of its reader");
}

/* ---- the end, from an OS thread outside ---- */

static void *finalizes(void *unused) {
  qthread_finalize();
  return unused;
}

static void the_main_task_runs_meanwhile(void) {
  pthread_t outside;
  OK(qthread_initialize());
  CHECK(pthread_create(&outside, NULL, finalizes, NULL) == 0);
  CHECK(pthread_join(outside, NULL) == 0); /* blocks worker 0 */
  qthread_finalize();
}

static void says_not(const struct end *end, const char *text) {
  if (strstr(end->told, text) == NULL) return;
  fprintf(stderr, "\"%s\" is in:\n%s", text, end->told);
  abort();
}

static atomic_int is_near;

static void *reads_outside(void *unused) {
  atomic_store(&is_near, 1);
  OK(qthread_readFF(NULL, &ret));
  return unused;
}

/* The word of a task that is dropped. */
static void an_os_thread_waits_at_the_end(void) {
  pthread_t outside;
  OK(qthread_initialize());
  OK(qthread_empty(&words[0]));
  OK(qthread_fork_to(waits_at_a_word, &words[0], &ret, 0));
  CHECK(pthread_create(&outside, NULL, reads_outside, NULL) == 0);
  await_number(&is_near, 1);
  usleep(200000);
  qthread_finalize();
  OK(qthread_fill(&ret));
  CHECK(pthread_join(outside, NULL) == 0);
  OK(qthread_initialize());
  qthread_finalize(); /* no OS thread waits any more */
}

static void ends_with_os_threads_outside(void) {
  struct end end = end_of(the_main_task_runs_meanwhile);
  CHECK(end.status == 0);
  says_not(&end, "dropped");
  end = end_of(an_os_thread_waits_at_the_end);
  CHECK(end.status == 0);
  const char *const told = "1 OS thread outside still waits";
  char address[32];
  snprintf(address, sizeof address, "%p", (void *)&ret);
  says_in_line(&end, told, address);
  CHECK(strstr(strstr(end.told, told) + strlen(told), told) == NULL);
}

/* ---- a task that frees its own return word ---- */

static aligned_t *free_word;

/* Gives the word to the next task, as an allocator of the program's might. */
static aligned_t gives_word_back(void *word) {
  free_word = word;
  return 5;
}
static aligned_t eleven(void *unused) {
  (void)unused;
  return 11;
}

static void a_word_that_is_used_again(void) {
  static aligned_t word;
  OK(qthread_initialize());
  for (int i = 0; i < 100; ++i) {
    free_word = NULL;
    OK(qthread_fork(gives_word_back, &word, &word));
    OK(qthread_readFF(NULL, &word));
    CHECK(free_word == &word && word == 5);
    OK(qthread_fork_to(eleven, NULL, free_word, 0));
    OK(qthread_readFE(&ret, &word));
    CHECK(ret == 11);
    OK(qthread_fill(&word));
  }
  qthread_finalize();
}

#if !defined(__SANITIZE_ADDRESS__) /* whose own reports name it */
static aligned_t unmaps(void *page) {
  CHECK(munmap(page, 4096) == 0);
  return 1;
}

static void a_word_that_is_unmapped(void) {
  OK(qthread_initialize());
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  fprintf(stderr, "the word %p\n", page);
  OK(qthread_fork_to(unmaps, page, page, 0));
  for (;;) qthread_yield();
}

static void words_that_are_unmapped(void) {
  const struct end end = end_of(a_word_that_is_unmapped);
  CHECK(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGSEGV);
  says_in_line(&end, "weft: ", "(unmaps)");
  says_in_line(&end, "weft: ", "SIGSEGV");
}
#else
static void words_that_are_unmapped(void) {}
#endif

static void words_that_are_used_again(void) {
  const struct end end = end_of(a_word_that_is_used_again);
  CHECK(end.status == 0 && end.told[0] == 0);
}

int main(void) {
  preconditions_that_never_come();
  words_that_are_never_filled();
  ends_with_os_threads_outside();
  readers_that_are_held();
  words_that_are_used_again();
  words_that_are_unmapped();
  return 0;
}
