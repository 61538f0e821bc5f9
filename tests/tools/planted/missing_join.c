/* The sum is read when the log has been written, which usually takes longer, but the thread that
 * makes the sum has not been joined. */
#include <weft/weft.h>

#include "../../../examples/must.h"

static weft_mutex mutex = WEFT_MUTEX_INIT;
static int sum;
static bool is_summed;

static void add_up(void *unused) {
  (void)unused;
  for (int number = 1; number <= 4; ++number) {
    must(weft_mutex_lock(&mutex));
    sum += number;
    must(weft_mutex_unlock(&mutex));
  }
  is_summed = true;
}

static void write_log(void *unused) {
  (void)unused;
  for (int line = 0; line < 2; ++line) weft_yield();
}

int main(void) {
  must(weft_init(NULL));
  weft_thread *summing = NULL;
  weft_thread *logging = NULL;
  must(weft_thread_create(add_up, NULL, NULL, &summing));
  must(weft_thread_create(write_log, NULL, NULL, &logging));
  must(weft_thread_join(logging));
  bool const is_right = is_summed && sum == 10;
  if (!is_right) fprintf(stderr, "the sum is %d\n", sum);
  must(weft_thread_join(summing));
  must(weft_finalize());
  return is_right ? 0 : 1;
}
