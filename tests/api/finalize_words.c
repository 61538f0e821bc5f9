/* Words at which threads waited that weft_finalize_with(WEFT_DROP) dropped: they are initialised
 * anew, used as they are, or their memory becomes other words. */
#include <string.h>
#include <weft/feb.h>
#include <weft/syncvar.h>

#include "await_support.h"
#include "check.h"
#include "drop_support.h"

enum { WORDS = IS_SLOW ? 600 : 2000 }; /* several in a chain of the table */

union word {
  weft_syncvar variable;
  uint64_t plain;
};
static union word words[WORDS];

static bool starts_empty(int each) { return each % 3 != 0; }
static void initialise(void) {
  for (int each = 0; each < WORDS; ++each) {
    words[each].variable = (weft_syncvar)WEFT_SYNCVAR_INIT(each);
    if (starts_empty(each)) words[each].variable = (weft_syncvar)WEFT_SYNCVAR_EMPTY_INIT;
  }
}

static void wait_for_the_other_state(void *argument) {
  union word *const mine = argument;
  arrive();
  if (starts_empty((int)(mine - words)))
    OK(weft_syncvar_read_ff(&mine->variable, NULL));
  else
    OK(weft_syncvar_write_ef(&mine->variable, 7));
  add_one(&passed);
}

static void all_wait(void) {
  for (int each = 0; each < WORDS; ++each) OK(weft_thread_detach(start(wait_for_the_other_state, &words[each])));
  wait_at_least(&arrived, WORDS);
}

static void drop_all_that_wait(void) {
  prepare_objects();
  initialise();
  init_with(2);
  all_wait();
  drop();
  CHECK(lines_with("weft: dropped ") == 1);
}

static void memory_becomes_other_words(void) {
  phase = "other words";
  drop_all_that_wait();
  memset(words, 0, sizeof words);
  for (int each = 0; each < WORDS; ++each) CHECK(weft_feb_is_full(&words[each].plain));
}

static void initialised_anew(void) {
  phase = "initialised anew";
  drop_all_that_wait();
  prepare_objects();
  atomic_store(&passed, 0);
  initialise();
  init_with(2);
  all_wait();
  for (int each = 0; each < WORDS; ++each) {
    if (starts_empty(each))
      OK(weft_syncvar_write_ef(&words[each].variable, 8));
    else
      OK(weft_syncvar_read_fe(&words[each].variable, NULL));
  }
  OK(weft_finalize());
  CHECK(atomic_load(&passed) == WORDS);
}

/* ---- each operation at a word that is as the drop left it ---- */

static weft_syncvar *variable_at(int each) { return &words[each].variable; }

static void used_as_they_are(void) {
  phase = "as they are";
  drop_all_that_wait();
  init_with(1);
  uint64_t value = 0;
  struct wait mine;
  for (int full = 0; full + 2 < WORDS; full += 3) {
    weft_syncvar *const one = variable_at(full), *const empty = variable_at(full + 1), *const other = variable_at(full + 2);
    CHECK(weft_syncvar_is_full(one) && !weft_syncvar_is_full(empty));
    switch (full / 3 % 8) {
      case 0:
        OK(weft_syncvar_read_fe(one, &value));
        OK(weft_syncvar_write_ef(empty, 5));
        break;
      case 1:
        OK(weft_syncvar_read_ff(one, &value));
        OK(weft_syncvar_empty(one));
        OK(weft_syncvar_write_f(empty, 5));
        break;
      case 2:
        OK(weft_syncvar_purge(one));
        OK(weft_syncvar_fill(empty));
        break;
      case 3:
        OK(weft_syncvar_write_ff(one, 5));
        OK(weft_syncvar_empty(one));
        OK(weft_syncvar_add_f(empty, 5, &value));
        break;
      case 4:
        IS(WEFT_BUSY, weft_syncvar_try_write_ef(one, 5));
        OK(weft_syncvar_try_read_fe(one, NULL));
        IS(WEFT_BUSY, weft_syncvar_try_read_ff(empty, NULL));
        OK(weft_syncvar_try_write_ef(empty, 5));
        break;
      case 5:
        IS(WEFT_TIMEOUT, weft_syncvar_write_ef_until(one, 5, weft_deadline_in(MICROSECOND)));
        OK(weft_syncvar_purge_to(one, 5));
        IS(WEFT_TIMEOUT, weft_syncvar_read_fe_until(empty, weft_deadline_in(MICROSECOND), NULL));
        OK(weft_syncvar_write_ef(empty, 5));
        break;
      case 6:
        prepare(&mine, WEFT_AWAIT_SYNCVAR_WRITE);
        CHECK(arm(&mine, one, WEFT_AWAIT_SYNCVAR_WRITE) && mine.calls == 0);
        OK(weft_syncvar_read_fe(one, &value));
        CHECK(value == (uint64_t)full && mine.calls == 1);
        OK(weft_syncvar_empty(one));
        OK(weft_syncvar_write_ef(empty, 5));
        break;
      default:
        prepare(&mine, WEFT_AWAIT_SYNCVAR_TAKE);
        CHECK(!arm(&mine, one, WEFT_AWAIT_SYNCVAR_TAKE) && mine.awaiter.value == (uint64_t)full);
        OK(weft_syncvar_fill(empty));
    }
    CHECK(!weft_syncvar_is_full(one) && weft_syncvar_is_full(empty) && !weft_syncvar_is_full(other));
  }
  OK(weft_finalize());
}

int main(void) {
  listen_to_library();
  memory_becomes_other_words();
  initialised_anew();
  atomic_store(&passed, 0);
  used_as_they_are();
  CHECK(atomic_load(&passed) == 0);
  return 0;
}
