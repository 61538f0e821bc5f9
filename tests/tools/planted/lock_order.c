/* Two transfers between two accounts, each locking the one that it takes from first: in opposite
 * orders. */
#include <weft/weft.h>

#include "../../../examples/must.h"

struct account {
  weft_mutex mutex;
  long balance;
};

static struct account accounts[2] = {{WEFT_MUTEX_INIT, 100}, {WEFT_MUTEX_INIT, 100}};

static void transfer(void *source) {
  struct account *const from = source;
  struct account *const to = from == &accounts[0] ? &accounts[1] : &accounts[0];
  must(weft_mutex_lock(&from->mutex));
  must(weft_mutex_lock(&to->mutex));
  from->balance -= 10;
  to->balance += 10;
  must(weft_mutex_unlock(&to->mutex));
  must(weft_mutex_unlock(&from->mutex));
}

int main(void) {
  must(weft_init(NULL));
  weft_thread *threads[2];
  for (int index = 0; index < 2; ++index) must(weft_thread_create(transfer, &accounts[index], NULL, &threads[index]));
  must(weft_thread_join_many(threads, 2));
  must(weft_finalize());
  return 0;
}
