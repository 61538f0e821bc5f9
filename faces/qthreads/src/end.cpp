#include "end.hpp"

#include <pthread.h>

#include <cstdlib>
#include <new>

#include "children.hpp"
#include "feb.hpp"
#include "task.hpp"

namespace weft::qthreads {

namespace {

pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t change_is_over = PTHREAD_COND_INITIALIZER;
bool is_changing = false;  // guarded by `changes`

// Ended by another OS thread than its main task's.
constinit atomic<runtime*> left{nullptr};

// Guards both lists: the key's destructor ends a runtime while another OS thread begins one, or
// ends it.
constinit face::spinlock lists_of_kept;
// Those whose pools the program's own runtime may still know, one behind the other.
constinit runtime* kept = nullptr;
// Those whose pools were served to the end, which cannot be destroyed any more.
constinit runtime* kept_for_good = nullptr;

// Of the OS thread of the main task. Made when the library is loaded: the destructors of keys run
// in the order in which these were made, and so this one before Weft's, which would wait for tasks.
pthread_key_t key;
bool has_key = false;

void end_with_thread(void* given) {
  auto* const all = static_cast<runtime*>(given);
  const change alone;  // another OS thread may be in the end of the same runtime
  if (left_to_caller() == all) {
    end(all, WEFT_DROP);
  } else if (current_runtime() == all && weft_self() == all->main_thread) {
    end(all, all->is_adopted ? WEFT_DROP : WEFT_DRAIN);  // a worker that serves pools cannot leave
  }
}

[[gnu::constructor]] void make_key() { has_key = pthread_key_create(&key, end_with_thread) == 0; }

void abandon_caller(runtime* all) {
  free_tasklocal(task_of(all->main_thread));
  end_family(task_of(all->main_thread));
  new (task_of(all->main_thread)) task{};
  static_cast<void>(weft_ext_thread_set_pool(all->main_thread, nullptr));
}

void keep(runtime* all, runtime** list) {
  const face::guard inside(lists_of_kept);
  all->next_kept = *list;
  *list = all;
}

// Null: none, or Weft runs. That is asked inside: what is kept later may be known to a runtime that
// began later.
runtime* take_kept() {
  const face::guard inside(lists_of_kept);
  runtime* const all = weft_is_initialized() ? nullptr : kept;
  if (all != nullptr) kept = all->next_kept;
  return all;
}

void nothing_to_do(void*) {}

bool is_helper_needed(const runtime* all, unsigned worker) {
  return worker != 0 || weft_thread_get_state(all->main_thread) != WEFT_THREAD_RUNNING;
}

// Runs a helper on the worker, from a pool of its own. A helper that could not start before worker
// 0 runs the main task is taken back: it would be dropped, and counted, as a task of the program's.
bool run_helper(const runtime* all, unsigned worker, weft_pool* own) {
  constexpr std::uint64_t step_ns = 1'000'000;
  const unsigned number = all->core_number(worker);
  weft_thread* helper = nullptr;
  if (weft_ext_thread_make_in(own, nothing_to_do, 0, &helper) != WEFT_OK) return false;
  static_cast<void>(weft_ext_pool_push(own, helper, WEFT_PUSH_NEW));
  const bool is_served = weft_pool_attach(own, number) == WEFT_OK;
  bool has_ended = false;
  while (is_served && !has_ended && is_helper_needed(all, worker))
    has_ended = weft_thread_join_until(helper, weft_deadline_in(step_ns)) == WEFT_OK;
  if (!has_ended && weft_ext_pool_remove(own, helper)) {
    weft_ext_thread_discard(helper);
  } else if (!has_ended) {
    static_cast<void>(weft_thread_join(helper));  // it has started, and does nothing
  }
  if (is_served) static_cast<void>(weft_pool_detach(own, number));
  return is_served;
}

// No pool is served: a task that runs goes back to its pool when it yields. True: the worker runs
// none now; or that is worker 0, and runs the main task.
bool wait_for_worker(const runtime* all, unsigned worker) {
  weft_pool* own = nullptr;
  if (weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &own) != WEFT_OK) return false;
  const bool is_idle = run_helper(all, worker, own);
  static_cast<void>(weft_pool_destroy(own));
  return is_idle;
}

// Only the main task stays in its pool, which its worker serves again.
void leave_main_task_alone(runtime* all) {
  weft_pool* const home = all->shepherds[0].staying;
  bool had_main = false;
  for (weft_thread* unit = nullptr; (unit = weft_ext_pool_pop(home)) != nullptr;) {
    if (unit == all->main_thread) {
      had_main = true;
    } else {
      static_cast<void>(weft_ext_pool_push(all->dropped, unit, WEFT_PUSH_YIELDED));
    }
  }
  if (had_main) static_cast<void>(weft_ext_pool_push(home, all->main_thread, WEFT_PUSH_YIELDED));
  static_cast<void>(weft_pool_attach(home, all->main_worker));
}

}  // namespace

change::change() {
  static_cast<void>(pthread_mutex_lock(&changes));
  while (is_changing) static_cast<void>(pthread_cond_wait(&change_is_over, &changes));
  is_changing = true;
  static_cast<void>(pthread_mutex_unlock(&changes));
}

change::~change() {
  static_cast<void>(pthread_mutex_lock(&changes));
  is_changing = false;
  static_cast<void>(pthread_cond_broadcast(&change_is_over));
  static_cast<void>(pthread_mutex_unlock(&changes));
}

bool watch_own_thread(runtime* all) { return has_key && pthread_setspecific(key, all) == 0; }

runtime* left_to_caller() {
  if (weft_self() == nullptr) return nullptr;  // its main task may free it at this moment
  runtime* const all = left.load(base::relaxed);
  return all != nullptr && weft_self() == all->main_thread ? all : nullptr;
}

bool is_one_left() { return left.load(base::relaxed) != nullptr; }

// OS threads outside that use the runtime are done with it.
static void take_away_the_runtime() {
  const face::guard inside(used_outside);
  the_runtime.store(nullptr, base::relaxed);
}

// Threads of the program's may be pinned to the worker, or it may serve a pool of the program's.
static void leave_program() {
  constexpr std::uint64_t patience_ns = 1'000'000'000;
  const std::uint64_t told_at = weft_deadline_in(patience_ns);
  bool is_told = false;
  weft_status result = weft_worker_leave();
  for (; result == WEFT_BUSY; result = weft_worker_leave()) {
    if (!is_told && weft_now_ns() > told_at) {
      report("qthread_finalize: waits until the OS thread can leave Weft: %s", weft_last_error());
      is_told = true;
    }
    weft_yield();
  }
  if (result != WEFT_OK) report("qthread_finalize: the OS thread stays a worker of Weft's: %s", weft_last_error());
}

void leave_core(const runtime* all, weft_finalize_mode mode) {
  if (all->is_adopted) {
    leave_program();
  } else {
    static_cast<void>(weft_finalize_with(mode));
  }
}

void end(runtime* all, weft_finalize_mode mode) {
  static_cast<void>(pthread_setspecific(key, nullptr));
  abandon_caller(all);
  all->workers[0].made->forget_all();  // the main task's own
  if (mode == WEFT_DROP) {
    take_away_the_runtime();
    stop_serving(all);
  }
  leave_core(all, mode);
  take_away_the_runtime();
  runtime* mine = all;  // it may be another one's meanwhile, if the key's destructor ends this one
  static_cast<void>(left.compare_exchange_strong(mine, nullptr, base::relaxed));
  for (unsigned i = 0; mode == WEFT_DRAIN && i < all->worker_count(); ++i) all->workers[i].made->forget_all();
  if (mode == WEFT_DROP) tell_outside_waiters();
  keep(all, mode == WEFT_DROP ? &kept : &kept_for_good);
  free_kept();
}

void free_kept() {
  while (runtime* const all = take_kept()) {
    free_shepherds(all);
    std::free(all);
  }
}

void end_from_outside(runtime* all) {
  take_away_the_runtime();
  left.store(all, base::relaxed);
  stop_serving(all);
  bool are_idle = true;
  for (unsigned i = 0; i < all->worker_count(); ++i) are_idle = wait_for_worker(all, i) && are_idle;
  tell_outside_waiters();
  if (are_idle && all->has_pools()) leave_main_task_alone(all);
  if (!all->has_started_core) return;
  for (unsigned i = all->worker_count(); --i != 0;) static_cast<void>(weft_worker_remove(i));
}

}  // namespace weft::qthreads
