/* Writes down what was counted before a process dies: by abort, by _exit, by a signal whose handler
 * has just been taken away, or by another process of the test. cmake/coverage.cmake has the linker
 * send these calls here. */
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
extern int __llvm_profile_write_file(void);
extern void __llvm_profile_reset_counters(void);
#else
extern void __gcov_dump(void);
extern void __gcov_reset(void);
#endif
extern _Noreturn void __real_abort(void);
extern _Noreturn void __real__exit(int status);
extern int __real_sigaction(int number, const struct sigaction *wanted, struct sigaction *before);
extern int __real_kill(pid_t process, int number);

_Noreturn void __wrap_abort(void);
_Noreturn void __wrap__exit(int status);
int __wrap_sigaction(int number, const struct sigaction *wanted, struct sigaction *before);
int __wrap_kill(pid_t process, int number);

/* What is written is added to the file; so it must not be counted twice. */
static void write_counts(void) {
#ifdef __clang__
  (void)__llvm_profile_write_file();
  __llvm_profile_reset_counters();
#else
  __gcov_dump();
  __gcov_reset();
#endif
}

_Noreturn void __wrap_abort(void) {
  write_counts();
  __real_abort();
}

_Noreturn void __wrap__exit(int status) {
  write_counts();
  __real__exit(status);
}

int __wrap_sigaction(int number, const struct sigaction *wanted, struct sigaction *before) {
  if (wanted != NULL && wanted->sa_handler == SIG_DFL) write_counts();
  return __real_sigaction(number, wanted, before);
}

/* A signal that no test uses: the receiver writes its counts, and dies of the signal that was meant
 * for it. */
static int last_words(void) { return SIGRTMAX - 1; }

static void write_counts_and_die(int number) {
  (void)number;
  write_counts();
  __real_kill(getpid(), SIGKILL);
}

__attribute__((constructor)) static void expect_death(void) {
  struct sigaction action = {.sa_handler = write_counts_and_die, .sa_flags = SA_RESTART | SA_ONSTACK};
  __real_sigaction(last_words(), &action, NULL);
}

static int is_child_that_runs(pid_t process) {
  siginfo_t ended = {0};
  return process > 0 && waitid(P_PID, (id_t)process, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
}

/* A child of the caller has two seconds for it. */
int __wrap_kill(pid_t process, int number) {
  const struct timespec pause = {.tv_sec = 0, .tv_nsec = 10 * 1000 * 1000};
  if (number != SIGKILL || !is_child_that_runs(process)) return __real_kill(process, number);
  const int result = __real_kill(process, last_words());
  for (int round = 0; round < 200 && is_child_that_runs(process); ++round) nanosleep(&pause, NULL);
  return is_child_that_runs(process) ? __real_kill(process, SIGKILL) : result;
}
