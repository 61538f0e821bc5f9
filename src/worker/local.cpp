// See local.hpp. Records of OS threads outside lie in a list under a lock; the runtime's address is
// one atomic word, held by a lock that sleeps while a report looks at the runtime.
#include "worker/local.hpp"

#include <pthread.h>

#include <cstdlib>
#include <new>

#include "os/fault.hpp"
#include "os/heap.hpp"
#include "os/thread.hpp"
#include "queue/hold.hpp"
#include "queue/spinlock.hpp"
#include "worker/worker.hpp"

namespace {
// Of OS threads outside: bottom is null for ever.
constinit weft_thread* nobody_runs = nullptr;
constinit weft_hot_line nobody{{}, {}, {}, &nobody_runs};
}  // namespace

[[gnu::used]] constinit __thread weft_hot_line* weft_hot_word_here = &nobody;

namespace weft::sched::local {

namespace {

constinit thread_local outside* this_record = nullptr;
constinit thread_local delivery this_delivery;
constinit thread_local base::atomic<bool> holds_runtime{false};  // or is about to; for its signal handlers

constinit base::atomic<runtime*> the_runtime{nullptr};
constinit queue::hold runtime_held;
constinit base::atomic<unsigned> runs{0};
constinit base::atomic<std::uint32_t> starts{0};

constinit queue::spinlock records_lock;
alignas(base::list<outside>) constinit unsigned char records_memory[sizeof(base::list<outside>)] = {};
constinit bool has_records = false;       // guarded by records_lock
constinit std::uint64_t last_number = 0;  // likewise
pthread_key_t at_thread_end;

base::list<outside>& records() { return *reinterpret_cast<base::list<outside>*>(records_memory); }

void forget(void* record) {
  auto* one = static_cast<outside*>(record);
  if (one->end_keys != nullptr) one->end_keys(&one->keys, &one->key_capacity);
  {
    const queue::guard hold(records_lock);
    records().remove(one);
  }
  std::free(one->failed);
  std::free(one);
  this_record = nullptr;
}

outside* remember() {
  void* memory = os::allocate(sizeof(outside));
  if (memory == nullptr) return nullptr;
  auto* one = new (memory) outside;
  one->id = os::thread_id();
  const queue::guard hold(records_lock);
  if (!has_records) {
    new (records_memory) base::list<outside>;
    if (os::fault::fails(os::call::thread_key) || pthread_key_create(&at_thread_end, forget) != 0) {
      std::free(one);
      return nullptr;
    }
    has_records = true;
  }
  if (os::fault::fails(os::call::thread_key) || pthread_setspecific(at_thread_end, one) != 0) {
    std::free(one);
    return nullptr;
  }
  one->number = ++last_number;
  records().push_back(one);
  return one;
}

}  // namespace

constinit const void* const debug_roots[2] = {&the_runtime, records_memory};

[[gnu::noinline]] void set_hot(worker* w) {
  if (w != nullptr) w->forks.hot.self = reinterpret_cast<weft_thread* const*>(&w->current);
  weft_hot_word_here = w != nullptr ? &w->forks.hot : &nobody;
}

unit* current_unit() {
  const worker* w = current_worker();
  return w != nullptr ? w->current : nullptr;
}

// [A1] acquire: sees a started runtime; pairs with [A2]
runtime* current_runtime() { return the_runtime.load(base::acquire); }

void set_runtime(runtime* rt) {
  holds_runtime.store(true, base::relaxed);
  runtime_held.lock();
  // [A2] release: publishes a started runtime; pairs with [A1]
  the_runtime.store(rt, base::release);
  let_go();
}

void forget_others() {
  new (&runtime_held) queue::hold;
  new (&records_lock) queue::spinlock;
  if (!has_records) return;
  new (records_memory) base::list<outside>;  // another OS thread may have been about to change it
  if (this_record != nullptr) records().push_back(this_record);
}

void forget_runtime() {
  the_runtime.store(nullptr, base::relaxed);
  set_worker(nullptr);
  set_hot(nullptr);
}

unsigned count_run() { return runs.fetch_add(1, base::relaxed) + 1; }

std::uint32_t count_start() { return starts.fetch_add(1, base::relaxed) + 1; }

void hold(runtime** rt) {
  holds_runtime.store(true, base::relaxed);
  runtime_held.lock();
  *rt = current_runtime();
}

bool is_hold_wanted() { return runtime_held.is_waited_for(); }

bool try_hold(runtime** rt) {
  holds_runtime.store(true, base::relaxed);
  if (!runtime_held.try_lock()) {
    holds_runtime.store(false, base::relaxed);
    return false;
  }
  *rt = current_runtime();
  return true;
}

void let_go() {
  runtime_held.unlock();
  holds_runtime.store(false, base::relaxed);
}

steady_runtime::steady_runtime() : is_held_(current_worker() == nullptr) {
  if (is_held_) {
    hold(&rt_);
  } else {
    rt_ = current_runtime();
  }
}

steady_runtime::~steady_runtime() {
  if (is_held_) let_go();
}

bool is_holder_or_about_to_be() { return holds_runtime.load(base::relaxed); }

[[gnu::noinline]] delivery* delivery_outside() { return &this_delivery; }

[[gnu::noinline]] outside* this_outside() {
  if (this_record == nullptr) this_record = remember();
  return this_record;
}

[[gnu::noinline]] outside* outside_if_any() { return this_record; }

void walk_outside(void (*each)(void* state, outside* one), void* state) {
  const queue::guard hold(records_lock);
  if (!has_records) return;
  for (outside* one = records().front(); one != nullptr; one = records().after(one)) each(state, one);
}

unsigned copy_outside(std::uint64_t after, outside_copy* out, unsigned capacity) {
  const queue::guard hold(records_lock);
  unsigned count = 0;
  if (!has_records) return count;
  for (const outside* one = records().front(); one != nullptr && count < capacity; one = records().after(one)) {
    if (one->number <= after) continue;
    out[count++] = {one->number, one->id, one->is_blocked.load(base::relaxed), one->waits_for.load(base::relaxed),
                    one->since_ns.load(base::relaxed)};
  }
  return count;
}

}  // namespace weft::sched::local
