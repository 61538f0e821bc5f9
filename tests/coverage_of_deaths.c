/* Writes down what was counted before a process dies: by abort, by _exit, or by a signal whose
 * handler has just been taken away. cmake/coverage.cmake has the linker send these calls here. */
#include <signal.h>
#include <stddef.h>

extern void __gcov_dump(void);
extern void __gcov_reset(void);
extern _Noreturn void __real_abort(void);
extern _Noreturn void __real__exit(int status);
extern int __real_sigaction(int number, const struct sigaction *wanted, struct sigaction *before);

_Noreturn void __wrap_abort(void);
_Noreturn void __wrap__exit(int status);
int __wrap_sigaction(int number, const struct sigaction *wanted, struct sigaction *before);

/* What is written is added to the file; so it must not be counted twice. */
static void write_counts(void) {
  __gcov_dump();
  __gcov_reset();
}

void __wrap_abort(void) {
  write_counts();
  __real_abort();
}

void __wrap__exit(int status) {
  write_counts();
  __real__exit(status);
}

int __wrap_sigaction(int number, const struct sigaction *wanted, struct sigaction *before) {
  if (wanted != NULL && wanted->sa_handler == SIG_DFL) write_counts();
  return __real_sigaction(number, wanted, before);
}
