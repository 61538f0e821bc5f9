// Keys whose values are known (faces/threads, src/tracked.c): threads and OS threads outside make
// the two keys beneath once, each caller finds its own value, callers of one identity share one, and
// the list of a key loses no record, while some callers end. The implementation's keys and the
// system's are the model's own: plain tables, which the keys' numbers publish.
#include "threads_world.hpp"

#include <utility>

#include <weft_threads/tracked.h>

struct threads_tracked_value;

namespace {

// Where the values of one kind lie, for each key and each caller.
struct key_table {
  int made = 0, deleted = 0;
  void (*destructors[4])(void*) = {};
  void* values[4][4] = {};
  int makes(void (*destructor)(void*)) {
    check(made < 3, "no more keys than needed");
    destructors[++made] = destructor;
    return made;
  }
};
key_table inside_keys, outside_keys;
int identities[8];  // of callers inside, by logical thread

word values_lock;  // callers of one identity share an implementation's values, which it locks
struct values_guard {
  values_guard() {
    while (values_lock.exchange(1, acquire) != 0) weft::os::futex_wait(&values_lock, 1);
  }
  ~values_guard() {
    values_lock.store(0, release);
    weft::os::futex_wake(&values_lock, 1);
  }
};

threads_status create_inside(void (*destructor)(void*), threads_key* out) {
  const int its = inside_keys.makes(destructor);
  out->opaque[0] = static_cast<std::uint64_t>(its);
  return THREADS_OK;
}
threads_status delete_inside_key(threads_key) {
  ++inside_keys.deleted;
  return THREADS_OK;
}
threads_status set_inside(threads_key key, void* value) {
  const values_guard hold;
  check(inside_keys.destructors[key.opaque[0]] != nullptr, "the key is made");
  inside_keys.values[key.opaque[0]][identities[explorer::current_thread()]] = value;
  return THREADS_OK;
}
void* get_inside(threads_key key) {
  const values_guard hold;
  check(inside_keys.destructors[key.opaque[0]] != nullptr, "the key is made");
  return inside_keys.values[key.opaque[0]][identities[explorer::current_thread()]];
}

int create_outside(pthread_key_t* out, void (*destructor)(void*)) {
  *out = static_cast<pthread_key_t>(outside_keys.makes(destructor));
  return 0;
}
void* get_outside(pthread_key_t key) {
  check(outside_keys.destructors[key] != nullptr, "the system's key is made");
  return outside_keys.values[key][explorer::current_thread()];
}
int set_outside(pthread_key_t key, const void* value) {
  outside_keys.values[key][explorer::current_thread()] = const_cast<void*>(value);
  return 0;
}

const threads_component with_keys = [] {
  threads_component made = make_component();
  made.key_create = create_inside;
  made.key_delete = delete_inside_key;
  made.key_set = set_inside;
  made.key_get = get_inside;
  return made;
}();

void* make_record();
void give_back(void* record);

}  // namespace

#define calloc(count, bytes) make_record()
#define free(record) give_back(record)
#define mutex tracked_mutex
#define pthread_mutex_lock(of) (static_cast<void>(of), lock_renewing())
#define pthread_mutex_unlock(of) (static_cast<void>(of), unlock_renewing())
#define pthread_key_create create_outside
#define pthread_key_delete(its) static_cast<void>(++outside_keys.deleted)
#define pthread_getspecific get_outside
#define pthread_setspecific set_outside
extern "C" {
#include <tracked.c>
}
#undef pthread_setspecific
#undef pthread_getspecific
#undef pthread_key_delete
#undef pthread_key_create
#undef pthread_mutex_unlock
#undef pthread_mutex_lock
#undef mutex
#undef free
#undef calloc

namespace {

using namespace explorer::words;

// ---- records: no memory is taken while the threads of a model run --------------------------------

struct record_pool {
  threads_tracked_value records[4];
  bool is_taken[4];
};
record_pool* pool;

void* make_record() {
  // Each caller takes those of its own number, so that the pool orders nothing.
  auto& mine = pool->records[explorer::current_thread()];
  check(!std::exchange(pool->is_taken[explorer::current_thread()], true), "one record a caller at a time");
  return &mine;
}
void give_back(void* record) {
  if (record == nullptr) return;
  const auto at = static_cast<threads_tracked_value*>(record) - pool->records;
  check(std::exchange(pool->is_taken[at], false), "given back once");
}

// ---- the models ----------------------------------------------------------------------------------

int destroyed[4];
void destroy(void* value) { ++*static_cast<int*>(value); }

// callers[i]: logical thread i + 1 is outside.
struct scene {
  threads_tracked_key key = THREADS_TRACKED_KEY_INIT(destroy);
  record_pool its{};

  explicit scene(std::initializer_list<bool> callers) {
    threads_component_now = &with_keys;
    is_started = true;
    starts_so_far = 1;
    inside_keys = {};
    outside_keys = {};
    pool = &its;
    are_outside[0] = true;
    int at = 1;
    for (bool is_outside : callers) {
      identities[at] = at;
      are_outside[at++] = is_outside;
    }
    for (int& count : destroyed) count = 0;
    for (auto& record : its.records) new (&record.value) weft::base::atomic<void*>(nullptr);
    new (&key.start) weft::base::atomic<std::uint64_t>(0);
    new (&key.outside) weft::base::atomic<std::uint64_t>(0);
    new (&renewing) word(0);
    new (&values_lock) word(0);
  }

  void set(int of) { check(threads_tracked_set(&key, &destroyed[of]) == THREADS_OK, "set"); }
  void sets_and_finds(int of) {
    set(of);
    check(threads_tracked_get(&key) == &destroyed[of], "one's own value");
  }
  // As the system and an implementation do it when their thread has a value.
  void end(int caller) {
    void*& value = are_outside[caller] ? outside_keys.values[1][caller] : inside_keys.values[1][identities[caller]];
    end_record(std::exchange(value, nullptr));
  }
  int listed() const {
    int count = 0;
    for (const threads_tracked_value *at = key.first, *before = nullptr; at != nullptr; before = std::exchange(at, at->next)) {
      check(at->previous == before, "linked in both directions");
      check(++count <= 3, "the list ends");
    }
    return count;
  }
  void deletes(int values) {
    check(listed() == values, "all values are listed");
    check(threads_tracked_delete(&key) == THREADS_OK, "deleted");
    check(key.first == nullptr && word64_load(&key.start, __ATOMIC_RELAXED) == 0 && outside_of(&key) == 0,
          "as it was initialised");
    check(inside_keys.deleted == inside_keys.made && outside_keys.deleted == outside_keys.made, "the keys beneath are gone");
  }
};

// Two that are the first of their kind, or of both kinds.
void first_values(bool first, bool second) {
  scene here({first, second});
  threads(thread{"a", [&] { here.sets_and_finds(1); }}, thread{"b", [&] { here.sets_and_finds(2); }});
  check(inside_keys.made == !(first && second) && outside_keys.made == (first || second), "one key of each kind");
  here.deletes(2);
  check(destroyed[1] == 1 && destroyed[2] == 1, "each value once");
}

// One may only look: it finds nothing of the other one's.
void a_look(bool is_outside) {
  scene here({is_outside, is_outside});
  threads(thread{"sets", [&] { here.sets_and_finds(1); }},
          thread{"looks", [&] { check(threads_tracked_get(&here.key) == nullptr, "none of its own"); }});
  here.deletes(1);
}

void ends_meanwhile(bool first, bool second) {
  scene here({first, second, first});
  threads(thread{"ends",
                 [&] {
                   here.sets_and_finds(1);
                   here.end(1);
                 }},
          thread{"sets", [&] { here.sets_and_finds(2); }}, thread{"ends, too", [&] {
                                                                    here.set(3);
                                                                    here.end(3);
                                                                  }});
  check(destroyed[1] == 1 && destroyed[3] == 1 && destroyed[2] == 0, "those of the ended ones");
  here.deletes(1);
  check(destroyed[2] == 1, "the last one with the key");
}

// One of them makes the record, and both may set it.
void one_identity() {
  scene here({false, false});
  identities[2] = 1;
  threads(thread{"a", [&] { here.set(1); }}, thread{"b", [&] { here.set(2); }});
  here.deletes(1);
  outcome(destroyed[1], destroyed[2]);
}

// A key of an earlier start, and two callers of the next one.
void words_of_an_earlier_start() {
  scene here({false, false});
  here.key.implementation = &with_keys;
  new (&here.key.start) weft::base::atomic<std::uint64_t>(7);
  here.key.inside.opaque[0] = 3;
  starts_so_far = 8;
  threads(thread{"a", [&] { here.sets_and_finds(1); }}, thread{"b", [&] { here.sets_and_finds(2); }});
  check(inside_keys.made == 1 && inside_keys.deleted == 1, "the old key was deleted once, and a new one made once");
  inside_keys.deleted = 0;
  here.deletes(2);
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .executions = 15'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .executions = 5'000'000};
constexpr explorer::expectations usual{.at_least = 20, .quick = quick, .deep = deep};
constexpr explorer::expectations either{.at_least = 20, .quick = quick, .deep = deep, .outcomes = "01 10"};

const model m1{"threads tracked: first values of two threads", usual, [] { first_values(false, false); }};
const model m2{"threads tracked: first values outside", usual, [] { first_values(true, true); }};
const model m3{"threads tracked: first values of both kinds", usual, [] { first_values(false, true); }};
const model m4{"threads tracked: a look by a thread", {.at_least = 2, .quick = quick, .deep = deep}, [] { a_look(false); }};
const model m5{"threads tracked: a look outside", {.at_least = 2, .quick = quick, .deep = deep}, [] { a_look(true); }};
const model m6{"threads tracked: ends meanwhile", usual, [] { ends_meanwhile(false, true); }};
const model m7{"threads tracked: ends meanwhile, outside", usual, [] { ends_meanwhile(true, false); }};
const model m8{"threads tracked: callers of one identity", either, one_identity};
const model m9{"threads tracked: a key of an earlier start", usual, words_of_an_earlier_start};

}  // namespace
