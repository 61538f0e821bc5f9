/* MPICH's MPI_Finalize enters a barrier of all ranks, closes the connections of UCX, and tells
 * Hydra "finalize" (PMI 1, a line each). No barrier follows the closing. So a rank that is late, as
 * on a busy machine, closes connections to ranks that have gone: UCX over TCP then waits for ever,
 * spinning (github.com/openucx/ucx/issues/8738), or fails, and MPICH aborts the job. By then all
 * ranks have agreed to end, so neither matters, and a rank leaves MPI_Finalize instead. MPICH 5
 * tells "finalize" later, in a handler of exit(3), and by then speaks with Hydra itself again.
 *
 * A process that ends before it has said "finalize" is a failure for Hydra, which kills the other
 * ranks of its node by SIGKILL and prints "BAD TERMINATION". So an OS thread stands between the
 * two, passes their lines on, and says what is missing before it ends the process.
 *
 * The limit counts processor time: a rank that waits in the barrier uses none, and one that is
 * slow because its machine is busy gets more time. Dropped: a signal handler that says the
 * words, which cannot know whether the rank has entered the barrier before. */
#include "hydra.h"

#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { look_ms = 10, answer_ms = 60000, most_line_bytes = 4096, us_a_second = 1000000, ns_a_us = 1000 };
static const char enters_barrier[] = "cmd=barrier_in\n";
static const char leaves_barrier[] = "cmd=barrier_out";
static const char aborts[] = "cmd=abort";
static const char says_end[] = "cmd=finalize\n";

static int hydra = -1, rank = -1; /* where the thread finds them; less than 0: another launcher */
static int exit_status = 0;
static int is_inside = 0, has_met = 0; /* in the barrier, and afterwards */
static int has_said_end = 0;
/* Of MPI_Finalize; a failure has called exit(3). Relaxed: they only say "stop", and a join
 * orders the rest. */
static atomic_int is_over = 0, has_failed = 0;
static pthread_t between;

static int is_set(const atomic_int *one) { return atomic_load_explicit(one, memory_order_relaxed); }
static void set(atomic_int *one) { atomic_store_explicit(one, 1, memory_order_relaxed); }

static long used_us(void) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * us_a_second + now.tv_nsec / ns_a_us;
}

/* Once Hydra has answered, or does not. */
static void say(const char *line) {
  char answer[most_line_bytes];
  struct pollfd one = {hydra, POLLIN, 0};
  if (write(hydra, line, strlen(line)) < 0) return;
  for (ssize_t got = 1; got > 0 && poll(&one, 1, answer_ms) == 1;) {
    got = read(hydra, answer, sizeof answer);
    if (got > 0 && answer[got - 1] == '\n') return;
  }
}

static void leave(void) {
  if (hydra >= 0) {
    if (!has_met) say(enters_barrier);
    say(says_end);
  }
  _exit(exit_status);
}

/* False: the other side has closed. */
static int pass_on(int from, int to) {
  char line[most_line_bytes];
  const ssize_t got = read(from, line, sizeof line - 1);
  if (got <= 0) return 0;
  line[got] = 0;
  if (from == rank && strstr(line, aborts) != NULL) leave();
  if (from == rank && strstr(line, enters_barrier) != NULL) is_inside = 1;
  if (from == rank && strstr(line, says_end) != NULL) has_said_end = 1;
  if (from == hydra && strstr(line, leaves_barrier) != NULL) {
    is_inside = 0;
    has_met = 1;
  }
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t more = write(to, line + sent, (size_t)(got - sent));
    if (more <= 0) return 0;
    sent += more;
  }
  return 1;
}

static void *stand_between(void *nothing) {
  const long until = used_us() + weft_net_patience_us();
  struct pollfd both[] = {{rank, POLLIN, 0}, {hydra, POLLIN, 0}};
  while (!is_set(&is_over)) {
    if (poll(both, 2, look_ms) > 0) {
      if (both[0].revents != 0 && !pass_on(rank, hydra)) break;
      if (both[1].revents != 0 && !pass_on(hydra, rank)) break;
    } else if (is_set(&has_failed) || (!is_inside && used_us() > until)) {
      leave();
    }
  }
  return nothing;
}

/* The rank's lines go to a thread from here on. */
static void turn_lines(int descriptor) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  hydra = dup(descriptor);
  if (hydra >= 0 && dup2(ends[0], descriptor) >= 0) rank = ends[1];
  close(ends[0]);
}

/* From here on the rank speaks with Hydra itself, if it has more to say. Each of its lines has been
 * answered. What has said "finalize" has closed its descriptor, whose number may have another use. */
static void return_lines(int descriptor) {
  if (!has_said_end) dup2(hydra, descriptor);
  close(rank);
  close(hydra);
}

/* An abort ends the process faster than the thread says what is missing. */
static void wait_in_exit(void) {
  if (is_set(&is_over)) return;
  set(&has_failed);
  pthread_join(between, NULL);
}

void weft_net_finalize(int status) {
  const char *const number = getenv("PMI_FD");
  const int is_hydra = number != NULL && getenv("MPI_LOCALNRANKS") != NULL;
  exit_status = status;
  fflush(NULL);
  const int descriptor = is_hydra ? atoi(number) : -1;
  if (is_hydra) turn_lines(descriptor);
  const int has_thread = pthread_create(&between, NULL, stand_between, NULL) == 0;
  if (!has_thread && rank >= 0) return_lines(descriptor);
  if (has_thread) atexit(wait_in_exit);
  MPI_Finalize();
  set(&is_over);
  if (!has_thread) return;
  pthread_join(between, NULL);
  if (rank >= 0) return_lines(descriptor);
}
