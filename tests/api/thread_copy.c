/* Threads that own a copy of their arguments: every size up to the largest, from every caller,
 * with every attribute; no malloc. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <weft/ext.h>

#include "check.h"

enum { MANY = IS_SLOW ? 300 : 5000, FIRST_SIZES = 3 };

static const size_t sizes[] = {0, 1, 112, 113, 64, 304, 305, 1008, WEFT_COPY_MAX};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* The library must not call malloc: this one counts. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define COUNTS_MALLOC 1
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
static atomic_long allocations;
void *malloc(size_t bytes) {
  atomic_fetch_add(&allocations, 1);
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  atomic_fetch_add(&allocations, 1);
  return __libc_calloc(count, bytes);
}
#else
#define COUNTS_MALLOC 0
static atomic_long allocations;
#endif

/* ---- what they run ---- */

static atomic_int sums_right;

/* The bytes are size, and then as many bytes of it as there is room for. */
struct message {
  size_t size;
  unsigned char bytes[WEFT_COPY_MAX - sizeof(size_t)];
};

static void prepare(struct message *to, size_t size) {
  to->size = size;
  memset(to->bytes, (int)(size % 251) + 1, sizeof to->bytes);
}

static void read_message(void *copy) {
  const struct message *mine = copy;
  CHECK((uintptr_t)copy % _Alignof(max_align_t) == 0);
  for (size_t i = sizeof(size_t); i < mine->size; ++i)
    CHECK(mine->bytes[i - sizeof(size_t)] == (unsigned char)(mine->size % 251 + 1));
  weft_yield();
  memset(copy, 0xff, mine->size); /* it is the thread's own */
  atomic_fetch_add(&sums_right, 1);
}

static void count(void *copy) {
  (void)copy;
  atomic_fetch_add(&sums_right, 1);
}

static void create_each_size(const weft_thread_attr *attr) {
  static struct message message;
  atomic_store(&sums_right, 0);
  weft_thread *threads[SIZES];
  for (int i = 0; i < SIZES; ++i) {
    const weft_function function = sizes[i] < sizeof(size_t) ? count : read_message;
    prepare(&message, sizes[i]);
    OK(weft_thread_create_copy(function, &message, sizes[i], attr, &threads[i]));
    memset(&message, 0, sizeof message); /* the copy was made */
  }
  for (int i = 0; i < SIZES; ++i) OK(weft_thread_join(threads[i]));
  CHECK(atomic_load(&sums_right) == SIZES);
}

static void copies_each_size(void) {
  create_each_size(NULL);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = "copied";
  create_each_size(&attr);
  attr.stack_bytes = 64 * 1024;
  create_each_size(&attr);
  attr.worker = 0;
  create_each_size(&attr);
}

static void copies_nothing(void) {
  weft_thread *thread;
  atomic_store(&sums_right, 0);
  OK(weft_thread_create_copy(count, NULL, 0, NULL, &thread));
  OK(weft_thread_join(thread));
  OK(weft_thread_create_copy(count, NULL, 0, NULL, NULL)); /* detached */
  wait_for(&sums_right, 2);
}

/* Blocks travel from the worker that makes them to those that free them, and come back. */
static void goes_on_without_malloc(void) {
  static struct message message;
  static weft_thread *threads[MANY];
  long before = 0;
  for (int round = 0; round < 3; ++round) {
    if (round == 1) before = atomic_load(&allocations);
    for (int i = 0; i < MANY; ++i) {
      prepare(&message, sizes[FIRST_SIZES + i % (SIZES - FIRST_SIZES)]);
      OK(weft_thread_create_copy(read_message, &message, message.size, NULL, &threads[i]));
    }
    for (int i = 0; i < MANY; ++i) OK(weft_thread_join(threads[i]));
  }
  /* A depot's array grows once more when more blocks than before are freed on one worker. */
  if (COUNTS_MALLOC) CHECK(atomic_load(&allocations) - before < 16);
}

/* ---- builders ---- */

static void makes_and_discards(void) {
  static struct message message;
  weft_thread *owned[MANY];
  atomic_store(&sums_right, 0);
  weft_pool *pool;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  OK(weft_pool_attach(pool, 0));
  for (int i = 0; i < MANY; ++i) {
    prepare(&message, sizes[FIRST_SIZES + i % (SIZES - FIRST_SIZES)]);
    OK(weft_ext_thread_make_copy(read_message, &message, message.size, NULL, i % 2 == 0 && i % 3 == 0, &owned[i]));
  }
  for (int i = 0; i < MANY; ++i) {
    if (i % 3 != 0) weft_ext_thread_discard(owned[i]);
  }
  int started = 0;
  for (int i = 0; i < MANY; i += 3, ++started) OK(weft_ext_pool_push(pool, owned[i], WEFT_PUSH_NEW));
  for (int i = 0; i < MANY; i += 3) OK(weft_thread_join(owned[i]));
  CHECK(atomic_load(&sums_right) == started);
  OK(weft_pool_detach(pool, 0));
  OK(weft_pool_destroy(pool));
}

/* One that ended begins anew with an argument that is not its own. */
static void revives(void) {
  weft_thread *thread;
  const size_t size = sizeof(size_t);
  OK(weft_thread_create_copy(count, &size, sizeof size, NULL, &thread));
  OK(weft_ext_thread_wait(thread));
  atomic_int number = 0;
  OK(weft_ext_thread_revive(thread, add_one, &number));
  weft_ext_thread_discard(thread);
  CHECK(atomic_load(&number) == 0);
}

static int fills;

static void fill(void *memory, void *source) {
  ++fills;
  memcpy(memory, source, sizeof(size_t));
}

static void fills_if_it_succeeds(void) {
  fills = 0;
  size_t size = sizeof(size_t);
  weft_thread *thread = NULL;
  const weft_ext_place place = {"place.c", "void maker()", 7, 1};
  OK(weft_ext_thread_create_filled(read_message, size, fill, &size, NULL, &thread, &place));
  OK(weft_thread_join(thread));
  CHECK(fills == 1);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = 1000;
  IS(WEFT_INVALID, weft_ext_thread_create_filled(read_message, size, fill, &size, &attr, &thread, &place));
  IS(WEFT_INVALID, weft_ext_thread_create_filled(read_message, size, NULL, &size, NULL, &thread, &place));
  IS(WEFT_INVALID, weft_ext_thread_create_filled(read_message, WEFT_COPY_MAX + 1, fill, &size, NULL, &thread, &place));
  CHECK(fills == 1);
}

/* ---- where blocks go ---- */

static long pages_in_use(void) {
  char text[64] = "";
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  CHECK(file >= 0 && read(file, text, sizeof text - 1) > 0);
  CHECK(close(file) == 0);
  return strtol(text, NULL, 10);
}

/* Makes threads of the largest size that never start. A block that each of them kept would add
 * up to twice what is allowed. */
static void keeps_no_block(void (*make_none)(const struct message *message)) {
  enum { TURNS = 2000 };
  static struct message message;
  prepare(&message, WEFT_COPY_MAX);
  long before = 0;
  for (int round = 0; round < 2; ++round) {
    before = pages_in_use();
    for (int i = 0; i < TURNS; ++i) make_none(&message);
  }
  CHECK((pages_in_use() - before) * sysconf(_SC_PAGESIZE) < TURNS * WEFT_COPY_MAX / 2);
}

static void make_and_discard(const struct message *message) {
  weft_thread *owned;
  OK(weft_ext_thread_make_copy(read_message, message, message->size, NULL, false, &owned));
  weft_ext_thread_discard(owned);
}

static void make_one_that_stays_and_discard(const struct message *message) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = WEFT_STARTING_WORKER;
  weft_thread *owned;
  OK(weft_ext_thread_make_copy(read_message, message, message->size, &attr, false, &owned));
  weft_ext_thread_discard(owned);
}

static void be_refused(const struct message *message) {
  weft_thread *none;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = 1000;
  IS(WEFT_INVALID, weft_thread_create_copy(read_message, message, message->size, &attr, &none));
}

static void those_that_never_start_keep_no_block(void) {
  keeps_no_block(make_and_discard);
  keeps_no_block(make_one_that_stays_and_discard);
  keeps_no_block(be_refused);
}

/* The block of a thread that moves while it runs goes to the worker on which it ends: there the
 * next thread gets it. */
static void *copy_of_mover;

static void move_to_last(void *copy) {
  copy_of_mover = copy;
  OK(weft_pin((int)weft_worker_count() - 1));
}

static void is_where_the_mover_was(void *copy) { CHECK(copy == copy_of_mover); }

static void create_at_last(void *argument) {
  (void)argument;
  const size_t size = sizeof(size_t);
  weft_thread *thread;
  OK(weft_thread_create_copy(is_where_the_mover_was, &size, sizeof size, NULL, &thread));
  OK(weft_thread_join(thread));
}

static void blocks_go_where_their_threads_end(void) {
  const size_t size = sizeof(size_t);
  weft_thread *mover;
  OK(weft_thread_create_copy(move_to_last, &size, sizeof size, NULL, &mover));
  OK(weft_thread_join(mover));
  OK(weft_thread_join(start_pinned(create_at_last, NULL, (int)weft_worker_count() - 1)));
}

/* ---- refusals ---- */

static void refuses_bad_arguments(void) {
  static struct message message;
  weft_thread *untouched = (weft_thread *)&untouched;
  weft_thread *out = untouched;
  IS(WEFT_INVALID, weft_thread_create_copy(NULL, &message, 8, NULL, &out));
  IS(WEFT_INVALID, weft_thread_create_copy(count, NULL, 8, NULL, &out));
  IS(WEFT_INVALID, weft_thread_create_copy(count, &message, WEFT_COPY_MAX + 1, NULL, &out));
  IS(WEFT_INVALID, weft_ext_thread_make_copy(NULL, &message, 8, NULL, false, &out));
  IS(WEFT_INVALID, weft_ext_thread_make_copy(count, NULL, 8, NULL, false, &out));
  IS(WEFT_INVALID, weft_ext_thread_make_copy(count, &message, 8, NULL, false, NULL));
  IS(WEFT_INVALID, weft_ext_thread_make_copy(count, &message, WEFT_COPY_MAX + 1, NULL, false, &out));
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.size = 1;
  IS(WEFT_INVALID, weft_thread_create_copy(count, &message, 8, &attr, &out));
  IS(WEFT_INVALID, weft_ext_thread_make_copy(count, &message, 8, &attr, false, &out));
  attr = (weft_thread_attr)WEFT_THREAD_ATTR_INIT;
  attr.priority = WEFT_POOL_PRIORITIES;
  IS(WEFT_INVALID, weft_thread_create_copy(count, &message, 8, &attr, &out));
  CHECK(out == untouched);
}

static void all(void) {
  RUN(copies_each_size);
  RUN(copies_nothing);
  RUN(goes_on_without_malloc);
  RUN(makes_and_discards);
  RUN(revives);
  RUN(fills_if_it_succeeds);
  RUN(those_that_never_start_keep_no_block);
  RUN(blocks_go_where_their_threads_end);
  RUN(refuses_bad_arguments);
}

static void *all_outside(void *finished) {
  all();
  atomic_store((atomic_int *)finished, 1);
  return NULL;
}

static void all_in_a_thread(void *argument) {
  (void)argument;
  all();
}

int main(void) {
  weft_thread *out = NULL;
  IS(WEFT_NOT_INITIALIZED, weft_thread_create_copy(count, &out, 8, NULL, &out));
  IS(WEFT_NOT_INITIALIZED, weft_ext_thread_make_copy(count, &out, 8, NULL, false, &out));
  for (unsigned workers = 1; workers <= 3; workers += 2) {
    init_with(workers);
    phase = "main";
    all();
    phase = "thread";
    OK(weft_thread_join(start(all_in_a_thread, NULL)));
    phase = "outside";
    pthread_t os_thread;
    atomic_int finished = 0;
    CHECK(pthread_create(&os_thread, NULL, all_outside, &finished) == 0);
    wait_for(&finished, 1); /* worker 0 runs others meanwhile */
    CHECK(pthread_join(os_thread, NULL) == 0);
    OK(weft_finalize());
  }
  return 0;
}
