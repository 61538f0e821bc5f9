/* The first stack of a size can be refused at its guard, when its memory is reserved already. The
 * next size, a larger one, is made as if that had not been. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { MADV_GUARD_INSTALL_ = 102 };

static bool is_refusing;

/* The C library's, but for guards while they are refused. */
int madvise(void *base, size_t bytes, int advice) {
  if (is_refusing && advice == MADV_GUARD_INSTALL_) {
    errno = ENOMEM;
    return -1;
  }
  return (int)syscall(SYS_madvise, base, bytes, advice);
}

static void use_stack(void *sum) {
  char some[100000];
  memset(some, 1, sizeof some);
  *(int *)sum += some[sizeof some / 2];
}

static weft_status make(size_t stack_bytes, void *sum, weft_thread **out) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = stack_bytes;
  return weft_thread_create(use_stack, sum, &attr, out);
}

int main(void) {
  enum { THREADS = 4 };
  weft_thread *threads[THREADS];
  int sum = 0;
  init_with(1);
  is_refusing = true;
  const weft_status result = make((size_t)1 << 20, &sum, &threads[0]);
  is_refusing = false;
  CHECK(result == WEFT_OK || result == WEFT_NOMEM); /* guards of another kind are not refused */
  if (result == WEFT_OK) OK(weft_thread_join(threads[0]));
  sum = 0;
  for (int i = 0; i < THREADS; ++i) OK(make((size_t)256 << 20, &sum, &threads[i]));
  for (int i = 0; i < THREADS; ++i) OK(weft_thread_join(threads[i]));
  CHECK(sum == THREADS);
  OK(weft_finalize());
  return 0;
}
