/* ext.h: sources that one worker polls, and words of workers. */
#include <pthread.h>
#include <weft/ext.h>

#include "check.h"

enum { MESSAGES = IS_SLOW ? 20 : 200 };

/* ---- a source that one worker polls ---- */

struct mailbox {
  int worker; /* that may poll it */
  pthread_t os_thread;
  weft_semaphore arrived;
  atomic_int sent, taken;
  weft_source *source;
};

static void note_os_thread(void *argument) { *(pthread_t *)argument = pthread_self(); }

static size_t poll_mailbox(void *argument) {
  struct mailbox *box = argument;
  CHECK(weft_self() == NULL);
  CHECK(weft_worker_self() == box->worker && pthread_equal(pthread_self(), box->os_thread));
  const int came = atomic_load(&box->sent) - atomic_load(&box->taken);
  if (came == 0) return 0;
  atomic_fetch_add(&box->taken, came);
  OK(weft_semaphore_release(&box->arrived, (uint32_t)came));
  return (size_t)came;
}

static void open_at(struct mailbox *box, int worker) {
  *box = (struct mailbox){.worker = worker, .arrived = WEFT_SEMAPHORE_INIT(0)};
  OK(weft_thread_join(start_pinned(note_os_thread, &box->os_thread, worker)));
  OK(weft_ext_source_add_at((unsigned)worker, poll_mailbox, box, &box->source));
}

/* Threads wait on any worker; that worker sleeps between, or is kept by others that yield. */
static void is_polled_at(int worker, bool is_busy) {
  struct mailbox box;
  open_at(&box, worker);
  for (int i = 0; i < MESSAGES; ++i) {
    if (!is_busy && i % 20 == 0) OK(weft_sleep_ns(300 * MICROSECOND)); /* time to fall asleep */
    atomic_fetch_add(&box.sent, 1);
    if (!is_busy) {
      weft_ext_source_notify(box.source);
      OK(weft_semaphore_acquire(&box.arrived));
    } else {
      while (weft_semaphore_try_acquire(&box.arrived) == WEFT_BUSY) weft_yield();
    }
  }
  OK(weft_ext_source_remove(box.source));
  CHECK(atomic_load(&box.taken) == MESSAGES);
}

static void polled_at_each(void) {
  for (int worker = 0; worker < (int)weft_worker_count(); ++worker) is_polled_at(worker, false);
  is_polled_at(weft_worker_self(), true); /* the one that yields here */
}

static size_t poll_nothing(void *argument) {
  (void)argument;
  return 0;
}

static void refuses(void) {
  weft_source *out = NULL;
  IS(WEFT_INVALID, weft_ext_source_add_at(0, NULL, NULL, &out));
  IS(WEFT_INVALID, weft_ext_source_add_at(0, poll_nothing, NULL, NULL));
  IS(WEFT_INVALID, weft_ext_source_add_at(weft_worker_count(), poll_nothing, NULL, &out));
  IS(WEFT_INVALID, weft_ext_source_add_at(5000, poll_nothing, NULL, &out));
  IS(WEFT_INVALID, weft_ext_source_add_at(UINT32_MAX, poll_nothing, NULL, &out));
  CHECK(out == NULL);
}

/* A source keeps its worker; without room for one more nothing does. */
static void keeps_its_worker(void) {
  enum { MOST = 64 };
  unsigned added;
  OK(weft_worker_add(&added));
  weft_source *all[MOST], *out = NULL;
  for (int i = 0; i < MOST; ++i) OK(weft_ext_source_add(poll_nothing, NULL, &all[i]));
  IS(WEFT_AGAIN, weft_ext_source_add_at(added, poll_nothing, NULL, &out));
  for (int i = 0; i < MOST; ++i) OK(weft_ext_source_remove(all[i]));
  OK(weft_ext_source_add_at(added, poll_nothing, NULL, &out));
  IS(WEFT_BUSY, weft_worker_remove(added));
  OK(weft_ext_source_remove(out));
  OK(weft_worker_remove(added));
}

/* An OS thread that is adopted polls its own source while it waits. */
static void *polls_as_adopted(void *argument) {
  OK(weft_worker_adopt(NULL));
  struct mailbox box = {.worker = weft_worker_self(), .os_thread = pthread_self(), .arrived = WEFT_SEMAPHORE_INIT(0)};
  OK(weft_ext_source_add_at((unsigned)box.worker, poll_mailbox, &box, &box.source));
  IS(WEFT_BUSY, weft_worker_leave());
  for (int i = 0; i < MESSAGES; ++i) {
    atomic_fetch_add(&box.sent, 1);
    weft_ext_source_notify(box.source);
    OK(weft_semaphore_acquire(&box.arrived));
  }
  OK(weft_ext_source_remove(box.source));
  OK(weft_worker_leave());
  OK(weft_event_set(argument));
  return NULL;
}

static void polled_by_an_adopted_one(void) {
  weft_event has_left = WEFT_EVENT_INIT;
  pthread_t other;
  CHECK(pthread_create(&other, NULL, polls_as_adopted, &has_left) == 0);
  OK(weft_event_wait(&has_left));
  CHECK(pthread_join(other, NULL) == 0);
}

/* ---- words ---- */

enum { WORDS = 8 };
static unsigned numbers[WORDS];

static void reserves_words(void) {
  phase = "reserve";
  IS(WEFT_INVALID, weft_ext_worker_reserve(NULL));
  for (unsigned i = 0; i < WORDS; ++i) OK(weft_ext_worker_reserve(&numbers[i]));
  unsigned out = 77;
  IS(WEFT_INVALID, weft_ext_worker_reserve(&out));
  CHECK(out == 77);
  CHECK(weft_ext_worker_word(WEFT_ANY_WORKER, numbers[0]) == NULL && weft_ext_worker_word(0, numbers[0]) == NULL);
}

static void write_own(void *argument) {
  (void)argument;
  for (unsigned i = 0; i < WORDS; ++i) {
    uint64_t *const word = weft_ext_worker_word(WEFT_ANY_WORKER, numbers[i]);
    CHECK(word == weft_ext_worker_word(weft_worker_self(), numbers[i]));
    CHECK(*word == 0);
    *word = (uint64_t)weft_worker_self() * 100 + i + 1;
  }
}

static void *looks_outside(void *argument) {
  (void)argument;
  CHECK(weft_ext_worker_word(WEFT_ANY_WORKER, numbers[0]) == NULL);
  return weft_ext_worker_word(0, numbers[0]);
}

static void words_are_the_workers(void) {
  unsigned out = 77;
  IS(WEFT_BUSY, weft_ext_worker_reserve(&out));
  unsigned added;
  OK(weft_worker_add(&added));
  const int count = (int)weft_worker_count();
  for (int worker = 0; worker < count; ++worker) OK(weft_thread_join(start_pinned(write_own, NULL, worker)));
  for (int worker = 0; worker < count; ++worker) {
    for (unsigned i = 0; i < WORDS; ++i) {
      CHECK(*weft_ext_worker_word(worker, numbers[i]) == (uint64_t)worker * 100 + i + 1);
    }
  }
  const int bad[] = {-2, count, 1023, 1024, 5000}; /* 1024 workers are the most */
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) CHECK(weft_ext_worker_word(bad[i], numbers[0]) == NULL);
  CHECK(weft_ext_worker_word(0, WORDS) == NULL && weft_ext_worker_word(0, UINT32_MAX) == NULL);
  OK(weft_worker_remove(added)); /* the next one in its place begins with zeros */
  OK(weft_worker_add(&added));
  OK(weft_thread_join(start_pinned(write_own, NULL, (int)added)));
  OK(weft_worker_remove(added));
  pthread_t other;
  void *seen;
  CHECK(pthread_create(&other, NULL, looks_outside, NULL) == 0);
  CHECK(pthread_join(other, &seen) == 0);
  CHECK(seen == weft_ext_worker_word(0, numbers[0]));
}

static void all(void) {
  RUN(refuses);
  RUN(polled_at_each);
  RUN(keeps_its_worker);
  RUN(polled_by_an_adopted_one);
  RUN(words_are_the_workers);
}

int main(void) {
  weft_source *out = NULL;
  IS(WEFT_NOT_INITIALIZED, weft_ext_source_add_at(0, poll_nothing, NULL, &out));
  IS(WEFT_NOT_INITIALIZED, weft_ext_source_add_at(5000, poll_nothing, NULL, &out));
  reserves_words();
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  return 0;
}
