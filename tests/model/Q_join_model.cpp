// A reader of a return word against the task that fills it: over spawn.cpp, children.cpp, task.cpp
// and feb.cpp of the Qthreads face, the core's full/empty table, and its join word. A task runs
// once, on its reader's stack or where another worker takes it; all readers see the value and what
// the task did; the memory of the word is the reader's again afterwards; and the task's unit is
// freed once, when neither the reader nor the worker touches it any more.
// Built with faces/qthreads/src/spawn.cpp faces/qthreads/src/children.cpp
// Built with faces/qthreads/src/task.cpp faces/qthreads/src/feb.cpp faces/qthreads/src/syncvar.cpp
// Built with src/capi/sync.cpp src/capi/syncvar.cpp src/sync/feb.cpp src/sync/feb_table.cpp
// Built with src/sync/feb_forget.cpp src/sync/syncvar.cpp src/sync/waiters.cpp
// Built with src/thread/join.cpp src/thread/create.cpp src/run/end.cpp src/worker/extras.cpp
// Built with src/thread/thread.cpp src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp
// Built with src/unit/timer.cpp src/worker/outlived.cpp
#include "children.hpp"
#include "core_world.hpp"
#include "feb_entries.hpp"
#include "qthread_world.hpp"
#include "run/end.hpp"
#include "sync/feb_table.hpp"
#include "thread/thread.hpp"

// ---- the core -----------------------------------------------------------------------------------

// Under a lock, as in the core: a unit that is pushed goes to one caller.
struct weft_pool {
  static constexpr int most = 2;
  weft::base::atomic<bool> is_locked{false};
  weft::base::atomic<int> count{0};
  weft_thread* units[most] = {};

  void lock() {
    while (is_locked.exchange(true, weft::base::acquire)) weft::arch::pause();
  }
  void unlock() { is_locked.store(false, weft::base::release); }
};

namespace {

using namespace qthread_world::words;
using weft::sync::feb_entry;
using weft::sync::feb_stripe;
namespace base = weft::base;
namespace sched = weft::sched;

// False: `from`, or a free place if that is null, is not there.
bool replace_in(weft_pool* one, weft_thread* from, weft_thread* to) {
  one->lock();
  weft_thread** place = nullptr;
  for (weft_thread*& each : one->units)
    if (each == from) place = &each;
  if (place != nullptr) *place = to;
  one->count.store((one->units[0] != nullptr ? 1 : 0) + (one->units[1] != nullptr ? 1 : 0), base::relaxed);
  one->unlock();
  return place != nullptr;
}

// The oldest, if any; a worker that looks leaves the lock alone while there is none.
weft_thread* pop(weft_pool* one) {
  if (one->count.load(base::relaxed) == 0) return nullptr;
  one->lock();
  weft_thread* found = nullptr;
  for (weft_thread*& each : one->units) {
    if (found != nullptr || each == nullptr) continue;
    found = each;
    each = nullptr;
  }
  one->count.store((one->units[0] != nullptr ? 1 : 0) + (one->units[1] != nullptr ? 1 : 0), base::relaxed);
  one->unlock();
  return found;
}

sched::unit* core_of(weft_thread* thread) { return reinterpret_cast<sched::unit*>(thread); }
static_assert(sizeof(sched::unit) <= sizeof(unit::of_the_core));

constinit children noted[2]{};  // on each worker
[[gnu::no_sanitize_thread]] void clear_notes() {
  for (children& each : noted)
    for (child& note : each.notes) note = {nullptr, nullptr, nullptr};
}

char* const low_enough = reinterpret_cast<char*>(sizeof(void*));

// The maker of two tasks at most, which reads their return words, on worker 0; a worker that takes
// what it finds, worker 1; and a task that reads, too.
struct family {
  unit maker, reader;
  unit made[2];
  int made_count = 0;
  weft_pool pool;
  shepherd only{};
  worker workers[2] = {};
  runtime all{};
  aligned_t word = 0, other_word = 0;
  syncvar_t variable = {{0}};
  int done[2] = {};            // by the children
  aligned_t* own = nullptr;    // a word on the stack of a child
  char* low_end = low_enough;  // of the worker's stack
  flag is_made, is_read, is_over;

  family();
  ~family() { the_runtime.store(nullptr, base::relaxed); }
  void begin_making() { qthread_world::run_as(maker); }
  void fork(qthread_f function, aligned_t* into) {
    check(qthread_fork(function, nullptr, into) == QTHREAD_SUCCESS, "there is memory");
  }
  aligned_t read(const aligned_t* from) {
    aligned_t value = 0;
    check(qthread_readFF(&value, from) == QTHREAD_SUCCESS, "always");
    return value;
  }
  void finish_making() {
    noted[0].forget_all();
    is_over.raise();
  }
  void read_elsewhere() {
    qthread_world::run_as(reader);
    is_made.await();
    check(read(&word) == 7 && done[0] == 1, "the value, and what the task did");
    is_read.raise();
  }
  void work();
  void run(weft_thread* thread);
  void ends(const aligned_t* which);
};
family* of_the_model;
// With the scheduler weft, tasks wait in a worker's queue. Here that is the pool, too.
bool is_by_queue = false;

// What a new task in the same memory would write.
void use_again(weft::mem::slab_cache& free) {
  if (free.is_empty()) return;
  void* const memory = free.take_one();
  qthread_world::unit_of(static_cast<weft_thread*>(memory))->fields.function = nullptr;
  free.give_one(memory);
}

int times_freed(const unit& what) {
  int count = 0;
  weft::mem::slab_cache* const caches[] = {&core_world::the.workers[1]->units, &core_world::the.rt->outside_units};
  for (weft::mem::slab_cache* each : caches) {
    void* kept[4];
    int many = 0;
    while (!each->is_empty()) kept[many++] = each->take_one();
    for (int index = 0; index < many; ++index) {
      count += kept[index] == &what ? 1 : 0;
      each->give_one(kept[index]);
    }
  }
  return count;
}

family::family() {
  qthread_world::begin();
  core_world::make(2);
  of_the_model = this;
  entries_made = 0;
  clear_notes();
  for (const aligned_t* each : {&word, &other_word, &variable.u.w}) {
    feb_stripe* const stripe = weft::sync::feb_stripe_of(each);
    new (stripe) feb_stripe;
  }
  for (int number = 0; number < 2; ++number) {
    workers[number].open = &pool;
    workers[number].made = &noted[number];
  }
  all.wanted.scheduler = is_by_queue ? scheduler_kind::weft : scheduler_kind::distrib;
  all.shepherd_count = 1;
  all.workers_each = 2;
  all.shepherds = &only;
  all.workers = workers;
  reader.worker = 1;
  for (unit* each : {&maker, &reader}) {
    each->fields.function = [](void*) -> aligned_t { return 0; };
    each->fields.stack_low = low_enough;  // all of it is free
  }
  the_runtime.store(&all, base::relaxed);
}

// Worker 1, as long as there may be tasks.
void family::work() {
  for (;;) {
    const bool is_last = is_over.is_raised();
    weft_thread* const found = pop(&pool);
    if (found != nullptr) {
      run(found);
    } else if (is_last) {
      return;
    } else {
      weft::arch::pause();
    }
  }
}

void family::run(weft_thread* thread) {
  unit* const one = qthread_world::unit_of(thread);
  one->worker = 1;
  qthread_world::run_as(*one);
  run_bottom(thread);
  sched::worker* const w = core_world::the.workers[1];
  sched::local::set_worker(w);
  sched::end(w, core_of(thread));
  use_again(w->units);
  sched::local::set_worker(nullptr);
}

void family::ends(const aligned_t* which) {
  check(weft_feb_is_full(which), "full at the end");
  check(weft::sync::feb_stripe_of(which)->find(which) == nullptr, "no entry is left");
  for (int index = 0; index < made_count; ++index) check(times_freed(made[index]) == 1, "each unit is freed once");
}

}  // namespace

extern "C" {

weft_status weft_ext_thread_make_in(weft_pool*, weft_function function, unsigned kind, weft_thread** out) {
  check(function == run_bottom && of_the_model->made_count < 2, "the model has two tasks");
  unit* const one = &of_the_model->made[of_the_model->made_count++];
  auto* const core = new (one->of_the_core) sched::unit{};
  core->context.set_maker(nullptr);
  core->state.store(sched::unit_state::running, base::relaxed);
  check((kind & WEFT_MAKE_CLEANED) == (is_by_queue ? unsigned{WEFT_MAKE_CLEANED} : 0), "the short way is for the queue");
  core->join.store((kind & WEFT_MAKE_DETACHED) != 0 ? sched::join_word::detached : sched::join_word::open, base::relaxed);
  core->set(sched::ends_noticed);  // as all units of pools
  *out = one->handle();
  return WEFT_OK;
}
weft_status weft_ext_pool_push(weft_pool* one, weft_thread* thread, weft_push_reason) {
  check(replace_in(one, nullptr, thread), "the model has room for two units");
  return WEFT_OK;
}
bool weft_ext_pool_remove(weft_pool* one, weft_thread* thread) { return replace_in(one, thread, nullptr); }
weft_status weft_thread_detach(weft_thread* thread) {
  const weft::status result = sched::detach(core_of(thread));
  use_again(core_world::the.rt->outside_units);
  return static_cast<weft_status>(result);
}
void weft_ext_thread_discard(weft_thread* thread) {
  sched::discard_owned(core_of(thread));
  use_again(core_world::the.rt->outside_units);
}
void weft_ext_thread_stack(const weft_thread*, void** low, std::size_t*) { *low = of_the_model->low_end; }
// Of the task that calls, into its pool, until the worker has it again.
void weft_yield() {
  weft_thread* const mine = weft_self();
  static_cast<void>(weft_ext_pool_push(&of_the_model->pool, mine, WEFT_PUSH_YIELDED));
  while (pop(&of_the_model->pool) != mine) weft::arch::pause();
}
weft_status weft_ext_thread_start(weft_thread* thread) { return weft_ext_pool_push(&of_the_model->pool, thread, WEFT_PUSH_NEW); }
bool weft_ext_thread_take_back(weft_thread* thread) {
  if (!weft_ext_pool_remove(&of_the_model->pool, thread)) return false;
  if (!qthread_world::unit_of(thread)->fields.has_started.load(base::relaxed)) return true;
  static_cast<void>(weft_ext_pool_push(&of_the_model->pool, thread, WEFT_PUSH_WOKEN));
  return false;
}
weft_status weft_pin(int) { return WEFT_OK; }

}  // extern "C"

namespace weft::qthreads {

weft_pool* choose_open_pool(runtime*) { return &of_the_model->pool; }
weft_pool* staying_pool(runtime*, unsigned) { return &of_the_model->pool; }
void make_ready(weft_thread* unit, weft_pool* home) { static_cast<void>(weft_ext_pool_push(home, unit, WEFT_PUSH_NEW)); }
weft_status move_to_pool(weft_pool*) { return WEFT_OK; }

}  // namespace weft::qthreads

namespace {

aligned_t child_of_maker(void*) {
  check(++of_the_model->done[0] == 1, "it runs once");
  return 7;
}

aligned_t second_child(void*) {
  check(++of_the_model->done[1] == 1, "it runs once");
  return 8;
}

// A task that moves in between, if it runs on its own: as qthread_migrate_to, within its shepherd.
aligned_t child_that_moves(void*) {
  check(++of_the_model->done[0] == 1, "it runs once");
  if (weft_self() != of_the_model->maker.handle()) {
    self()->home = &of_the_model->pool;
    weft_yield();
  }
  ++of_the_model->done[0];
  return 7;
}

// It leaves a word on its stack empty. The stack ends right below, so that it has few words.
aligned_t child_with_a_word(void*) {
  check(++of_the_model->done[0] == 1, "it runs once");
  aligned_t own = 0;
  check(qthread_empty(&own) == QTHREAD_SUCCESS, "there is memory");
  of_the_model->own = &own;
  (weft_self() == of_the_model->maker.handle() ? of_the_model->maker.fields.stack_low : of_the_model->low_end) =
      reinterpret_cast<char*>(&own);
  return 7;
}

void made_and_read() {
  family shared;
  threads(thread{"maker",
                 [&] {
                   shared.begin_making();
                   shared.fork(child_of_maker, &shared.word);
                   check(shared.read(&shared.word) == 7 && shared.done[0] == 1, "the value, and what the task did");
                   shared.word = 1;
                   shared.finish_making();
                 }},
          thread{"worker", [&] { shared.work(); }});
  shared.ends(&shared.word);
}

void read_by_another() {
  family shared;
  threads(thread{"maker",
                 [&] {
                   shared.begin_making();
                   shared.fork(child_of_maker, &shared.word);
                   shared.is_made.raise();
                   check(shared.read(&shared.word) == 7 && shared.done[0] == 1, "the value, and what the task did");
                   shared.is_read.await();
                   shared.word = 1;
                   shared.finish_making();
                 }},
          thread{"worker", [&] { shared.work(); }}, thread{"reader", [&] { shared.read_elsewhere(); }});
  shared.ends(&shared.word);
}

// A reader that finds the task in its pool again, begun, leaves it there.
void begun_elsewhere() {
  family shared;
  threads(thread{"maker",
                 [&] {
                   shared.begin_making();
                   shared.fork(child_that_moves, &shared.word);
                   check(shared.read(&shared.word) == 7 && shared.done[0] == 2, "the value, and what the task did");
                   shared.word = 1;
                   shared.finish_making();
                 }},
          thread{"worker", [&] { shared.work(); }});
  shared.ends(&shared.word);
}

// A second task with the same word takes the place of the first one's note.
void a_note_is_replaced() {
  family shared;
  threads(thread{"maker",
                 [&] {
                   shared.begin_making();
                   shared.fork(child_of_maker, &shared.word);
                   aligned_t value = 0;
                   while (qthread_readFF_nb(&value, &shared.word) != QTHREAD_SUCCESS) weft::arch::pause();
                   check(value == 7 && shared.done[0] == 1, "the value, and what the task did");
                   shared.fork(second_child, &shared.word);
                   check(shared.read(&shared.word) == 8 && shared.done[1] == 1, "that of the next one");
                   shared.finish_making();
                 }},
          thread{"worker", [&] { shared.work(); }});
  shared.ends(&shared.word);
}

// A word that is not read: its note goes at the end.
void a_note_is_left() {
  family shared;
  threads(thread{"maker",
                 [&] {
                   shared.begin_making();
                   shared.fork(child_of_maker, &shared.word);
                   shared.finish_making();
                 }},
          thread{"worker", [&] { shared.work(); }});
  shared.ends(&shared.word);
}

void two_children() {
  family shared;
  threads(thread{"maker",
                 [&] {
                   shared.begin_making();
                   shared.fork(child_of_maker, &shared.word);
                   shared.fork(second_child, &shared.other_word);
                   check(shared.read(&shared.word) == 7 && shared.read(&shared.other_word) == 8, "each its own");
                   check(shared.done[0] == 1 && shared.done[1] == 1, "what they did");
                   shared.word = shared.other_word = 1;
                   shared.finish_making();
                 }},
          thread{"worker", [&] { shared.work(); }});
  shared.ends(&shared.word);
  shared.ends(&shared.other_word);
}

void a_word_on_its_stack() {
  family shared;
  threads(thread{"maker",
                 [&] {
                   shared.begin_making();
                   shared.fork(child_with_a_word, &shared.word);
                   check(shared.read(&shared.word) == 7 && shared.done[0] == 1, "the value, and what the task did");
                   check(weft_feb_is_full(shared.own), "nothing is left of the task's word");
                   shared.finish_making();
                 }},
          thread{"worker", [&] { shared.work(); }});
  shared.ends(&shared.word);
  shared.ends(shared.own);
}

void returned_by_a_syncvar() {
  family shared;
  threads(thread{"maker",
                 [&] {
                   shared.begin_making();
                   check(qthread_fork_syncvar(child_of_maker, nullptr, &shared.variable) == QTHREAD_SUCCESS, "there is memory");
                   std::uint64_t value = 0;
                   check(qthread_syncvar_readFF(&value, &shared.variable) == QTHREAD_SUCCESS, "always");
                   check(value == 7 && shared.done[0] == 1, "the value, and what the task did");
                   shared.finish_making();
                 }},
          thread{"worker", [&] { shared.work(); }});
  for (int index = 0; index < shared.made_count; ++index) check(times_freed(shared.made[index]) == 1, "each unit is freed once");
}

template <void (*Body)(), bool IsByQueue>
void by() {
  is_by_queue = IsByQueue;
  Body();
}
template <void (*Body)()>
constexpr auto by_pool = by<Body, false>;
template <void (*Body)()>
constexpr auto by_queue = by<Body, true>;

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 2, .executions = 1'000'000};
constexpr explorer::expectations usual{.at_least = 100, .quick = quick, .deep = deep};

const model m1{"Q join: made and read", usual, by_pool<made_and_read>};
const model m2{"Q join: read by another", usual, by_pool<read_by_another>};
const model m3{"Q join: begun elsewhere", usual, by_pool<begun_elsewhere>};
const model m4{"Q join: a note is replaced", usual, by_pool<a_note_is_replaced>};
const model m5{"Q join: a note is left", usual, by_pool<a_note_is_left>};
const model m6{"Q join: two children", usual, by_pool<two_children>};
const model m7{"Q join: returned by a syncvar", usual, by_pool<returned_by_a_syncvar>};
const model m8{"Q join: a word on its stack", usual, by_pool<a_word_on_its_stack>};
const model n1{"Q join, by the queue: made and read", usual, by_queue<made_and_read>};
const model n2{"Q join, by the queue: read by another", usual, by_queue<read_by_another>};
const model n3{"Q join, by the queue: begun elsewhere", usual, by_queue<begun_elsewhere>};
const model n4{"Q join, by the queue: a note is replaced", usual, by_queue<a_note_is_replaced>};
const model n5{"Q join, by the queue: two children", usual, by_queue<two_children>};
const model n6{"Q join, by the queue: a word on its stack", usual, by_queue<a_word_on_its_stack>};

}  // namespace
