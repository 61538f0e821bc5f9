// qthread_initialize and qthread_finalize.
#include <pthread.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "children.hpp"
#include "layout.hpp"
#include "task.hpp"

namespace weft::qthreads {

constinit atomic<runtime*> the_runtime{nullptr};
constinit face::spinlock used_outside;

namespace {

pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER;  // starts and ends
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
  if (const weft_thread* const caller = weft_self(); caller != nullptr && weft_thread_id(caller) == id_of_adopted) return true;
  report("qthread_initialize: Weft runs already: call it from the thread that called weft_init, without caller_outside");
  return false;
}

int start_core(const settings& wanted, const layout& where) {
  if (!need_bytes()) return QTHREAD_THIRD_PARTY_ERROR;
  if (!need_adopted_caller()) return QTHREAD_NOT_ALLOWED;
  where.place(wanted.shepherds, wanted.workers_each);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = wanted.shepherds * wanted.workers_each;
  if (wanted.stack_bytes != 0) config.stack_bytes = wanted.stack_bytes + core_bytes_of_stack;
  config.bind = wanted.binds;
  if (wanted.scheduler != scheduler_kind::weft) config.locality = WEFT_LOCALITY_STRICT;
  const weft_status result = weft_ext_init(weft_is_initialized() ? nullptr : &config);
  if (result == WEFT_NOMEM) return QTHREAD_MALLOC_ERROR;
  if (result != WEFT_OK) return QTHREAD_THIRD_PARTY_ERROR;
  weft_ext_show_function(run_bottom, offset_of_task + offsetof(task, function));
  weft_ext_name_stack_setting(run_bottom, "QT_STACK_SIZE", wanted.stack_bytes != 0 ? core_bytes_of_stack : 0);
  distance_to_task = static_cast<char*>(weft_ext_bytes(weft_self(), offset_of_task)) - reinterpret_cast<char*>(weft_self());
  return QTHREAD_SUCCESS;
}

// A runtime that the program started has workers of its own number.
bool have_enough_workers(unsigned wanted) {
  while (weft_worker_count() < wanted) {
    unsigned number = 0;
    if (weft_worker_add(&number) != WEFT_OK) return false;
  }
  return true;
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
  if (all->pool_keeps_main()) static_cast<void>(weft_pin(WEFT_ANY_WORKER));
}

void abandon_caller(runtime* all) {
  free_tasklocal(task_of(all->main_thread));
  new (task_of(all->main_thread)) task{};
  static_cast<void>(weft_ext_thread_set_pool(all->main_thread, nullptr));
}

void tell_start(const runtime* all) {
  if (all->wanted.info == 0) return;
  constexpr const char* names[] = {"weft", "nemesis", "sherwood", "distrib"};
  report("%u shepherds with %u workers each, scheduler %s, stacks of %zu bytes", all->shepherd_count, all->workers_each,
         names[static_cast<int>(all->wanted.scheduler)], weft_ext_stack_bytes());
}

void finalize_at_exit() { qthread_finalize(); }

int start() {
  const layout where;
  const settings wanted = read_settings(where);
  if (const int error = start_core(wanted, where); error != QTHREAD_SUCCESS) return error;
  auto* const all = static_cast<runtime*>(std::calloc(1, sizeof(runtime)));
  bool is_made = all != nullptr;
  if (is_made) {
    static constinit std::uint64_t lives = 0;
    all->wanted = wanted;
    all->life = ++lives;
    all->shepherd_count = wanted.shepherds;
    all->workers_each = wanted.workers_each;
    all->last_team_id.store(QTHREAD_DEFAULT_TEAM_ID, base::relaxed);
    is_made = have_enough_workers(all->worker_count()) && make_shepherds(all);
  }
  if (!is_made) {
    static_cast<void>(weft_finalize());
    if (all != nullptr) free_shepherds(all);
    std::free(all);
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

// Where the program's own runtime goes on, tasks that have not ended stay in the pools for ever.
void end(runtime* all) {
  abandon_caller(all);
  {
    const face::guard inside(used_outside);
    the_runtime.store(nullptr, base::relaxed);
  }
  all->workers[0].made->forget_all();  // the main task's own
  stop_serving(all);
  static_cast<void>(weft_finalize_with(WEFT_DROP));
  if (weft_is_initialized()) return;
  static_cast<void>(weft_ext_place_workers(nullptr, 0));
  free_shepherds(all);
  std::free(all);
}

}  // namespace
}  // namespace weft::qthreads

using namespace weft::qthreads;

extern "C" {

int qthread_initialize(void) {
  if (current_runtime() != nullptr) return QTHREAD_SUCCESS;
  static_cast<void>(pthread_mutex_lock(&changes));
  const int result = current_runtime() != nullptr ? QTHREAD_SUCCESS : start();
  static_cast<void>(pthread_mutex_unlock(&changes));
  return result;
}

int qthread_init(qthread_shepherd_id_t nshepherds) {
  char number[8];
  std::snprintf(number, sizeof number, "%u", unsigned{nshepherds});
  // NOLINTNEXTLINE(concurrency-mt-unsafe): as in Qthreads
  if (nshepherds != 0 && setenv("QT_NUM_SHEPHERDS", number, 1) != 0) return QTHREAD_MALLOC_ERROR;
  return qthread_initialize();
}

void qthread_finalize(void) {
  runtime* const all = current_runtime();
  if (all != nullptr && weft_self() == all->main_thread && self() == task_of(all->main_thread)) end(all);
}
}
