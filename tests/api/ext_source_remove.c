/* ext.h: an outside source that wants to remove itself. */
#include <weft/ext.h>

#include "check.h"

struct visitor {
  weft_source *source;
  atomic_int may_try;
  atomic_int tries;
  weft_status answer;
};

static size_t remove_it(void *state) {
  struct visitor *self = state;
  if (atomic_load(&self->may_try) == 0 || atomic_load(&self->tries) != 0) return 0;
  self->answer = weft_ext_source_remove(self->source);
  atomic_store(&self->tries, 1);
  return 0;
}

static size_t find_nothing(void *state) {
  (void)state;
  return 0;
}

static void not_by_its_own_poll(void) {
  struct visitor self = {.answer = WEFT_OK};
  OK(weft_ext_source_add(remove_it, &self, &self.source));
  atomic_store(&self.may_try, 1);
  weft_ext_source_notify(self.source);
  wait_for(&self.tries, 1);
  IS(WEFT_DEADLOCK, self.answer);
  OK(weft_ext_source_remove(self.source)); /* it is still there */
  IS(WEFT_INVALID, weft_ext_source_remove(self.source));
}

static void by_anothers_poll(void) {
  struct visitor self = {.answer = WEFT_BUSY};
  weft_source *remover = NULL;
  OK(weft_ext_source_add(find_nothing, NULL, &self.source));
  OK(weft_ext_source_add(remove_it, &self, &remover));
  atomic_store(&self.may_try, 1);
  weft_ext_source_notify(remover);
  wait_for(&self.tries, 1);
  OK(self.answer);
  OK(weft_ext_source_remove(remover));
}

static void all(void) {
  RUN(not_by_its_own_poll);
  RUN(by_anothers_poll);
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  return 0;
}
