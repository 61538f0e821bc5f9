/* qt_read and the like: what they return, and that other tasks go on. Qthreads' library hides
 * them. */
#include <errno.h>
#include <fcntl.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <qthread/qt_syscalls.h>

#include "check.h"
#include "tasks.h"

/* A task may go on on another OS thread: compilers keep the address of errno. */
__attribute__((noinline)) static void clear_errno(void) { errno = 0; }
__attribute__((noinline)) static int errno_now(void) { return errno; }

#if IS_WEFT
static int ends_of_pipe[2];

static aligned_t write_later(void *text) {
  for (int i = 0; i < 10; ++i) qthread_yield();
  const ssize_t length = (ssize_t)strlen(text);
  CHECK(qt_write(ends_of_pipe[1], text, (size_t)length) == length);
  return 0;
}

/* The writer is on the shepherd whose only worker waits. */
static void a_reader_leaves_its_worker(void) {
  CHECK(pipe(ends_of_pipe) == 0);
  for (int round = 0; round < 20; ++round) {
    aligned_t end;
    char got[8] = "";
    OK(qthread_fork_to(write_later, "hello", &end, qthread_shep()));
    CHECK(qt_read(ends_of_pipe[0], got, sizeof(got)) == 5 && strcmp(got, "hello") == 0);
    OK(qthread_readFF(NULL, &end));
  }
}

static aligned_t read_one_byte(void *argument) {
  (void)argument;
  char got;
  CHECK(qt_read(ends_of_pipe[0], &got, 1) == 1);
  return (aligned_t)got;
}

enum { readers = 12 };

static void many_read_at_once(void) {
  aligned_t ends[readers], sum = 0;
  for (int i = 0; i < readers; ++i) OK(qthread_fork(read_one_byte, NULL, &ends[i]));
  for (int i = 0; i < 20; ++i) qthread_yield();
  for (char i = 1; i <= readers; ++i) CHECK(qt_write(ends_of_pipe[1], &i, 1) == 1);
  for (int i = 0; i < readers; ++i) {
    aligned_t got;
    OK(qthread_readFF(&got, &ends[i]));
    sum += got;
  }
  CHECK(sum == readers * (readers + 1) / 2);
}

static void waits_for_descriptors(void) {
  aligned_t end;
  char got;
  struct pollfd one = {.fd = ends_of_pipe[0], .events = POLLIN, .revents = 0};
  CHECK(qt_poll(&one, 1, 0) == 0 && qt_poll(&one, 1, 1) == 0);
  OK(qthread_fork_to(write_later, "p", &end, qthread_shep()));
  CHECK(qt_poll(&one, 1, -1) == 1 && (one.revents & POLLIN) != 0);
  OK(qthread_readFF(NULL, &end));
  CHECK(qt_read(ends_of_pipe[0], &got, 1) == 1 && got == 'p');

  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends_of_pipe[0], &set);
  struct timeval none = {0, 0};
  CHECK(qt_select(ends_of_pipe[0] + 1, &set, NULL, NULL, &none) == 0);
  FD_SET(ends_of_pipe[0], &set);
  OK(qthread_fork_to(write_later, "s", &end, qthread_shep()));
  CHECK(qt_select(ends_of_pipe[0] + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(ends_of_pipe[0], &set));
  OK(qthread_readFF(NULL, &end));
  CHECK(qt_read(ends_of_pipe[0], &got, 1) == 1 && got == 's');
}

static struct sockaddr_un place = {.sun_family = AF_UNIX};

static aligned_t connect_and_send(void *argument) {
  (void)argument;
  const int to = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(to >= 0);
  CHECK(qt_connect(to, (const struct sockaddr *)&place, sizeof(place)) == 0);
  CHECK(qt_write(to, "x", 1) == 1);
  close(to);
  return 0;
}

static void a_connection(void) {
  snprintf(place.sun_path, sizeof(place.sun_path), "/tmp/conform_qthreads_%d", (int)getpid());
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(listening >= 0);
  CHECK(qt_connect(listening, (const struct sockaddr *)&place, sizeof(place)) == -1 && errno_now() == ENOENT);
  CHECK(bind(listening, (const struct sockaddr *)&place, sizeof(place)) == 0 && listen(listening, 4) == 0);
  aligned_t end;
  OK(qthread_fork_to(connect_and_send, NULL, &end, qthread_shep()));
  struct sockaddr_un from;
  socklen_t length = sizeof(from);
  const int connected = qt_accept(listening, (struct sockaddr *)&from, &length);
  CHECK(connected >= 0 && length <= sizeof(from));
  char got;
  CHECK(qt_read(connected, &got, 1) == 1 && got == 'x' && qt_read(connected, &got, 1) == 0);
  OK(qthread_readFF(NULL, &end));
  CHECK(close(connected) == 0 && close(listening) == 0 && unlink(place.sun_path) == 0);
}

static void places_in_files(void) {
  char name[] = "/tmp/conform_qthreads_XXXXXX";
  const int file = mkstemp(name);
  char got[4] = "";
  CHECK(file >= 0 && unlink(name) == 0);
  CHECK(qt_pwrite(file, "abcdef", 6, 100) == 6 && qt_pwrite(file, "X", 1, 102) == 1);
  CHECK(qt_pread(file, got, 3, 101) == 3 && memcmp(got, "bXd", 3) == 0);
  CHECK(lseek(file, 0, SEEK_CUR) == 0 && lseek(file, 0, SEEK_END) == 106);
  CHECK(close(file) == 0);
}

static void processes(void) {
  const int status = qt_system("exit 3");
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3 && qt_system(NULL) != 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) _exit(4);
  int how = 0;
  struct rusage usage;
  CHECK(qt_wait4(child, &how, 0, &usage) == child && WIFEXITED(how) && WEXITSTATUS(how) == 4);
  CHECK(qt_wait4(child, &how, 0, NULL) == -1 && errno_now() == ECHILD);
}

#define FAILS(code, call) CHECK((clear_errno(), (call) == -1) && errno_now() == (code))

static void errors(void) {
  char byte = 0;
  FAILS(EBADF, qt_read(-1, &byte, 1));
  FAILS(EBADF, qt_write(-1, &byte, 1));
  FAILS(EBADF, qt_pread(-1, &byte, 1, 0));
  FAILS(ESPIPE, qt_pwrite(ends_of_pipe[1], &byte, 1, 5));
  FAILS(ENOTSOCK, qt_accept(ends_of_pipe[0], NULL, NULL));
  FAILS(EBADF, qt_connect(-1, (const struct sockaddr *)&place, sizeof(place)));
  FAILS(EINVAL, qt_select(-1, NULL, NULL, NULL, NULL));
  FAILS(EINVAL, qt_poll(NULL, (nfds_t)1 << 30, 0));
}

/* After a wait that was long enough for another OS thread to take the worker. */
static void errno_is_the_calls(void) {
  for (int i = 0; i < 5; ++i) {
    int ends[2];
    struct timeval some = {0, 20000};
    CHECK(pipe(ends) == 0);
    CHECK(qt_select(0, NULL, NULL, NULL, &some) == 0);
    CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    FAILS(EAGAIN, qt_read(ends[0], &some, 1));
    close(ends[0]), close(ends[1]);
  }
}

static void everything(void *argument) {
  (void)argument;
  places_in_files();
  processes();
  errors();
}
static aligned_t everything_in_a_task(void *argument) {
  everything(argument);
  errno_is_the_calls();
  return 0;
}

int main(void) {
  places_in_files(); /* without a runtime, too */
  processes();
  OK(qthread_initialize());
  a_reader_leaves_its_worker();
  many_read_at_once();
  waits_for_descriptors();
  a_connection();
  everything(NULL);
  errno_is_the_calls();
  run_tasks(3, everything_in_a_task, NULL);
  run_outside(everything, NULL);
  qthread_finalize();
  return 0;
}
#else
int main(void) { return 0; }
#endif
