/* Full/empty bits: states, waiting of every kind, order, deadlines, many words, misuse. */
#include "sync_support.h"

enum { CALLERS = 8, ROUNDS = 2000, WORDS = 20000 };

/* ---- states, without waiting ---- */

static void states(void) {
  uint64_t word = 7, out = 0;
  CHECK(weft_feb_is_full(&word)); /* never touched */
  IS_OK(weft_feb_read_ff(&word, &out));
  CHECK(out == 7 && weft_feb_is_full(&word));
  IS_OK(weft_feb_read_fe(&word, NULL));
  CHECK(!weft_feb_is_full(&word) && word == 7);
  out = 1;
  CHECK(weft_feb_try_read_ff(&word, &out) == WEFT_BUSY);
  CHECK(weft_feb_try_read_fe(&word, &out) == WEFT_BUSY);
  CHECK(weft_feb_read_ff_until(&word, weft_deadline_in(MILLISECOND), &out) == WEFT_TIMEOUT);
  CHECK(weft_feb_read_fe_until(&word, 0, &out) == WEFT_TIMEOUT);
  CHECK(out == 1); /* untouched on failure */
  IS_OK(weft_feb_write_ef(&word, 8));
  CHECK(weft_feb_is_full(&word) && word == 8);
  CHECK(weft_feb_try_write_ef(&word, 9) == WEFT_BUSY);
  CHECK(weft_feb_write_ef_until(&word, 9, weft_deadline_in(MILLISECOND)) == WEFT_TIMEOUT);
  CHECK(word == 8 && weft_feb_is_full(&word));
  IS_OK(weft_feb_write_f(&word, 10));
  IS_OK(weft_feb_try_read_ff(&word, &word)); /* into itself */
  IS_OK(weft_feb_try_read_fe(&word, &out));
  CHECK(out == 10);
  IS_OK(weft_feb_write_f(&word, 11));
  IS_OK(weft_feb_empty(&word));
  IS_OK(weft_feb_empty(&word));
  CHECK(!weft_feb_is_full(&word) && word == 11);
  IS_OK(weft_feb_try_write_ef(&word, 12));
  IS_OK(weft_feb_purge(&word));
  CHECK(!weft_feb_is_full(&word) && word == 0);
  IS_OK(weft_feb_fill(&word));
  IS_OK(weft_feb_fill(&word));
  CHECK(weft_feb_is_full(&word));
}

static void many_words(void) {
  uint64_t *words = calloc(WORDS, sizeof *words);
  CHECK(words != NULL);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < WORDS; ++i) IS_OK(weft_feb_empty(&words[i]));
    for (int i = 0; i < WORDS; i += 2) IS_OK(weft_feb_write_ef(&words[i], (uint64_t)i));
    for (int i = 0; i < WORDS; ++i) CHECK(weft_feb_is_full(&words[i]) == (i % 2 == 0));
    for (int i = 0; i < WORDS; ++i) IS_OK(weft_feb_fill(&words[i]));
  }
  for (int i = 0; i < WORDS; i += 2) CHECK(words[i] == (uint64_t)i);
  free(words);
}

/* ---- a word as a channel of one place ---- */

struct channel {
  uint64_t word;
  atomic_llong sent, received;
};

static weft_status send_or_receive_once(struct channel *channel, bool sends, uint64_t *value, uint64_t deadline) {
  if (sends) return weft_feb_write_ef_until(&channel->word, *value, deadline);
  return weft_feb_read_fe_until(&channel->word, deadline, value);
}

static void send_or_receive(void *argument, int index) {
  struct channel *channel = argument;
  const bool sends = index / 2 % 2 == 0;
  for (int i = 0; i < ROUNDS; ++i) {
    const uint64_t deadline = i % 2 == 0 ? WEFT_FOREVER : weft_deadline_in((uint64_t)(i % 7) * 10000);
    uint64_t value = (uint64_t)(i + index);
    weft_status end;
    while ((end = send_or_receive_once(channel, sends, &value, deadline)) == WEFT_TIMEOUT) breathe();
    IS_OK(end);
    atomic_fetch_add(sends ? &channel->sent : &channel->received, (long long)value);
  }
}

static void sums_agree(void) {
  struct channel channel = {.word = 0};
  IS_OK(weft_feb_empty(&channel.word));
  run_team(CALLERS, send_or_receive, &channel);
  CHECK(atomic_load(&channel.sent) == atomic_load(&channel.received));
  CHECK(!weft_feb_is_full(&channel.word));
  IS_OK(weft_feb_fill(&channel.word));
}

/* ---- a word as a lock ---- */

struct counted {
  uint64_t word;
  long count;
};

static void count_up(void *argument, int index) {
  (void)index;
  struct counted *shared = argument;
  for (int i = 0; i < ROUNDS; ++i) {
    IS_OK(weft_feb_read_fe(&shared->word, NULL));
    ++shared->count;
    IS_OK(weft_feb_fill(&shared->word));
  }
}

static void locks(void) {
  struct counted shared = {0, 0};
  run_team(CALLERS, count_up, &shared);
  CHECK(shared.count == (long)CALLERS * ROUNDS);
}

/* ---- one fill serves all that read, and one that takes ---- */

static void read_it(void *argument, int index) {
  uint64_t value = 0;
  if (index == 0) {
    IS_OK(weft_feb_read_fe(argument, &value));
  } else {
    IS_OK(weft_feb_read_ff(argument, &value));
  }
  CHECK(value == 5);
}

static void one_fill_serves_all(void) {
  uint64_t word = 0;
  IS_OK(weft_feb_empty(&word));
  struct team team;
  start_team(&team, CALLERS, read_it, &word);
  breathe();
  IS_OK(weft_feb_write_ef(&word, 5));
  /* A reader that comes after the taker waits for another value. */
  for (int i = 0; i < CALLERS; ++i) {
    while (atomic_load(&team.callers[i].has_ended) == 0) {
      const weft_status end = weft_feb_try_write_ef(&word, 5);
      CHECK(end == WEFT_OK || end == WEFT_BUSY);
      breathe();
    }
  }
  end_team(&team);
  IS_OK(weft_feb_fill(&word));
}

static void arguments(void) {
  uint64_t words[2] = {0, 0};
  uint64_t *odd = (uint64_t *)(void *)((char *)words + 4);
  uint64_t *const bad[] = {NULL, odd};
  for (int i = 0; i < 2; ++i) {
    CHECK(weft_feb_read_fe(bad[i], NULL) == WEFT_INVALID);
    CHECK(weft_feb_read_ff(bad[i], NULL) == WEFT_INVALID);
    CHECK(weft_feb_write_ef(bad[i], 0) == WEFT_INVALID);
    CHECK(weft_feb_write_f(bad[i], 0) == WEFT_INVALID);
    CHECK(weft_feb_read_fe_until(bad[i], 0, NULL) == WEFT_INVALID);
    CHECK(weft_feb_read_ff_until(bad[i], 0, NULL) == WEFT_INVALID);
    CHECK(weft_feb_write_ef_until(bad[i], 0, 0) == WEFT_INVALID);
    CHECK(weft_feb_try_read_fe(bad[i], NULL) == WEFT_INVALID);
    CHECK(weft_feb_try_read_ff(bad[i], NULL) == WEFT_INVALID);
    CHECK(weft_feb_try_write_ef(bad[i], 0) == WEFT_INVALID);
    CHECK(weft_feb_fill(bad[i]) == WEFT_INVALID);
    CHECK(weft_feb_empty(bad[i]) == WEFT_INVALID);
    CHECK(weft_feb_purge(bad[i]) == WEFT_INVALID);
    CHECK(!weft_feb_is_full(bad[i]));
  }
}

/* ---- with a runtime ---- */

struct line {
  uint64_t word;
  atomic_int served;
  int order[CALLERS];
};

static void take(void *argument, int index) {
  struct line *line = argument;
  uint64_t value = 0;
  IS_OK(weft_feb_read_fe(&line->word, &value));
  CHECK(value == (uint64_t)index); /* values come in the order of the waits for them */
  atomic_fetch_add(&line->served, 1);
}

static void put(void *argument, int index) {
  struct line *line = argument;
  IS_OK(weft_feb_write_ef(&line->word, (uint64_t)index));
}

static void first_come_first_served(void) {
  struct line line = {.word = 0};
  struct caller callers[CALLERS];
  IS_OK(weft_feb_empty(&line.word));
  for (int i = 0; i < CALLERS; ++i) {
    start_caller(&callers[i], true, take, &line, i);
    wait_until_blocked(&callers[i]);
  }
  for (int i = 0; i < CALLERS; ++i) IS_OK(weft_feb_write_ef(&line.word, (uint64_t)i));
  for (int i = 0; i < CALLERS; ++i) end_caller(&callers[i]);

  IS_OK(weft_feb_fill(&line.word));
  for (int i = 0; i < CALLERS; ++i) {
    start_caller(&callers[i], true, put, &line, i);
    wait_until_blocked(&callers[i]);
  }
  IS_OK(weft_feb_empty(&line.word)); /* the first writer fills it at once */
  CHECK(weft_feb_is_full(&line.word));
  for (uint64_t i = 0; i < CALLERS; ++i) {
    uint64_t value = 99;
    IS_OK(weft_feb_try_read_fe(&line.word, &value));
    CHECK(value == i);
  }
  for (int i = 0; i < CALLERS; ++i) end_caller(&callers[i]);
  IS_OK(weft_feb_fill(&line.word));
}

static weft_status read_in_tasklet(void *word) { return weft_feb_read_ff(word, NULL); }

static void tasklets(void) {
  uint64_t word = 0;
  IS_OK(in_tasklet(read_in_tasklet, &word));
  IS_OK(weft_feb_empty(&word));
  CHECK(in_tasklet(read_in_tasklet, &word) == WEFT_CANNOT_BLOCK);
  IS_OK(weft_feb_fill(&word));
}

static void anywhere(void) {
  states();
  many_words();
  sums_agree();
  locks();
  one_fill_serves_all();
  arguments();
}

static void with_runtime(void) {
  first_come_first_served();
  tasklets();
}

int main(void) { return run_phases(anywhere, with_runtime); }
