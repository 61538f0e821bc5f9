/* Blocking regions. A call that waits in the kernel is a read from a pipe, into which only a thread
 * of the same worker writes: without the region it would never return. */
#define _GNU_SOURCE /* gettid */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <weft/blocking.h>
#include <weft/ext.h>
#include <weft/hot.h>

#include "check.h"

/* errno and the OS thread's number are asked anew where the caller may have moved. */
__attribute__((noinline)) static int error_now(void) { return errno; }
__attribute__((noinline)) static void set_error(int error) { errno = error; }
__attribute__((noinline)) static pid_t os_thread(void) { return gettid(); }

struct line {
  int ends[2];
  int times;
};

static void open_line(struct line *line, int times) {
  CHECK(pipe2(line->ends, O_CLOEXEC) == 0);
  line->times = times;
}
static void close_line(struct line *line) { CHECK(close(line->ends[0]) == 0 && close(line->ends[1]) == 0); }

static void read_one(void *argument) {
  char byte;
  CHECK(read(((struct line *)argument)->ends[0], &byte, 1) == 1);
}
static void write_one(void *argument) { CHECK(write(((struct line *)argument)->ends[1], "x", 1) == 1); }

/* ---- the worker goes on ---- */

static void read_in_region(void *argument) {
  struct line *line = argument;
  for (int round = 0; round < line->times; ++round) {
    OK(weft_blocking_begin());
    const pid_t before = os_thread();
    CHECK(weft_worker_self() == -1 && weft_self() == NULL);
    read_one(line);
    CHECK(os_thread() == before);
    set_error(1000 + round);
    OK(weft_blocking_end());
    CHECK(error_now() == 1000 + round);
    CHECK(weft_worker_self() >= 0 && weft_self() != NULL);
  }
}

static void write_now_and_then(void *argument) {
  struct line *line = argument;
  for (int round = 0; round < line->times; ++round) {
    write_one(line);
    for (int yields = round % 3; yields > 0; --yields) weft_yield();
  }
}

static void others_go_on(void) {
  struct line line;
  open_line(&line, 100);
  weft_thread *reader = start(read_in_region, &line);
  weft_thread *writer = start(write_now_and_then, &line);
  OK(weft_thread_join(reader));
  OK(weft_thread_join(writer));
  close_line(&line);
}

static void write_by_a_spare(void *argument) {
  char name[16] = "";
  CHECK(prctl(PR_GET_NAME, name) == 0);
  CHECK(strcmp(name, "weft-spare") == 0);
  write_one(argument);
}

static void spare_os_threads_have_a_name(void) {
  if (weft_worker_count() != 1) return; /* the OS thread of another worker may be spare, too */
  struct line line;
  open_line(&line, 1);
  weft_thread *writer = start(write_by_a_spare, &line);
  read_in_region(&line);
  OK(weft_thread_join(writer));
  close_line(&line);
}

static void many_at_a_time(void) {
  enum { LINES = 50 };
  struct line lines[LINES];
  weft_thread *readers[LINES], *writers[LINES];
  for (int each = 0; each < LINES; ++each) {
    open_line(&lines[each], 5);
    readers[each] = start(read_in_region, &lines[each]);
  }
  for (int each = 0; each < LINES; ++each) writers[each] = start(write_now_and_then, &lines[each]);
  for (int each = 0; each < LINES; ++each) {
    OK(weft_thread_join(readers[each]));
    OK(weft_thread_join(writers[each]));
    close_line(&lines[each]);
  }
}

/* All workers lose their OS threads at the same time, and each is needed to go on. */
static atomic_int writers_there;

static void write_with_all(void *argument) {
  atomic_fetch_add(&writers_there, 1);
  while (atomic_load(&writers_there) % (int)weft_worker_count() != 0) weft_yield();
  write_one(argument);
}

static void all_workers_at_once(void) {
  enum { MOST = 4 };
  const int workers = (int)weft_worker_count();
  CHECK(workers <= MOST);
  struct line lines[MOST];
  weft_thread *readers[MOST], *writers[MOST];
  for (int round = 0; round < (IS_SLOW ? 3 : 20); ++round) {
    atomic_store(&writers_there, 0);
    for (int each = 0; each < workers; ++each) {
      open_line(&lines[each], 1);
      readers[each] = start_pinned(read_in_region, &lines[each], each);
      writers[each] = start_pinned(write_with_all, &lines[each], each);
    }
    for (int each = 0; each < workers; ++each) {
      OK(weft_thread_join(readers[each]));
      OK(weft_thread_join(writers[each]));
      close_line(&lines[each]);
    }
  }
}

static void called_by_function(void) {
  struct line line;
  open_line(&line, 1);
  weft_thread *writer = start(write_one, &line);
  OK(weft_blocking(read_one, &line));
  OK(weft_thread_join(writer));
  close_line(&line);
}

/* ---- callers ---- */

static void read_pinned(void *argument) {
  const int worker = weft_worker_self();
  const pid_t before = os_thread();
  read_in_region(argument);
  CHECK(weft_worker_self() == worker && os_thread() == before);
}

static void pinned(void) {
  struct line line;
  open_line(&line, 20);
  const int last = (int)weft_worker_count() - 1;
  weft_thread *reader = start_pinned(read_pinned, &line, last);
  weft_thread *writer = start_pinned(write_now_and_then, &line, last);
  OK(weft_thread_join(reader));
  OK(weft_thread_join(writer));
  close_line(&line);
}

static void read_in_scope(void *argument) {
  OK(weft_pinned_begin());
  read_pinned(argument);
  OK(weft_pinned_end());
}

static void in_a_pinned_scope(void) {
  struct line line;
  open_line(&line, 20);
  weft_thread *reader = start(read_in_scope, &line);
  weft_thread *writer = start(write_now_and_then, &line);
  OK(weft_thread_join(reader));
  OK(weft_thread_join(writer));
  close_line(&line);
}

/* The caller of weft_init, whose OS thread is the program's; and threads that run on that one. */
static void of_main(void) {
  struct line line;
  open_line(&line, 20);
  weft_thread *writer = start(write_now_and_then, &line);
  read_pinned(&line);
  OK(weft_thread_join(writer));
  close_line(&line);
  open_line(&line, 20);
  weft_thread *reader = start_pinned(read_pinned, &line, 0);
  write_now_and_then(&line);
  OK(weft_thread_join(reader));
  close_line(&line);
}

static void *be_adopted(void *argument) {
  struct line line;
  OK(weft_worker_adopt(NULL));
  open_line(&line, 20);
  weft_thread *writer = start_pinned(write_now_and_then, &line, weft_worker_self());
  read_pinned(&line);
  OK(weft_thread_join(writer));
  weft_thread *reader = start_pinned(read_pinned, &line, weft_worker_self());
  write_now_and_then(&line);
  OK(weft_thread_join(reader));
  close_line(&line);
  OK(weft_worker_leave());
  return argument;
}

static void of_an_adopted_os_thread(void) {
  pthread_t other;
  CHECK(pthread_create(&other, NULL, be_adopted, NULL) == 0);
  void *end = NULL;
  OK(weft_blocking_begin());
  CHECK(pthread_join(other, &end) == 0);
  OK(weft_blocking_end());
}

static void *be_outside(void *argument) {
  struct line *line = argument;
  OK(weft_blocking_end());
  OK(weft_blocking_begin());
  OK(weft_blocking(read_one, line));
  OK(weft_blocking_end());
  OK(weft_blocking_end());
  return NULL;
}

static void outside(void) {
  struct line line;
  open_line(&line, 1);
  pthread_t other;
  CHECK(pthread_create(&other, NULL, be_outside, &line) == 0);
  write_one(&line);
  CHECK(pthread_join(other, NULL) == 0);
  close_line(&line);
}

static void try_in_tasklet(void *argument) {
  IS(WEFT_CANNOT_BLOCK, weft_blocking_begin());
  IS(WEFT_CANNOT_BLOCK, weft_blocking(write_one, argument));
}

static size_t try_in_callback(void *polls) {
  IS(WEFT_CANNOT_BLOCK, weft_blocking_begin());
  IS(WEFT_CANNOT_BLOCK, weft_blocking(write_one, NULL));
  atomic_fetch_add((atomic_int *)polls, 1);
  return 0;
}

static void refused(void) {
  IS(WEFT_NOT_OWNER, weft_blocking_end());
  atomic_int polls = 0;
  weft_source *source = NULL;
  OK(weft_ext_source_add(try_in_callback, &polls, &source));
  wait_at_least(&polls, 1);
  OK(weft_ext_source_remove(source));
  weft_thread *tasklet = NULL;
  OK(weft_tasklet_create(try_in_tasklet, NULL, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
}

/* ---- inside of a region ---- */

static weft_event event = WEFT_EVENT_INIT;

static void set_event(void *argument) {
  (void)argument;
  OK(weft_event_set(&event));
}

static void like_an_os_thread_outside(void) {
  event = (weft_event)WEFT_EVENT_INIT;
  OK(weft_blocking_begin());
  OK(weft_blocking_begin());
  weft_thread *made = start(set_event, NULL);
  OK(weft_event_wait(&event));
  OK(weft_thread_join(made));
  OK(weft_blocking_end());
  CHECK(weft_worker_self() == -1); /* one is open still */
  OK(weft_blocking_end());
  CHECK(weft_worker_self() >= 0);
}

static weft_key key;
static atomic_int destroyed;

static void count_destroyed(void *value) {
  (void)value;
  atomic_fetch_add(&destroyed, 1);
}

/* What the header says of Weft's calls in a region. */
static void call_all_inside(void *argument) {
  int own = 0, inside = 0;
  weft_semaphore none = WEFT_SEMAPHORE_INIT(0);
  OK(weft_key_set(key, &own));
  IS(WEFT_INVALID, weft_event_set(NULL));
  OK(weft_blocking_begin());
  CHECK(weft_key_get(key) == NULL);
  OK(weft_key_set(key, &inside));
  CHECK(weft_key_get(key) == &inside);
  OK(weft_key_set(key, NULL));
  IS(WEFT_CANNOT_BLOCK, weft_pin(0));
  CHECK(strncmp(weft_last_error(), "weft_pin: ", 10) == 0);
  IS(WEFT_TIMEOUT, weft_semaphore_acquire_until(&none, weft_deadline_in(MICROSECOND)));
  OK(weft_pinned_begin());
  OK(weft_pinned_end());
  weft_yield();
  OK(weft_sleep_ns(MICROSECOND));
  OK(weft_init(NULL));
  OK(weft_finalize());
  OK(weft_blocking_end());
  CHECK(weft_key_get(key) == &own);
  CHECK(strncmp(weft_last_error(), "weft_event_set: ", 16) == 0);
  IS(WEFT_NOT_OWNER, weft_pinned_end());
  (void)argument;
}

static void calls_inside(void) {
  atomic_store(&destroyed, 0);
  OK(weft_key_create(count_destroyed, &key));
  OK(weft_thread_join(start(call_all_inside, NULL)));
  CHECK(atomic_load(&destroyed) == 1);
  OK(weft_key_delete(key));
}

/* ---- forks ---- */

static void write_forked(void *work) { write_one(*(struct line **)work); }

static void read_beside_forks(void *argument) {
  struct line *line = argument;
  weft_forked *first = weft_fork(write_forked, &line, sizeof line);
  weft_forked *second = weft_fork(write_forked, &line, sizeof line);
  OK(weft_blocking_begin());
  read_one(line);
  read_one(line);
  OK(weft_blocking_end());
  weft_fork_join(second, write_forked, &line, sizeof line);
  weft_fork_join(first, write_forked, &line, sizeof line);
}

static void forks_are_taken(void) {
  struct line line;
  open_line(&line, 1);
  for (int round = 0; round < 10; ++round) OK(weft_thread_join(start(read_beside_forks, &line)));
  close_line(&line);
}

static void sleep_a_little(void *argument) { CHECK(usleep(*(const unsigned *)argument) == 0); }

static void fork_tree(void *argument) {
  const unsigned depth = *(unsigned *)argument;
  if (depth == 0) {
    unsigned pause_us = 50;
    OK(weft_blocking(sleep_a_little, &pause_us));
    return;
  }
  unsigned less = depth - 1;
  weft_forked *half = weft_fork(fork_tree, &less, sizeof less);
  fork_tree(&less);
  weft_fork_join(half, fork_tree, &less, sizeof less);
}

static void in_forks(void) {
  unsigned depth = 7;
  OK(weft_thread_join(start(fork_tree, &depth)));
  fork_tree(&depth);
}

/* ---- pools ---- */

static void read_and_count(void *argument) {
  struct line *line = argument;
  OK(weft_blocking(read_one, line));
  atomic_fetch_add((atomic_int *)&line->times, 1);
}

static void from_a_pool(void) {
  weft_pool *pool = NULL;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  const unsigned last = weft_worker_count() - 1;
  OK(weft_pool_attach(pool, last));
  struct line line;
  open_line(&line, 0);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  weft_thread *readers[10];
  for (int each = 0; each < 10; ++each) readers[each] = start_with(&attr, read_and_count, &line);
  for (int each = 0; each < 10; ++each) OK(weft_thread_join(start_with(&attr, write_one, &line)));
  for (int each = 0; each < 10; ++each) OK(weft_thread_join(readers[each]));
  CHECK(line.times == 10);
  close_line(&line);
  OK(weft_pool_detach(pool, last));
  OK(weft_pool_destroy(pool));
}

/* ---- the ends of workers, and of the runtime ---- */

static void a_worker_is_removed_meanwhile(void) {
  unsigned added = 0;
  OK(weft_worker_add(&added));
  struct line line;
  open_line(&line, 1);
  weft_thread *pinned_one = start_pinned(read_in_region, &line, (int)added);
  IS(WEFT_BUSY, weft_worker_remove(added));
  write_one(&line);
  OK(weft_thread_join(pinned_one));
  weft_thread *readers[8];
  for (int each = 0; each < 8; ++each) readers[each] = start(read_in_region, &line);
  for (int yields = 0; yields < 20; ++yields) weft_yield();
  OK(weft_worker_remove(added));
  for (int each = 0; each < 8; ++each) write_one(&line);
  for (int each = 0; each < 8; ++each) OK(weft_thread_join(readers[each]));
  close_line(&line);
}

static void *write_late(void *argument) {
  for (int each = 0; each < 4; ++each) {
    CHECK(usleep(2000) == 0);
    write_one(argument);
  }
  return NULL;
}

static void finalize_waits(unsigned workers) {
  phase = "finalize waits";
  struct line line;
  open_line(&line, 1);
  init_with(workers);
  for (int each = 0; each < 4; ++each) {
    weft_thread *reader = start(read_in_region, &line);
    OK(weft_thread_detach(reader));
  }
  pthread_t other;
  CHECK(pthread_create(&other, NULL, write_late, &line) == 0);
  const pid_t before = os_thread();
  OK(weft_finalize());
  CHECK(os_thread() == before);
  CHECK(pthread_join(other, NULL) == 0);
  close_line(&line);
}

/* From a place that is known to block, where units wait, and no OS thread may be had any more: a call
 * that is over soon keeps its worker. */
static void read_by_function(void *argument) { OK(weft_blocking(read_one, argument)); }

static void short_without_a_spare(void) {
  struct line slow, fast;
  open_line(&slow, 1);
  open_line(&fast, 1);
  weft_thread *reader = start(read_by_function, &slow);
  wait_for_state(reader, WEFT_THREAD_BLOCKED);
  for (int round = 0; round < 10; ++round) {
    weft_thread *behind = start(nothing, NULL);
    write_one(&fast);
    OK(weft_blocking(read_one, &fast));
    OK(weft_thread_join(behind));
  }
  write_one(&slow);
  OK(weft_thread_join(reader));
  close_line(&slow);
  close_line(&fast);
}

static void all(void) {
  RUN(refused);
  RUN(others_go_on);
  RUN(spare_os_threads_have_a_name);
  RUN(many_at_a_time);
  RUN(all_workers_at_once);
  RUN(called_by_function);
  RUN(pinned);
  RUN(in_a_pinned_scope);
  RUN(of_main);
  RUN(a_worker_is_removed_meanwhile);
  RUN(of_an_adopted_os_thread); /* in the slot of that worker */
  RUN(outside);
  RUN(like_an_os_thread_outside);
  RUN(calls_inside);
  RUN(forks_are_taken);
  RUN(in_forks);
  RUN(from_a_pool);
}

int main(void) {
  struct line line;
  open_line(&line, 1);
  write_one(&line);
  OK(weft_blocking(read_one, &line));
  close_line(&line);
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  CHECK(setenv("WEFT_BLOCKING", "0", 1) == 0);
  with_workers("at once", 2, all);
  CHECK(unsetenv("WEFT_BLOCKING") == 0);
  CHECK(setenv("WEFT_BLOCKING", "3ms", 1) == 0); /* the guard finds them at the same look */
  for (int life = 0; life < 5; ++life) with_workers("all at once", 3, all_workers_at_once);
  CHECK(unsetenv("WEFT_BLOCKING") == 0);
  CHECK(setenv("WEFT_BLOCKING_THREADS", "1", 1) == 0);
  with_workers("one spare OS thread", 1, short_without_a_spare);
  CHECK(unsetenv("WEFT_BLOCKING_THREADS") == 0);
  finalize_waits(1);
  finalize_waits(2);
  return 0;
}
