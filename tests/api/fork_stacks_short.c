/* Where large stacks for forks cannot be had, forks get stacks of the default size, the program
 * goes on, and one line says so: where the system counts reserved memory, where 10,000 are held,
 * and where there is no memory for one as large as the forker's. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weft/hot.h>

#include "said.h"

enum { MOST = 10000, BEYOND = 100, LARGE = 256 << 20 };

/* ---- the system's answers ---- */

static bool counts_reservations;
static size_t refused_bytes = SIZE_MAX; /* mappings of this size and above are refused */

/* The C library's, but for the mode of overcommitment while the scene has another. */
int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (!counts_reservations || strcmp(path, "/proc/sys/vm/overcommit_memory") != 0) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const bool is_written = write(ends[1], "2\n", 2) == 2;
  close(ends[1]);
  return is_written ? ends[0] : -1;
}

static struct mapping {
  char *base;
  size_t bytes;
} mappings[1 << 15]; /* those that were made last, round and round */
static unsigned made;

void *mmap(void *address, size_t bytes, int rights, int flags, int file, off_t offset) {
  if (bytes >= refused_bytes) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  char *const base = (char *)syscall(SYS_mmap, address, bytes, rights, flags, file, offset);
  mappings[made++ % (sizeof mappings / sizeof mappings[0])] = (struct mapping){base, bytes};
  return base;
}

/* ---- forks that tell their stacks ---- */

/* Of the mapping in which the caller's stack lies, together with others of its size. */
static size_t stack_here(void) {
  const char here = 0;
  const unsigned count = sizeof mappings / sizeof mappings[0];
  for (unsigned back = 1; back <= made && back <= count; ++back) {
    const struct mapping each = mappings[(made - back) % count];
    if ((uintptr_t)&here - (uintptr_t)each.base < each.bytes) return each.bytes;
  }
  return 0;
}

static void tell_stack(void *work) { **(size_t **)work = stack_here(); }

/* In a fork that its forker left behind, in a runtime of one worker. */
static size_t stack_of_fork(void) {
  size_t bytes = 0;
  size_t *work = &bytes;
  weft_forked *const forked = weft_fork(tell_stack, &work, sizeof work);
  weft_yield();
  CHECK(bytes != 0);
  weft_fork_join(forked, tell_stack, &work, sizeof work);
  return bytes;
}

static size_t bytes_of_default;
static void note_default(void *unused) {
  (void)unused;
  bytes_of_default = stack_here();
}
static bool is_default(size_t bytes) { return bytes == bytes_of_default; }

static void begin(void) {
  init_with(1);
  OK(weft_thread_detach(start(note_default, NULL))); /* a joiner may lend its own stack */
  weft_yield();
  CHECK(bytes_of_default != 0);
}

static void told(int lines, const char *why) { CHECK(lines_with(why) == lines); }

/* ---- scenes ---- */

static void reserved_memory_is_counted(void) {
  phase = "vm.overcommit_memory is 2";
  counts_reservations = true;
  begin();
  for (int i = 0; i < 3; ++i) CHECK(is_default(stack_of_fork()));
  OK(weft_finalize());
  told(1, "(vm.overcommit_memory is 2)");
  counts_reservations = false;
  begin();
  CHECK(!is_default(stack_of_fork()));
  OK(weft_finalize());
  told(0, "warning: forks");
}

/* The caller of weft_init is an OS thread with a larger stack than the system's limit. */
static void *fork_on_large_stack(void *unused) {
  begin();
  CHECK(stack_of_fork() >= LARGE);
  OK(weft_finalize());
  return unused;
}

static void caller_has_a_large_stack(void) {
  phase = "the stack of weft_init's caller";
  pthread_attr_t attr;
  pthread_t os_thread;
  CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, LARGE) == 0);
  CHECK(pthread_create(&os_thread, &attr, fork_on_large_stack, NULL) == 0);
  CHECK(pthread_join(os_thread, NULL) == 0 && pthread_attr_destroy(&attr) == 0);
  told(0, "warning");
}

struct held {
  weft_event *may_end;
  size_t *bytes;
};

static void hold_stack(void *work) {
  struct held *const self = work;
  *self->bytes = stack_here();
  OK(weft_event_wait(self->may_end));
}

/* That many forks wait at once, each on a stack of its own: large ones, then default ones. Returns
 * the number of large ones. */
static int hold_many(int count) {
  static struct held work[MOST + BEYOND];
  static weft_forked *forked[MOST + BEYOND];
  static size_t bytes[MOST + BEYOND];
  weft_event may_end = WEFT_EVENT_INIT;
  int large = 0;
  for (int i = 0; i < count; ++i) {
    bytes[i] = 0;
    work[i] = (struct held){&may_end, &bytes[i]};
    forked[i] = weft_fork(hold_stack, &work[i], sizeof work[i]);
    weft_yield();
    CHECK(bytes[i] != 0 && (large == i || is_default(bytes[i])));
    large += !is_default(bytes[i]);
  }
  OK(weft_event_set(&may_end));
  for (int i = count; i-- > 0;) weft_fork_join(forked[i], hold_stack, &work[i], sizeof work[i]);
  return large;
}

static void ten_thousand_are_held(void) {
  phase = "10,000 stacks of forks held";
  CHECK(setenv("WEFT_FORK_STACK_SIZE", "256K", 1) == 0); /* that little memory does not decide */
  begin();
  const int held = hold_many(MOST + BEYOND);
  fprintf(stderr, "%d large stacks of %d forks that wait\n", held, MOST + BEYOND);
  CHECK(held <= MOST && held > MOST - 8); /* the worker stands on one, and has some at hand */
  CHECK(!is_default(stack_of_fork()));    /* those that came back are there again */
  OK(weft_finalize());
  CHECK(unsetenv("WEFT_FORK_STACK_SIZE") == 0);
  told(1, "no more can be had (10,000 at most");
}

/* The few stacks of its size that were made together with its own are used up soon. */
static void fork_largely(void *unused) {
  (void)unused;
  CHECK(stack_here() >= LARGE);
  refused_bytes = LARGE / 2;
  CHECK(hold_many(10) < 10);
  refused_bytes = SIZE_MAX;
  CHECK(hold_many(10) == 10);
}

static void forkers_size_cannot_be_had(void) {
  phase = "no stack as large as the forker's";
  begin();
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = LARGE;
  OK(weft_thread_join(start_with(&attr, fork_largely, NULL)));
  OK(weft_finalize());
  told(1, "no memory for one as large as its forker's");
}

/* Forks of a thread whose stack is of no class have the stacks of other forks: the fifteenth size,
 * and the program's own memory. */
static void fork_usually(void *bytes) {
  *(size_t *)bytes = stack_of_fork();
  CHECK(!is_default(*(size_t *)bytes) && *(size_t *)bytes < LARGE);
}

static void sizes_without_a_class(void) {
  enum { SIZES = 14, PAGE = 4096 };
  phase = "stacks of no class";
  begin();
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  size_t bytes[2];
  for (size_t i = 0; i < SIZES; ++i) {
    attr.stack_bytes = (20 + i) * PAGE;
    OK(weft_thread_join(start_with(&attr, note_default, NULL)));
  }
  weft_yield();
  OK(weft_thread_detach(start(note_default, NULL)));
  weft_yield();
  attr.stack_bytes = LARGE;
  OK(weft_thread_join(start_with(&attr, fork_usually, &bytes[0])));
  static char memory[1 << 20];
  attr.stack = memory;
  attr.stack_bytes = sizeof memory;
  OK(weft_thread_join(start_with(&attr, fork_usually, &bytes[1])));
  CHECK(bytes[0] == bytes[1]);
  OK(weft_finalize());
  told(0, "warning");
}

int main(void) {
  listen_to_library();
  CHECK(setenv("WEFT_GUARD_SIZE", "64K", 1) == 0); /* so that all mappings of a size are alike */
  reserved_memory_is_counted();
  forkers_size_cannot_be_had();
  sizes_without_a_class();
  caller_has_a_large_stack();
  ten_thousand_are_held();
  return 0;
}
