// qthread_initialize and qthread_finalize.
#include <pthread.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "end.hpp"
#include "layout.hpp"
#include "task.hpp"

namespace weft::qthreads {

constinit atomic<runtime*> the_runtime{nullptr};
constinit face::spinlock used_outside;

namespace {

// What the core keeps of a stack at its high end: its record, and the colour.
constexpr std::size_t core_bytes_of_stack = 4096;

bool has_bytes = false;
std::size_t offset_of_task;

// Once a process: the core keeps the reservation. When this library is loaded, so that
// qthread_initialize finds the bytes also in a runtime that the program started before.
[[gnu::constructor]] void reserve_bytes() {
  if (has_bytes) return;
  has_bytes = weft_ext_reserve(sizeof(task), &offset_of_task) == WEFT_OK;
}

bool need_bytes() {
  reserve_bytes();
  if (!has_bytes)
    report(weft_is_initialized()
               ? "qthread_initialize: Weft ran already when libweft-qthread was loaded: load it before weft_init"
               : "qthread_initialize: other layers have taken the bytes that Weft keeps for them in each thread");
  return has_bytes;
}

// The main task has to be the one that the core adopted: it alone stands on the OS thread's stack.
constexpr std::uint64_t id_of_adopted = 1;

bool need_adopted_caller() {
  if (!weft_is_initialized()) return true;
  if (is_one_left() && left_to_caller() == nullptr) {
    report(
        "qthread_initialize: the OS thread that called it before must call qthread_finalize, too, or end, before another one "
        "begins anew");
    return false;
  }
  const weft_thread* const caller = weft_self();
  if (caller == nullptr || weft_thread_id(caller) == id_of_adopted) return true;
  report(
      "qthread_initialize: Weft runs already: call it from the thread that called weft_init, or from an OS thread that is no "
      "worker (weft_worker_leave ends that), not from a thread that Weft made");
  return false;
}

// The caller is no thread of Weft's, but an OS thread that may be beside weft_init's caller, whose
// call may be under way. Where that was first, the program's weft_finalize waits until
// qthread_finalize lets the worker go.
weft_status start_or_adopt(const weft_config& config, runtime* all) {
  for (;;) {
    weft_status result = weft_ext_start(&config);
    all->has_started_core = result == WEFT_OK;
    if (result != WEFT_BUSY) return result;
    result = weft_worker_adopt(nullptr);
    if (result == WEFT_NOT_INITIALIZED) continue;  // the program's runtime has ended meanwhile
    all->is_adopted = result == WEFT_OK;
    all->main_worker = all->is_adopted ? static_cast<unsigned>(weft_worker_self()) : 0;
    if (result != WEFT_OK) report("qthread_initialize: %s", weft_last_error());
    return result;
  }
}

int start_core(const settings& wanted, const layout& where, runtime* all) {
  if (!need_bytes()) return QTHREAD_THIRD_PARTY_ERROR;
  if (!need_adopted_caller()) return QTHREAD_NOT_ALLOWED;
  const bool has_placed = where.place(wanted.shepherds, wanted.workers_each);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = wanted.shepherds * wanted.workers_each;
  if (wanted.stack_bytes != 0) config.stack_bytes = wanted.stack_bytes + core_bytes_of_stack;
  config.bind = wanted.binds;
  if (wanted.scheduler != scheduler_kind::weft) config.locality = WEFT_LOCALITY_STRICT;
  const weft_status result = weft_self() != nullptr ? weft_ext_init(nullptr) : start_or_adopt(config, all);
  if (has_placed) static_cast<void>(weft_ext_place_workers(nullptr, 0));  // the next start may be the program's own
  if (result == WEFT_NOMEM) return QTHREAD_MALLOC_ERROR;
  if (result != WEFT_OK) return QTHREAD_THIRD_PARTY_ERROR;
  weft_ext_show_function(run_bottom, offset_of_task + offsetof(task, function));
  weft_ext_name_stack_setting(run_bottom, "QT_STACK_SIZE", wanted.stack_bytes != 0 ? core_bytes_of_stack : 0);
  const std::ptrdiff_t distance =
      static_cast<char*>(weft_ext_bytes(weft_self(), offset_of_task)) - reinterpret_cast<char*>(weft_self());
  if (distance_to_task != distance) distance_to_task = distance;  // tasks of an earlier start may read it
  return QTHREAD_SUCCESS;
}

// A worker that may serve a pool is there.
bool has_worker(unsigned number, weft_pool* any) {
  if (weft_pool_attach(any, number) != WEFT_OK) return false;
  return weft_pool_detach(any, number) == WEFT_OK;
}

// A runtime that the program started has workers of its own number, and its own numbers, if some of
// them were removed.
bool have_enough_workers(runtime* all) {
  const bool is_moved = all->main_worker != 0 && all->main_worker < all->worker_count();
  all->moved_worker = is_moved ? all->worker_count() : all->main_worker;
  if (all->has_started_core) return true;
  weft_pool* any = nullptr;
  if (weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &any) != WEFT_OK) return false;
  weft_status result = WEFT_OK;
  for (unsigned i = 0; i < all->worker_count(); ++i) {
    unsigned number = 0;
    while (result == WEFT_OK && !has_worker(all->core_number(i), any)) result = weft_worker_add(&number);
  }
  static_cast<void>(weft_pool_destroy(any));
  return result == WEFT_OK;
}

aligned_t never_called(void*) { return 0; }

// Null: not known.
char* low_end_of_own_stack() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  if (pthread_attr_getstack(&attributes, &low, &bytes) != 0) low = nullptr;
  static_cast<void>(pthread_attr_destroy(&attributes));
  return static_cast<char*>(low);
}

// The main task stays with worker 0; where that alone serves its pool, the pool is enough, and the
// pin goes.
void adopt_caller(runtime* all) {
  all->main_thread = weft_self();
  task* const mine = new (task_of(all->main_thread)) task{};
  mine->function = never_called;
  mine->flags = is_main;
  mine->home = all->has_pools() ? all->shepherds[0].staying : nullptr;
  mine->stack_low = low_end_of_own_stack();
  all->lend_bytes = weft_ext_stack_bytes() - weft_ext_stack_bytes() / 4;
  static_cast<void>(weft_ext_thread_set_pool(all->main_thread, mine->home));
  static_cast<void>(weft_pin(static_cast<int>(all->main_worker)));  // in the program's own runtime it may have gone elsewhere
  if (all->pool_keeps_main()) static_cast<void>(weft_pin(WEFT_ANY_WORKER));
}

void tell_start(const runtime* all) {
  if (all->wanted.info == 0) return;
  constexpr const char* names[] = {"weft", "nemesis", "sherwood", "distrib"};
  report("%u shepherds with %u workers each, scheduler %s, stacks of %zu bytes", all->shepherd_count, all->workers_each,
         names[static_cast<int>(all->wanted.scheduler)], weft_ext_stack_bytes());
}

bool is_outside() { return weft_self() == nullptr && self() == nullptr; }

constinit atomic<std::uint64_t> lives{0};  // of runtimes that started

// Calls of an OS thread outside that found a runtime: qthread_finalize undoes such a call, and no
// more.
constinit thread_local unsigned calls_without_effect = 0;
constinit thread_local std::uint64_t life_of_calls = 0;  // those of an earlier runtime ended with it

bool has_calls_without_effect() {
  return calls_without_effect != 0 && current_runtime() != nullptr && life_of_calls == lives.load(base::relaxed);
}

// Another call has started the runtime.
int find_started() {
  if (!is_outside()) return QTHREAD_SUCCESS;
  if (!has_calls_without_effect()) calls_without_effect = 0;
  life_of_calls = lives.load(base::relaxed);
  ++calls_without_effect;
  return QTHREAD_SUCCESS;
}

bool is_main_task() {
  const runtime* const all = current_runtime();
  return all != nullptr && weft_self() == all->main_thread && self() == task_of(all->main_thread);
}

void finalize_at_exit() {
  if (!is_outside()) qthread_finalize();
}

// What was made of it, after which the caller is what it was before.
void stop_failed(runtime* all) {
  if (all->workers != nullptr) stop_serving(all);
  leave_core(all, WEFT_DRAIN);
  free_shepherds(all);
  std::free(all);
}

int start() {
  free_kept();
  const layout where;
  const settings wanted = read_settings(where);
  auto* const all = static_cast<runtime*>(std::calloc(1, sizeof(runtime)));
  if (all == nullptr) return QTHREAD_MALLOC_ERROR;
  if (const int error = start_core(wanted, where, all); error != QTHREAD_SUCCESS) {
    std::free(all);
    return error;
  }
  all->wanted = wanted;
  all->life = lives.fetch_add(1, base::relaxed) + 1;
  all->shepherd_count = wanted.shepherds;
  all->workers_each = wanted.workers_each;
  all->last_team_id.store(QTHREAD_DEFAULT_TEAM_ID, base::relaxed);
  if (!have_enough_workers(all) || !make_shepherds(all) || !watch_own_thread(all)) {
    stop_failed(all);
    return QTHREAD_MALLOC_ERROR;
  }
  adopt_caller(all);
  // [Q2] release: publishes the runtime as it was laid out; pairs with [Q1]
  the_runtime.store(all, base::release);
  static constinit bool ends_at_exit = false;
  if (!ends_at_exit) ends_at_exit = std::atexit(finalize_at_exit) == 0;
  tell_start(all);
  return QTHREAD_SUCCESS;
}

}  // namespace
}  // namespace weft::qthreads

using namespace weft::qthreads;

extern "C" {

int qthread_initialize(void) {
  if (current_runtime() != nullptr) return find_started();
  // Outside of the lock: inside it the end of a runtime waits for tasks that run.
  if (!is_outside() && !need_adopted_caller()) return QTHREAD_NOT_ALLOWED;
  const change alone;
  if (runtime* const all = left_to_caller(); all != nullptr) end(all, WEFT_DROP);
  return current_runtime() != nullptr ? find_started() : start();
}

int qthread_init(qthread_shepherd_id_t nshepherds) {
  char number[8];
  std::snprintf(number, sizeof number, "%u", unsigned{nshepherds});
  // NOLINTNEXTLINE(concurrency-mt-unsafe): as in Qthreads
  if (nshepherds != 0 && setenv("QT_NUM_SHEPHERDS", number, 1) != 0) return QTHREAD_MALLOC_ERROR;
  return qthread_initialize();
}

void qthread_finalize(void) {
  if (has_calls_without_effect() && is_outside()) {
    --calls_without_effect;
    return;
  }
  if (!is_outside() && left_to_caller() == nullptr && !is_main_task()) return;
  const change alone;
  runtime* const all = current_runtime();
  if (runtime* const mine = left_to_caller(); mine != nullptr) {
    end(mine, WEFT_DROP);
  } else if (all != nullptr && is_outside()) {
    end_from_outside(all);
  } else if (all != nullptr) {
    end(all, WEFT_DROP);
  }
}
}
