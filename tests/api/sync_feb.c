/* Full/empty bits: states, waiting of every kind, order, deadlines, many words, misuse. */
#include <string.h>

#include "full_empty_support.h"

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

static weft_status read_fe(void *word, uint64_t *out) { return weft_feb_read_fe(word, out); }
static weft_status read_ff(void *word, uint64_t *out) { return weft_feb_read_ff(word, out); }
static weft_status read_xx(void *word, uint64_t *out) { return weft_feb_read_xx(word, out); }
static weft_status write_ef(void *word, uint64_t *out) { return (void)out, weft_feb_write_ef(word, WRITTEN); }
static weft_status write_ff(void *word, uint64_t *out) { return (void)out, weft_feb_write_ff(word, WRITTEN); }
static weft_status write_f(void *word, uint64_t *out) { return (void)out, weft_feb_write_f(word, WRITTEN); }
static weft_status read_fe_until(void *word, uint64_t *out) { return weft_feb_read_fe_until(word, 0, out); }
static weft_status read_ff_until(void *word, uint64_t *out) { return weft_feb_read_ff_until(word, 0, out); }
static weft_status write_ef_until(void *word, uint64_t *out) { return (void)out, weft_feb_write_ef_until(word, WRITTEN, 0); }
static weft_status write_ff_until(void *word, uint64_t *out) { return (void)out, weft_feb_write_ff_until(word, WRITTEN, 0); }
static weft_status try_read_fe(void *word, uint64_t *out) { return weft_feb_try_read_fe(word, out); }
static weft_status try_read_ff(void *word, uint64_t *out) { return weft_feb_try_read_ff(word, out); }
static weft_status try_write_ef(void *word, uint64_t *out) { return (void)out, weft_feb_try_write_ef(word, WRITTEN); }
static weft_status try_write_ff(void *word, uint64_t *out) { return (void)out, weft_feb_try_write_ff(word, WRITTEN); }
static weft_status fill(void *word, uint64_t *out) { return (void)out, weft_feb_fill(word); }
static weft_status empty(void *word, uint64_t *out) { return (void)out, weft_feb_empty(word); }
static weft_status purge(void *word, uint64_t *out) { return (void)out, weft_feb_purge(word); }
static weft_status purge_to(void *word, uint64_t *out) { return (void)out, weft_feb_purge_to(word, WRITTEN); }
static weft_status forget(void *word, uint64_t *out) { return (void)out, weft_feb_forget(word, sizeof(uint64_t)); }

static const struct operation operations[] = {
    {"read_fe", read_fe, FOR_FULL, WEFT_CANNOT_BLOCK, EMPTY, BEFORE, true},
    {"read_ff", read_ff, FOR_FULL, WEFT_CANNOT_BLOCK, FULL, BEFORE, true},
    {"read_xx", read_xx, FOR_ANY, WEFT_OK, AS_IT_WAS, BEFORE, true},
    {"write_ef", write_ef, FOR_EMPTY, WEFT_CANNOT_BLOCK, FULL, WRITTEN, false},
    {"write_ff", write_ff, FOR_FULL, WEFT_CANNOT_BLOCK, FULL, WRITTEN, false},
    {"write_f", write_f, FOR_ANY, WEFT_OK, FULL, WRITTEN, false},
    {"read_fe_until", read_fe_until, FOR_FULL, WEFT_TIMEOUT, EMPTY, BEFORE, true},
    {"read_ff_until", read_ff_until, FOR_FULL, WEFT_TIMEOUT, FULL, BEFORE, true},
    {"write_ef_until", write_ef_until, FOR_EMPTY, WEFT_TIMEOUT, FULL, WRITTEN, false},
    {"write_ff_until", write_ff_until, FOR_FULL, WEFT_TIMEOUT, FULL, WRITTEN, false},
    {"try_read_fe", try_read_fe, FOR_FULL, WEFT_BUSY, EMPTY, BEFORE, true},
    {"try_read_ff", try_read_ff, FOR_FULL, WEFT_BUSY, FULL, BEFORE, true},
    {"try_write_ef", try_write_ef, FOR_EMPTY, WEFT_BUSY, FULL, WRITTEN, false},
    {"try_write_ff", try_write_ff, FOR_FULL, WEFT_BUSY, FULL, WRITTEN, false},
    {"fill", fill, FOR_ANY, WEFT_OK, FULL, BEFORE, false},
    {"empty", empty, FOR_ANY, WEFT_OK, EMPTY, BEFORE, false},
    {"purge", purge, FOR_ANY, WEFT_OK, EMPTY, 0, false},
    {"purge_to", purge_to, FOR_ANY, WEFT_OK, EMPTY, WRITTEN, false},
    {"forget", forget, FOR_ANY, WEFT_OK, FULL, BEFORE, false},
};

static void make_word(void *object, bool is_full) {
  uint64_t *word = object;
  *word = BEFORE;
  IS_OK(is_full ? weft_feb_fill(word) : weft_feb_empty(word));
}

static bool word_is_full(void *word) { return weft_feb_is_full(word); }
static uint64_t value_of_word(void *word) { return *(uint64_t *)word; }

static void every_operation_in_each_state(void) {
  uint64_t word;
  struct full_empty of = {&word, make_word, word_is_full, value_of_word, operations, sizeof operations / sizeof *operations};
  check_operations_everywhere(&of);
}

/* ---- ranges that are forgotten ---- */

static void forgets_ranges(void) {
  uint64_t *words = calloc(WORDS, sizeof *words);
  CHECK(words != NULL);
  for (int i = 0; i < WORDS; ++i) IS_OK(weft_feb_empty(&words[i]));
  IS_OK(weft_feb_forget(&words[3], 0));
  CHECK(!weft_feb_is_full(&words[3]));
  /* a short range, of whose first and last word one byte is in it */
  IS_OK(weft_feb_forget((char *)&words[3] + 7, 1 + 8 + 1));
  for (int i = 0; i < 8; ++i) CHECK(weft_feb_is_full(&words[i]) == (i >= 3 && i <= 5));
  /* the longest that is looked up word by word, and the shortest that is not */
  IS_OK(weft_feb_forget(&words[100], (size_t)256 * 8));
  IS_OK(weft_feb_forget(&words[500], (size_t)257 * 8));
  for (int i = 6; i < WORDS; ++i) CHECK(weft_feb_is_full(&words[i]) == ((i >= 100 && i < 356) || (i >= 500 && i < 757)));
  IS_OK(weft_feb_forget(words, WORDS * sizeof *words));
  for (int i = 0; i < WORDS; ++i) CHECK(weft_feb_is_full(&words[i]) && words[i] == 0);
  CHECK(weft_feb_forget(NULL, 8) == WEFT_INVALID);
  CHECK(weft_feb_forget(words, SIZE_MAX) == WEFT_INVALID);
  free(words);
  IS_OK(weft_feb_forget((void *)(UINTPTR_MAX - 15), 16));
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

static void write_five(void *argument, int index) {
  (void)index;
  IS_OK(weft_feb_write_ef(argument, 5));
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

/* ---- overwriting ---- */

static void overwrite_or_read(void *argument, int index) {
  if (index % 2 == 0) {
    IS_OK(weft_feb_write_ff(argument, 6));
  } else {
    uint64_t value = 0;
    IS_OK(weft_feb_read_ff(argument, &value));
    CHECK(value == 5 || value == 6);
  }
}

/* All go on by one fill, and the word stays full. */
static void one_fill_lets_all_overwrite(void) {
  uint64_t word = 0;
  IS_OK(weft_feb_empty(&word));
  struct team team;
  start_team(&team, CALLERS, overwrite_or_read, &word);
  breathe();
  IS_OK(weft_feb_write_ef(&word, 5));
  end_team(&team);
  CHECK(word == 6 && weft_feb_is_full(&word));
}

static void arguments(void) {
  uint64_t words[2] = {0, 0};
  uint64_t *odd = (uint64_t *)(void *)((char *)words + 4);
  uint64_t *const bad[] = {NULL, odd};
  for (int i = 0; i < 2; ++i) {
    CHECK(weft_feb_read_fe(bad[i], NULL) == WEFT_INVALID);
    CHECK(weft_feb_read_ff(bad[i], NULL) == WEFT_INVALID);
    CHECK(weft_feb_write_ef(bad[i], 0) == WEFT_INVALID);
    CHECK(weft_feb_write_ff(bad[i], 0) == WEFT_INVALID);
    CHECK(weft_feb_write_f(bad[i], 0) == WEFT_INVALID);
    CHECK(weft_feb_read_xx(bad[i], NULL) == WEFT_INVALID);
    CHECK(weft_feb_write_ff_until(bad[i], 0, 0) == WEFT_INVALID);
    CHECK(weft_feb_try_write_ff(bad[i], 0) == WEFT_INVALID);
    CHECK(weft_feb_purge_to(bad[i], 0) == WEFT_INVALID);
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

static void overwrite_in_turn(void *argument, int index) {
  struct line *line = argument;
  IS_OK(weft_feb_write_ff(&line->word, (uint64_t)index));
}

static void read_the_last(void *argument, int index) {
  struct line *line = argument;
  uint64_t value = 0;
  IS_OK(index % 2 == 0 ? weft_feb_read_ff(&line->word, &value) : weft_feb_read_fe(&line->word, &value));
  CHECK(value == CALLERS - 3); /* what the last that overwrites has written, although it came later */
}

/* Those that overwrite go before those that read and take, each kind in its order. */
static void those_that_overwrite_go_first(void) {
  struct line line = {.word = 0};
  struct caller callers[CALLERS];
  IS_OK(weft_feb_empty(&line.word));
  for (int i = 0; i < CALLERS; ++i) {
    const bool overwrites = i > 0 && i < CALLERS - 2;
    start_caller(&callers[i], true, overwrites ? overwrite_in_turn : read_the_last, &line, i);
    wait_until_blocked(&callers[i]);
  }
  IS_OK(weft_feb_write_ef(&line.word, 77));
  for (int i = 0; i < CALLERS; ++i) end_caller(&callers[i]);
  CHECK(line.word == CALLERS - 3 && !weft_feb_is_full(&line.word));
  IS_OK(weft_feb_fill(&line.word));
}

static void overwrite_with_deadline(void *argument, int index) {
  (void)index;
  CHECK(weft_feb_write_ff_until(argument, 9, weft_deadline_in(MILLISECOND)) == WEFT_TIMEOUT);
}

static void gives_up_to_overwrite(void) {
  uint64_t word = 3;
  IS_OK(weft_feb_empty(&word));
  run_team(2, overwrite_with_deadline, &word);
  CHECK(word == 3 && !weft_feb_is_full(&word));
  IS_OK(weft_feb_fill(&word));
  CHECK(word == 3);
}

/* A word at which a caller waits keeps its state; the others of the range do not. */
static void forgets_no_word_that_is_awaited(void) {
  uint64_t *words = calloc(WORDS, sizeof *words);
  CHECK(words != NULL);
  for (int awaited = 10; awaited < WORDS; awaited += WORDS - 20) {
    struct caller one;
    for (int i = 0; i < WORDS; ++i) IS_OK(weft_feb_empty(&words[i]));
    start_caller(&one, true, read_it, &words[awaited], 1);
    wait_until_blocked(&one);
    CHECK(weft_feb_forget(&words[awaited - 2], (size_t)5 * 8) == WEFT_BUSY);
    CHECK(weft_feb_forget(words, WORDS * sizeof *words) == WEFT_BUSY);
    CHECK(strstr(weft_last_error(), "a caller waits at word 0x") != NULL);
    for (int i = 0; i < WORDS; ++i) CHECK(weft_feb_is_full(&words[i]) == (i != awaited));
    IS_OK(weft_feb_write_ef(&words[awaited], 5));
    end_caller(&one);
    IS_OK(weft_feb_forget(words, WORDS * sizeof *words));
  }
  struct caller writer;
  start_caller(&writer, true, write_five, words, 0);
  wait_until_blocked(&writer);
  CHECK(weft_feb_forget(words, 8) == WEFT_BUSY);
  IS_OK(weft_feb_purge_to(words, 4));
  end_caller(&writer);
  CHECK(words[0] == 5 && weft_feb_is_full(words));
  free(words);
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
  every_operation_in_each_state();
  forgets_ranges();
  many_words();
  sums_agree();
  locks();
  one_fill_serves_all();
  one_fill_lets_all_overwrite();
  arguments();
}

static void with_runtime(void) {
  first_come_first_served();
  those_that_overwrite_go_first();
  gives_up_to_overwrite();
  forgets_no_word_that_is_awaited();
  tasklets();
}

int main(void) { return run_phases(anywhere, with_runtime); }
