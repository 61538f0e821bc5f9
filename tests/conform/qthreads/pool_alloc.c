/* qpool_* and qalloc_*. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <qthread/qalloc.h>
#include <qthread/qpool.h>

#include "check.h"
#include "tasks.h"

/* A task may go on on another OS thread: compilers keep the address of errno. */
__attribute__((noinline)) static void clear_errno(void) { errno = 0; }
__attribute__((noinline)) static int errno_now(void) { return errno; }

/* ---- pools ---- */

static int by_address(const void *a, const void *b) {
  const uintptr_t first = *(const uintptr_t *)a;
  const uintptr_t second = *(const uintptr_t *)b;
  return (first > second) - (first < second);
}

static void items_of(qpool *pool, size_t size, size_t alignment, size_t count) {
  CHECK(pool != NULL);
  uintptr_t *items = calloc(count, sizeof(uintptr_t));
  CHECK(items != NULL);
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < count; ++i) {
      void *item = qpool_alloc(pool);
      CHECK(item != NULL && (uintptr_t)item % alignment == 0);
      memset(item, 0xa5, size);
      items[i] = (uintptr_t)item;
    }
    qsort(items, count, sizeof(items[0]), by_address);
    for (size_t i = 1; i < count; ++i) CHECK(items[i] - items[i - 1] >= size);
    for (size_t i = 0; i < count; ++i) qpool_free(pool, (void *)items[i]);
  }
  qpool_destroy(pool);
  free(items);
}

static void pools_of_many_sizes(void) {
  static const size_t sizes[] = {8, 24, 48, 100, 1000, 5000};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
    items_of(qpool_create(sizes[i]), sizes[i], 8, 3000);
    if (IS_WEFT) items_of(qpool_create(sizes[i]), sizes[i], sizes[i] < 16 ? 8 : 16, 100);
    items_of(qpool_create_aligned(sizes[i], 64), sizes[i], 64, 500);
  }
  if (!IS_WEFT) return;
  items_of(qpool_create(1), 1, 8, 10000);
  items_of(qpool_create(0), 1, 8, 10);
  items_of(qpool_create_aligned(40, 4096), 40, 4096, 50);
  items_of(qpool_create((size_t)1 << 20), (size_t)1 << 20, 16, 20);
}

static void a_freed_item_comes_again(void) {
  qpool *const pool = qpool_create(32);
  void *const item = qpool_alloc(pool);
  qpool_free(pool, item);
  bool came = false;
  for (int i = 0; i < 10000 && !came; ++i) came = qpool_alloc(pool) == item;
  CHECK(came);
  qpool_destroy(pool);
}

static void bad_pools(void) {
#if IS_WEFT
  CHECK(qpool_create_aligned(8, 24) == NULL);
  CHECK(qpool_create(SIZE_MAX) == NULL && qpool_create_aligned(8, (size_t)1 << 63) == NULL);
  qpool *const pool = qpool_create((size_t)1 << 61); /* no chunk of them fits */
  CHECK(pool == NULL || qpool_alloc(pool) == NULL);
  qpool_free(pool, NULL);
  qpool_destroy(pool);
  qpool_destroy(NULL);
#endif
}

enum { held = 40, rounds = IS_SLOW ? 20 : 200 };

/* No item has two holders. */
static void hold_items(void *pool) {
  unsigned *items[held];
  unsigned mark;
  for (int round = 0; round < rounds; ++round) {
    mark = (unsigned)(uintptr_t)&items + (unsigned)round;
    for (int i = 0; i < held; ++i) {
      items[i] = qpool_alloc(pool);
      CHECK(items[i] != NULL);
      items[i][5] = mark + (unsigned)i;
    }
    if (round % 10 == 0) qthread_yield();
    for (int i = 0; i < held; ++i) {
      CHECK(items[i][5] == mark + (unsigned)i);
      qpool_free(pool, items[i]);
    }
  }
}
static aligned_t hold_items_in_task(void *pool) {
  hold_items(pool);
  return 0;
}

static void tasks_share_a_pool(void) {
  qpool *const pool = qpool_create(24);
  run_tasks(8, hold_items_in_task, pool);
  if (IS_WEFT) run_outside(hold_items, pool);
  qpool_destroy(pool);
}

/* ---- maps ---- */

static char folder[] = "/tmp/conform_qthreads_XXXXXX";
static char name[2][sizeof(folder) + 16];
enum { bytes = 1 << 20 };

static void make_names(void) {
  CHECK(mkdtemp(folder) != NULL);
  for (int i = 0; i < 2; ++i) snprintf(name[i], sizeof(name[i]), "%s/map%d", folder, i);
}

static void remove_files(void) {
  for (int i = 0; i < 2; ++i) CHECK(unlink(name[i]) == 0 || errno_now() == ENOENT);
}

static void maps_of_both_kinds(void) {
  void *const fixed = qalloc_makestatmap(bytes, NULL, name[0], 40, 3);
  void *const any = qalloc_makedynmap(bytes, NULL, name[1], 3);
  CHECK(fixed != NULL && any != NULL);
  enum { count = 40 }; /* 1.23 has trouble with more */
  char *pieces[count];
  for (int i = 0; i < count; ++i) {
    switch (i % 4) {
      case 0: pieces[i] = qalloc_statmalloc(fixed); break;
      case 1: pieces[i] = qalloc_malloc(fixed, 1); break;
      case 2: pieces[i] = qalloc_dynmalloc(any, 40); break;
      default: pieces[i] = qalloc_malloc(any, 40);
    }
    CHECK(pieces[i] != NULL && (uintptr_t)pieces[i] % (IS_WEFT ? i % 4 < 2 ? 8 : 16 : 1) == 0);
    memset(pieces[i], i, 40);
  }
  qalloc_checkpoint();
  for (int i = 0; i < count; ++i) {
    for (int byte = 0; byte < 40; ++byte) CHECK(pieces[i][byte] == i);
    qalloc_free(pieces[i], i % 4 < 2 ? fixed : any);
  }
  void *const again = qalloc_malloc(fixed, 40);
  CHECK(again != NULL);
  struct stat about;
  CHECK(stat(name[0], &about) == 0 && about.st_size == bytes);
  qalloc_cleanup();
  remove_files();
}

#if IS_WEFT /* what follows is hidden in Qthreads' library, or ends the program there */

struct node {
  struct node *next;
  int value;
};

static void a_map_is_found_as_it_was(void) {
  for (int dynamic = 0; dynamic < 2; ++dynamic) {
    void *map =
        dynamic ? qalloc_makedynmap(bytes, NULL, name[0], 1) : qalloc_makestatmap(bytes, NULL, name[0], sizeof(struct node), 1);
    CHECK(map != NULL);
    struct node *first = NULL;
    for (int i = 0; i < 100; ++i) {
      struct node *const made = qalloc_malloc(map, sizeof(struct node));
      *made = (struct node){first, i};
      first = made;
    }
    struct node *const freed = first;
    first = first->next;
    qalloc_free(freed, map);
    for (int way = 0; way < 3; ++way) {
      qalloc_cleanup();
      if (way < 2) {
        map = qalloc_loadmap(name[0]);
      } else if (dynamic) {
        map = qalloc_makedynmap(bytes, NULL, name[0], 1);
      } else {
        map = qalloc_makestatmap(bytes, NULL, name[0], sizeof(struct node), 1);
      }
      CHECK(map != NULL);
      int expected = 98;
      for (const struct node *one = first; one != NULL; one = one->next) CHECK(one->value == expected--);
      CHECK(expected == -1);
    }
    CHECK(qalloc_malloc(map, sizeof(struct node)) == freed);
    qalloc_cleanup();
    remove_files();
  }
}

/* The program again, with the file's name and the address of the first node. */
static int main_of_another_process(const char *file, const char *address) {
  if (qalloc_loadmap(file) == NULL) return 2;
  const struct node *const first = (const struct node *)(uintptr_t)strtoull(address, NULL, 16);
  const int value = first->next->value * 100 + first->value;
  qalloc_cleanup();
  return value == 708 ? 0 : 1;
}

#if !IS_SLOW /* under ThreadSanitizer other OS threads may take a map's place; an emulator is another program */
static void another_process_finds_it(void) {
  struct node *nodes[2];
  void *const map = qalloc_makedynmap(bytes, NULL, name[0], 1);
  for (int i = 0; i < 2; ++i) nodes[i] = qalloc_malloc(map, sizeof(struct node));
  *nodes[0] = (struct node){nodes[1], 8};
  *nodes[1] = (struct node){NULL, 7};
#if defined(__x86_64__) /* 1 TiB from where the system places memory */
  void *const large = malloc(1 << 22);
  CHECK(llabs((long long)((uintptr_t)nodes[0] - (uintptr_t)large)) > 1LL << 40);
  free(large);
#endif
  char command[300];
  snprintf(command, sizeof(command), "\"$(readlink /proc/%d/exe)\" %s %llx", (int)getpid(), name[0],
           (unsigned long long)(uintptr_t)nodes[0]);
  qalloc_cleanup();
  CHECK(system(command) == 0);
  remove_files();
}
#endif

/* All that was handed out comes back, in any order, and is one piece again. */
static void pieces_are_joined_again(void) {
  void *const map = qalloc_makedynmap(bytes, NULL, name[0], 1);
  void *const largest = qalloc_malloc(map, bytes - 4096);
  CHECK(largest != NULL && qalloc_malloc(map, 4096) == NULL);
  qalloc_dynfree(largest, map);
  enum { count = 500 };
  static unsigned char *pieces[count];
  static size_t sizes[count];
  unsigned seed = 7;
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < count; ++i) {
      seed = seed * 1103515245 + 12345;
      if (pieces[i] != NULL) {
        for (size_t byte = 0; byte < sizes[i]; ++byte) CHECK(pieces[i][byte] == (unsigned char)i);
        qalloc_free(pieces[i], map);
        pieces[i] = NULL;
      } else if (seed >> 16 & 1) {
        sizes[i] = (seed >> 17) % 1500;
        pieces[i] = qalloc_dynmalloc(map, sizes[i]);
        CHECK(pieces[i] != NULL);
        memset(pieces[i], i, sizes[i]);
      }
    }
  }
  for (int i = 0; i < count; ++i) qalloc_free(pieces[(i * 7) % count], map);
  CHECK(qalloc_malloc(map, bytes - 4096) == largest);
  CHECK(qalloc_dynmalloc(map, SIZE_MAX) == NULL && qalloc_dynmalloc(map, bytes) == NULL);
  qalloc_cleanup();
  remove_files();
}

static void a_static_map_has_an_end(void) {
  void *const map = qalloc_makestatmap(4096, NULL, name[0], 100, 1);
  void *items[64];
  int count = 0;
  while ((items[count] = qalloc_statmalloc(map)) != NULL) ++count;
  CHECK(count > 30 && count <= 4096 / 104);
  qalloc_statfree(items[3], map);
  qalloc_statfree(NULL, map);
  CHECK(qalloc_statmalloc(map) == items[3] && qalloc_statmalloc(map) == NULL);
  qalloc_cleanup();
  remove_files();
}

#define FAILS(code, call) CHECK((clear_errno(), (call) == NULL) && errno_now() == (code))

static void maps_that_cannot_be(void) {
  FAILS(ENOENT, qalloc_loadmap(name[0]));
  FAILS(ENOENT, qalloc_makedynmap(bytes, NULL, "/nowhere/at/all", 1));
  FAILS(EINVAL, qalloc_makedynmap(0, NULL, name[0], 1));
  FAILS(EINVAL, qalloc_makedynmap(-1, NULL, name[0], 1));
  FAILS(EINVAL, qalloc_makestatmap(bytes, NULL, name[0], (size_t)1 << 40, 1));
  remove_files();
  void *const map = qalloc_makestatmap(bytes, NULL, name[0], 64, 1);
  CHECK(map != NULL);
  FAILS(EEXIST, qalloc_loadmap(name[0])); /* its place is taken */
  qalloc_cleanup();
  FAILS(EINVAL, qalloc_makedynmap(bytes, NULL, name[0], 1));
  FAILS(EINVAL, qalloc_makestatmap(bytes, NULL, name[0], 32, 1));
  FAILS(EINVAL, qalloc_makestatmap(bytes * 2, NULL, name[0], 64, 1));
  FAILS(EINVAL, qalloc_makestatmap(bytes, (void *)0x10000, name[0], 64, 1));
  CHECK(qalloc_makestatmap(bytes, NULL, name[0], 60, 1) != NULL); /* items of 64 bytes */
  qalloc_cleanup();
  CHECK(truncate(name[0], 2 * bytes) == 0);
  FAILS(EINVAL, qalloc_loadmap(name[0]));
  CHECK(truncate(name[0], 10) == 0);
  FAILS(EINVAL, qalloc_loadmap(name[0]));
  const int other = open(name[1], O_CREAT | O_WRONLY, 0600);
  static const char text[4096] = "no map";
  CHECK(write(other, text, sizeof(text)) == sizeof(text) && close(other) == 0);
  FAILS(EINVAL, qalloc_loadmap(name[1]));
  remove_files();
}

/* Each byte of a piece tells its holder. */
static void hold_pieces(void *map) {
  unsigned char *pieces[20];
  const unsigned char mark = (unsigned char)((uintptr_t)&pieces >> 12);
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 20; ++i) {
      pieces[i] = qalloc_malloc(map, 64);
      CHECK(pieces[i] != NULL);
      memset(pieces[i], mark + i, 64);
    }
    if (round % 5 == 0) qthread_yield();
    for (int i = 0; i < 20; ++i) {
      for (int byte = 0; byte < 64; ++byte) CHECK(pieces[i][byte] == (unsigned char)(mark + i));
      qalloc_free(pieces[i], map);
    }
  }
}
static aligned_t hold_pieces_in_task(void *map) {
  hold_pieces(map);
  return 0;
}

static void tasks_share_maps(void) {
  void *const maps[2] = {qalloc_makestatmap(bytes, NULL, name[0], 64, 2), qalloc_makedynmap(bytes, NULL, name[1], 2)};
  for (int i = 0; i < 2; ++i) {
    run_tasks(6, hold_pieces_in_task, maps[i]);
    run_outside(hold_pieces, maps[i]);
  }
  qalloc_cleanup();
  remove_files();
}
#endif

int main(int count, char **arguments) {
#if IS_WEFT
  if (count == 3) return main_of_another_process(arguments[1], arguments[2]);
#endif
  (void)count, (void)arguments;
  make_names();
#if IS_WEFT
  pools_of_many_sizes(); /* without a runtime, too */
  a_map_is_found_as_it_was();
#endif
  OK(qthread_initialize());
  pools_of_many_sizes();
  a_freed_item_comes_again();
  bad_pools();
  tasks_share_a_pool();
  maps_of_both_kinds();
#if IS_WEFT
#if !IS_SLOW
  a_map_is_found_as_it_was();
  another_process_finds_it();
#endif
  pieces_are_joined_again();
  a_static_map_has_an_end();
  maps_that_cannot_be();
  tasks_share_maps();
#endif
  qthread_finalize();
  CHECK(rmdir(folder) == 0);
  return 0;
}
