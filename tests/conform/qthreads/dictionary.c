/* qt_dictionary_*, and the hashes that one may give it. */
#include <qthread/dictionary.h>
#include <qthread/hash.h>

#include "check.h"
#include "tasks.h"

static int text_equals(void *a, void *b) { return strcmp(a, b) == 0; }
static int text_hash(void *text) { return (int)qt_hash_bytes(text, strlen(text), GOLDEN_RATIO); }
static int number_equals(void *a, void *b) { return a == b; }
static int number_hash(void *number) { return (int)(uintptr_t)number; }
static int poor_hash(void *number) { return (int)((uintptr_t)number % 3) - 1; } /* a negative one, too */

static void *number(uintptr_t value) { return (void *)value; }

static void puts_and_gets(void) {
  qt_dictionary *const d = qt_dictionary_create(text_equals, text_hash, NULL);
  CHECK(d != NULL);
  char key[] = "one", same[] = "one", other[] = "two";
  char first[] = "1", second[] = "2";
  CHECK(qt_dictionary_get(d, key) == NULL);
  CHECK(qt_dictionary_put(d, key, first) == first);
  CHECK(qt_dictionary_get(d, same) == first && qt_dictionary_get(d, other) == NULL);
  CHECK(qt_dictionary_put_if_absent(d, same, second) == first);
  CHECK(qt_dictionary_get(d, key) == first);
  CHECK(qt_dictionary_put(d, same, second) == second);
  CHECK(qt_dictionary_get(d, key) == second);
  CHECK(qt_dictionary_put_if_absent(d, other, first) == first);
  CHECK(qt_dictionary_get(d, other) == first);
  qt_dictionary_destroy(d);
}

static void a_put_replaces_the_key(void) {
  qt_dictionary *const d = qt_dictionary_create(text_equals, text_hash, NULL);
  char key[] = "one", same[] = "one";
  qt_dictionary_put(d, key, key);
  qt_dictionary_put(d, same, same);
  qt_dictionary_iterator *const it = qt_dictionary_iterator_create(d);
  const list_entry *const entry = qt_dictionary_iterator_next(it);
  CHECK(entry->key == same && entry->value == same);
  CHECK(qt_dictionary_iterator_next(it) == NULL);
  qt_dictionary_iterator_destroy(it);
  qt_dictionary_destroy(d);
}

static int cleaned, with_value;
static void clean(void *key, void *value) {
  CHECK(key != NULL);
  ++cleaned;
  if (value != NULL) ++with_value;
}

static void deletes(void) {
  qt_dictionary *const d = qt_dictionary_create(number_equals, number_hash, clean);
  cleaned = with_value = 0;
  for (uintptr_t i = 1; i <= 10; ++i) qt_dictionary_put(d, number(i), number(i * 10));
  qt_dictionary_put(d, number(4), number(41));
  CHECK(cleaned == 0);
  CHECK(qt_dictionary_delete(d, number(4)) == number(41));
  CHECK(cleaned == 1 && with_value == 0);
  CHECK(qt_dictionary_delete(d, number(4)) == NULL && qt_dictionary_delete(d, number(11)) == NULL);
  CHECK(cleaned == 1);
  CHECK(qt_dictionary_get(d, number(4)) == NULL && qt_dictionary_get(d, number(5)) == number(50));
  qt_dictionary_put(d, number(4), number(42));
  CHECK(qt_dictionary_get(d, number(4)) == number(42));
  qt_dictionary_destroy(d);
  CHECK(cleaned == 11 && with_value == 10);
}

/* The first, the last, and those between leave the list of all; what is left is found. */
static void deletes_anywhere(void) {
  enum { count = IS_SLOW ? 6 : 9 };
  for (unsigned gone = 0; gone < 1 << count; ++gone) {
    qt_dictionary *const d = qt_dictionary_create(number_equals, poor_hash, NULL);
    for (uintptr_t i = 0; i < count; ++i) qt_dictionary_put(d, number(i + 1), number(i + 100));
    for (uintptr_t i = 0; i < count; ++i)
      if (gone >> i & 1) CHECK(qt_dictionary_delete(d, number(i + 1)) == number(i + 100));
    qt_dictionary_put(d, number(count + 1), number(7));
    unsigned left = 0;
    qt_dictionary_iterator *const it = qt_dictionary_iterator_create(d);
    for (const list_entry *one; (one = qt_dictionary_iterator_next(it)) != NULL;) left |= 1U << ((uintptr_t)one->key - 1);
    CHECK(left == ((~gone & ((1 << count) - 1)) | 1 << count));
    qt_dictionary_iterator_destroy(it);
    qt_dictionary_destroy(d);
  }
}

static void many_entries(qt_dict_hash_f hash, uintptr_t count) {
  qt_dictionary *const d = qt_dictionary_create(number_equals, hash, NULL);
  for (uintptr_t i = 1; i <= count; ++i) CHECK(qt_dictionary_put(d, number(i), number(i + 1)) == number(i + 1));
  for (uintptr_t i = 1; i <= count; i += 2) CHECK(qt_dictionary_delete(d, number(i)) == number(i + 1));
  for (uintptr_t i = 1; i <= count; ++i) CHECK(qt_dictionary_get(d, number(i)) == (i % 2 == 0 ? number(i + 1) : NULL));
  uintptr_t found = 0;
  qt_dictionary_iterator *const it = qt_dictionary_iterator_create(d);
  for (const list_entry *one; (one = qt_dictionary_iterator_next(it)) != NULL; ++found)
    CHECK((uintptr_t)one->key % 2 == 0 && (uintptr_t)one->value == (uintptr_t)one->key + 1);
  CHECK(found == count / 2);
  qt_dictionary_iterator_destroy(it);
  qt_dictionary_destroy(d);
}
static void many_entries_spread(void) { many_entries(number_hash, 20000); }
static void many_entries_with_equal_hashes(void) { many_entries(poor_hash, 600); }

static void iterators(void) {
  qt_dictionary *const d = qt_dictionary_create(number_equals, number_hash, NULL);
  qt_dictionary_iterator *const empty = qt_dictionary_iterator_create(d);
  qt_dictionary_iterator *const end = qt_dictionary_end(d);
  CHECK(qt_dictionary_iterator_get(empty) == NULL);
  CHECK(!qt_dictionary_iterator_equals(empty, end));
  CHECK(qt_dictionary_iterator_next(empty) == NULL);
  CHECK(qt_dictionary_iterator_equals(empty, end));
  for (uintptr_t i = 1; i <= 3; ++i) qt_dictionary_put(d, number(i), number(i));
  qt_dictionary_iterator *const a = qt_dictionary_iterator_create(d);
  qt_dictionary_iterator *const b = qt_dictionary_iterator_create(d);
  for (int i = 0; i < 3; ++i) {
    CHECK(qt_dictionary_iterator_equals(a, b) && !qt_dictionary_iterator_equals(a, end));
    list_entry *const next = qt_dictionary_iterator_next(a);
    CHECK(next != NULL && qt_dictionary_iterator_get(a) == next);
    if (IS_WEFT) CHECK(next->key == number((uintptr_t)i + 1));
    CHECK(!qt_dictionary_iterator_equals(a, b));
    qt_dictionary_iterator *const copy = qt_dictionary_iterator_copy(a);
    CHECK(qt_dictionary_iterator_equals(a, copy) && qt_dictionary_iterator_get(copy) == next);
    qt_dictionary_iterator_destroy(copy);
    CHECK(qt_dictionary_iterator_next(b) == next);
  }
  CHECK(qt_dictionary_iterator_next(a) == NULL && qt_dictionary_iterator_get(a) == NULL);
  CHECK(qt_dictionary_iterator_next(a) == NULL);
  CHECK(qt_dictionary_iterator_equals(a, end));
  qt_dictionary_iterator_destroy(a);
  qt_dictionary_iterator_destroy(b);
  qt_dictionary_iterator_destroy(empty);
  qt_dictionary_iterator_destroy(end);
  qt_dictionary_destroy(d);
}

static void null_arguments(void) {
  CHECK((void *)qt_dictionary_iterator_create(NULL) == ERROR);
  CHECK((void *)qt_dictionary_iterator_next(NULL) == ERROR);
  CHECK((void *)qt_dictionary_iterator_get(NULL) == ERROR);
  CHECK(qt_dictionary_iterator_copy(NULL) == NULL);
  CHECK(qt_dictionary_iterator_equals(NULL, NULL));
  qt_dictionary_iterator_destroy(NULL);
#if IS_WEFT
  CHECK(qt_dictionary_end(NULL) == NULL);
  CHECK(qt_dictionary_create(NULL, number_hash, NULL) == NULL && qt_dictionary_create(number_equals, NULL, NULL) == NULL);
  qt_dictionary_destroy(NULL);
#endif
}

#if IS_WEFT
static void print(void *d) { qt_dictionary_printbuckets(d); }
#endif
static void prints_its_size(void) {
#if IS_WEFT /* Qthreads' library hides it */
  qt_dictionary *const d = qt_dictionary_create(number_equals, number_hash, NULL);
  for (uintptr_t i = 1; i <= 17; ++i) qt_dictionary_put(d, number(i), number(i));
  char *text = printed_by(print, d);
  CHECK(strcmp(text, "32 buckets, 17 entries\n") == 0);
  free(text);
  qt_dictionary_destroy(d);
#endif
}

/* ---- many callers ---- */

enum { rivals = 8, contested = 500 };
static qt_dictionary *shared;
static _Atomic(uintptr_t) next_rival;
static atomic_uint wins[contested];

static aligned_t put_what_is_absent(void *argument) {
  (void)argument;
  const uintptr_t me = atomic_fetch_add(&next_rival, 1) + 1;
  for (uintptr_t i = 0; i < contested; ++i) {
    void *const there = qt_dictionary_put_if_absent(shared, number(i + 1), number(me));
    if (there == number(me)) atomic_fetch_add(&wins[i], 1);
    CHECK(qt_dictionary_get(shared, number(i + 1)) == there);
    if (i % 50 == 0) qthread_yield();
  }
  return 0;
}

static void one_of_many_puts_wins(void) {
  shared = qt_dictionary_create(number_equals, number_hash, NULL);
  run_tasks(rivals, put_what_is_absent, NULL);
  for (int i = 0; i < contested; ++i) CHECK(atomic_load(&wins[i]) == 1);
  qt_dictionary_destroy(shared);
}

/* Each has keys of its own, in buckets of all. */
static void use_own_keys(void *argument) {
  (void)argument;
  const uintptr_t me = atomic_fetch_add(&next_rival, 1);
  for (uintptr_t round = 1; round <= 20; ++round) {
    for (uintptr_t i = 0; i < 50; ++i) qt_dictionary_put(shared, number(me * 50 + i + 1), number(round));
    for (uintptr_t i = 0; i < 50; ++i) CHECK(qt_dictionary_delete(shared, number(me * 50 + i + 1)) == number(round));
  }
}
static aligned_t task_uses_own_keys(void *argument) {
  use_own_keys(argument);
  return 0;
}

static void tasks_put_and_delete(void) {
#if IS_WEFT /* 1.23 frees entries at which others look */
  shared = qt_dictionary_create(number_equals, poor_hash, NULL);
  atomic_store(&next_rival, 0);
  run_tasks(rivals, task_uses_own_keys, NULL);
  run_outside(use_own_keys, NULL);
  qt_dictionary_iterator *const it = qt_dictionary_iterator_create(shared);
  CHECK(qt_dictionary_iterator_next(it) == NULL);
  qt_dictionary_iterator_destroy(it);
  qt_dictionary_destroy(shared);
#else
  (void)task_uses_own_keys;
#endif
}

/* ---- hashes ---- */

static int by_number(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a;
  const uint64_t second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

static void hashes_of_words(void) {
  enum { count = 10000 };
  static uint64_t hashes[count + 64];
  for (uint64_t i = 0; i < count; ++i) hashes[i] = qt_hash64(i);
  for (int bit = 0; bit < 64; ++bit) hashes[count + bit] = qt_hash64(UINT64_C(1) << bit ^ 0x5555555555555555);
  CHECK(qt_hash64(17) == hashes[17]);
  qsort(hashes, count + 64, sizeof(hashes[0]), by_number);
  for (int i = 1; i < count + 64; ++i) CHECK(hashes[i - 1] != hashes[i]);
}

static void hashes_of_bytes(void) {
  char text[40] = "the quick brown fox jumps over the dog";
  char shifted[48];
  uint64_t hashes[2 * sizeof(text)];
  for (size_t length = 0; length < sizeof(text); ++length) {
    const aligned_t hash = qt_hash_bytes(text, length, GOLDEN_RATIO);
    for (size_t by = 0; by < 8; ++by) {
      memcpy(shifted + by, text, length);
      CHECK(qt_hash_bytes(shifted + by, length, GOLDEN_RATIO) == hash);
    }
    hashes[2 * length] = hash;
    hashes[2 * length + 1] = qt_hash_bytes(text, length, hash);
  }
  qsort(hashes, 2 * sizeof(text), sizeof(hashes[0]), by_number);
  for (size_t i = 1; i < 2 * sizeof(text); ++i) CHECK(hashes[i - 1] != hashes[i]);
  for (size_t i = 0; i < sizeof(text); ++i) { /* every byte counts */
    const aligned_t hash = qt_hash_bytes(text, sizeof(text), 0);
    text[i] ^= 1;
    CHECK(qt_hash_bytes(text, sizeof(text), 0) != hash);
  }
  if (IS_WEFT) CHECK(qt_hash_bytes(NULL, 0, 1) != qt_hash_bytes(NULL, 0, 2));
}

int main(void) {
  OK(qthread_initialize());
  puts_and_gets();
  a_put_replaces_the_key();
  deletes();
  deletes_anywhere();
  many_entries_spread();
  many_entries_with_equal_hashes();
  iterators();
  null_arguments();
  prints_its_size();
  one_of_many_puts_wins();
  tasks_put_and_delete();
  hashes_of_words();
  hashes_of_bytes();
  qthread_finalize();
  return 0;
}
