// ABT_init and ABT_finalize: counted, from any caller; the first makes the runtime, the last ends
// it.

#include <pthread.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "affinity.hpp"
#include "dump.hpp"
#include "environment.hpp"
#include "handle.hpp"
#include "info.hpp"
#include "key.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "tool.hpp"
#include "unit.hpp"
#include "unit_map.hpp"

namespace weft::abt {

constinit atomic<runtime*> the_runtime{nullptr};
constinit atomic<bool> is_laid_out{false};

namespace {

constinit runtime the_memory{};
// What the core keeps of a stack at its high end: its record, and the colour.
constexpr std::size_t core_bytes_of_stack = 4096;

bool has_fields = false;
std::size_t offset_of_fields;

// Once a process: the core keeps the reservation. When this library is loaded, so that ABT_init
// finds the bytes also in a runtime that the program started before.
[[gnu::constructor]] void reserve_fields() {
  if (has_fields) return;
  has_fields = weft_ext_reserve(sizeof(unit_fields), &offset_of_fields) == WEFT_OK;
  if (has_fields) weft_ext_show_function(run_bottom, offset_of_fields + offsetof(unit_fields, function));
}

int need_fields() {
  reserve_fields();
  if (has_fields) return ABT_SUCCESS;
  report(weft_is_initialized()
             ? "ABT_init: Weft ran already when libweft-abt was loaded: load it before weft_init, or call ABT_init first"
             : "ABT_init: other layers have taken the bytes that Weft keeps for them in each thread");
  return ABT_ERR_OTHER;
}

// The primary ULT has to be one that the core adopted: those alone stand on an OS thread's stack.
constexpr std::uint64_t id_of_adopted = 1;  // weft_init's caller
bool is_adopted_here = false;               // ABT_init made a ULT and a worker of its caller

int status_of(weft_status result) {
  if (result == WEFT_OK) return ABT_SUCCESS;
  return result == WEFT_NOMEM ? ABT_ERR_MEM : result == WEFT_AGAIN ? ABT_ERR_SYS : ABT_ERR_OTHER;
}

weft_status start_alone(const settings& wanted) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  config.stack_bytes = wanted.thread_stack_bytes + core_bytes_of_stack;
  config.locality = WEFT_LOCALITY_STRICT;
  return weft_ext_start(&config);
}

// The caller is no thread of Weft's, but an OS thread that may be beside weft_init's caller, whose
// call may be under way. Where that was first, the program's weft_finalize waits until
// ABT_finalize lets the worker go.
int start_or_adopt(const settings& wanted) {
  for (;;) {
    if (const weft_status result = start_alone(wanted); result != WEFT_BUSY) return status_of(result);
    const weft_status result = weft_worker_adopt(nullptr);
    if (result == WEFT_NOT_INITIALIZED) continue;  // the program's runtime has ended meanwhile
    is_adopted_here = result == WEFT_OK;
    if (result != WEFT_OK) report("ABT_init: %s", weft_last_error());
    return status_of(result);
  }
}

int nest_in_program(const weft_thread* self) {
  if (weft_thread_id(self) == id_of_adopted) return status_of(weft_ext_init(nullptr));
  report(
      "ABT_init: Weft runs already: call ABT_init from the thread that called weft_init, or from an OS thread that is no worker "
      "(weft_worker_leave ends that), not from a thread that Weft made");
  return ABT_ERR_OTHER;
}

int start_core(const settings& wanted) {
  if (const int error = need_fields(); error != ABT_SUCCESS) return error;
  is_adopted_here = false;
  weft_ext_leave_signals();
  const weft_thread* const self = weft_self();
  if (const int error = self != nullptr ? nest_in_program(self) : start_or_adopt(wanted); error != ABT_SUCCESS) return error;
  weft_ext_name_stack_setting(run_bottom, "ABT_THREAD_STACKSIZE, or the size by ABT_thread_attr_set_stacksize",
                              core_bytes_of_stack);
  take_default_stacks(weft_ext_stack_bytes() - core_bytes_of_stack);
  auto* const primary = reinterpret_cast<char*>(weft_self());
  distance_to_fields = static_cast<char*>(weft_ext_bytes(weft_self(), offset_of_fields)) - primary;
  return ABT_SUCCESS;
}

// The caller becomes the primary ULT, in a pool of the primary stream.
void adopt_caller(runtime* all) {
  auto* const mine = new (fields_of(all->primary_thread)) unit_fields{};
  mine->kind.store(is_unit | is_yieldable | is_primary, std::memory_order_relaxed);
  mine->last_stream.store(all->primary_stream, std::memory_order_relaxed);
  pool* const home = main_pool(all->primary_stream);
  static_cast<void>(associate_new(all->primary_thread, home));  // a built-in pool
  static_cast<void>(weft_ext_thread_set_pool(all->primary_thread, home->queue));
  static_cast<void>(weft_pin(WEFT_ANY_WORKER));
}

int make_primary_stream(runtime* all) {
  scheduler* main = nullptr;
  if (const int error = create_basic_scheduler(ABT_SCHED_DEFAULT, 0, nullptr, ABT_SCHED_CONFIG_NULL, &main);
      error != ABT_SUCCESS) {
    return error;
  }
  const int error = create_stream(main, ABT_XSTREAM_ANY_RANK, true, &all->primary_stream);
  if (error != ABT_SUCCESS) free_scheduler(main, true);
  return error;
}

// Only now does the main scheduler dispatch the primary ULT, as it will from now on.
void enter_primary_stream() { weft_yield(); }

void forget(runtime* all) {
  is_laid_out.store(false, std::memory_order_relaxed);
  the_runtime.store(nullptr, std::memory_order_relaxed);
  all->~runtime();
}

// The program may have pinned threads to this worker, or have it serve a pool: the end waits for
// theirs, as that of the program's own runtime does.
void leave_program() {
  constexpr std::uint64_t patience_ns = 1'000'000'000;
  const std::uint64_t told_at = weft_now_ns() + patience_ns;
  bool is_told = false;
  weft_status result = weft_worker_leave();
  for (; result == WEFT_BUSY; result = weft_worker_leave()) {
    if (!is_told && weft_now_ns() > told_at) {
      report("ABT_finalize: waits until the OS thread can leave Weft: %s", weft_last_error());
      is_told = true;
    }
    weft_yield();
  }
  if (result != WEFT_OK) report("ABT_finalize: the OS thread stays a worker of Weft's: %s", weft_last_error());
}

void end_core() {
  end_dumps();
  if (!is_adopted_here) {
    static_cast<void>(weft_finalize());
  } else {
    leave_program();
  }
  free_kept_pools();
  end_affinity();
}

int start() {
  const settings& wanted = read_settings();
  if (const int error = start_core(wanted); error != ABT_SUCCESS) return error;
  auto* const all = new (&the_memory) runtime{};
  all->primary_thread = weft_self();
  all->most_streams.store(static_cast<int>(wanted.most_streams), std::memory_order_relaxed);
  start_affinity(wanted);
  reset_pool_ids();
  the_runtime.store(all, std::memory_order_relaxed);  // for take_rank and its like
  int error = start_dumps();
  if (error == ABT_SUCCESS) error = make_primary_stream(all);
  if (error != ABT_SUCCESS) {
    forget(all);
    end_core();
    return error;
  }
  adopt_caller(all);
  enter_primary_stream();
  // [Z30] release: all is laid out; pairs with [Z19]
  is_laid_out.store(true, std::memory_order_release);
  if (wanted.prints_config) print_config(stdout);
  return ABT_SUCCESS;
}

int may_end(const runtime* all) {
  const caller me = who_calls();
  if (me.thread == all->primary_thread) return ABT_SUCCESS;
  return me.is_outside() || me.where != all->primary_stream ? ABT_ERR_INV_XSTREAM : ABT_ERR_INV_THREAD;
}

// Its pool may be one of a stream that is about to end.
void go_to_primary_pool(runtime* all) {
  const scheduler* const main = all->primary_stream->main_scheduler.load(std::memory_order_relaxed);
  if (main->pool_count == 0 || main->serves(fields_of(all->primary_thread)->home)) return;
  static_cast<void>(associate(all->primary_thread, main->pool_at(0)));
}

// By the primary ULT, which stays there: a stream that takes it out of a pool hands it to the
// primary stream.
void go_to_primary_stream(runtime* all) {
  all->keeps_primary.store(true, std::memory_order_relaxed);
  static_cast<void>(weft_pin(WEFT_ANY_WORKER));
  go_to_primary_pool(all);
  while (who_calls().where != all->primary_stream) yield_somehow();
  static_cast<void>(weft_pin(static_cast<int>(all->primary_stream->worker)));
}

// Those that the program has left running.
void free_secondary_streams(runtime* all) {
  stream* one = all->first;
  while (one != nullptr) {
    stream* const next = one->after;
    if (!one->is_primary && join_stream(one) == ABT_SUCCESS) free_stream(one);
    one = next;
  }
}

// Runs what is in the primary stream's pools; the caller goes into none of them any more, but
// destructors of its values may ask for its pool.
void end_primary_stream(runtime* all) {
  stream* const one = all->primary_stream;
  static_cast<void>(weft_ext_thread_set_pool(all->primary_thread, nullptr));
  request(one->main_scheduler.load(std::memory_order_relaxed), stop_when_empty);
  wake_main_scheduler(one);
  while (weft_ext_thread_wait(one->scheduler_thread) == WEFT_BUSY) weft_yield();
  unit_fields* const mine = fields_of(all->primary_thread);
  free_values(mine);
  std::free(mine->moving.load(std::memory_order_relaxed));
  dissociate(all->primary_thread);
  free_stream(one);
}

void end(runtime* all) {
  go_to_primary_stream(all);
  static_cast<void>(ABT_tool_register_thread_callback(nullptr, ABT_TOOL_EVENT_THREAD_NONE, nullptr));
  free_secondary_streams(all);
  end_primary_stream(all);
  new (fields_of(all->primary_thread)) unit_fields{};  // the caller may go on as a thread of weft.h
  forget(all);
  end_unit_map();
  end_core();
}

// ---- counting -----------------------------------------------------------------------------------

// Guards the rest; the runtime starts and ends outside it.
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t has_changed = PTHREAD_COND_INITIALIZER;
unsigned count = 0;
enum class change { none, start, end };
change under_way = change::none;

class count_lock {
 public:
  count_lock() { pthread_mutex_lock(&lock); }
  ~count_lock() { pthread_mutex_unlock(&lock); }
  count_lock(const count_lock&) = delete;
  count_lock& operator=(const count_lock&) = delete;

  // While another caller starts or ends the runtime. False: a unit that is still there, which would
  // keep it from ending, or a tasklet, which cannot wait.
  bool wait_for_change() {
    while (under_way != change::none) {
      const weft_thread* const self = weft_self();
      if (self == nullptr) {
        pthread_cond_wait(&has_changed, &lock);
        continue;
      }
      if (under_way == change::end || weft_thread_is_tasklet(self)) return false;
      pthread_mutex_unlock(&lock);
      weft_yield();
      pthread_mutex_lock(&lock);
    }
    return true;
  }
};

void end_change(unsigned new_count) {
  const count_lock hold;
  count = new_count;
  under_way = change::none;
  pthread_cond_broadcast(&has_changed);
}

enum class task { none, change };

int count_init(task* what) {
  count_lock hold;
  if (!hold.wait_for_change()) return ABT_ERR_OTHER;
  if (count != 0) {
    ++count;
    return ABT_SUCCESS;
  }
  under_way = change::start;
  *what = task::change;
  return ABT_SUCCESS;
}

int count_finalize(task* what) {
  count_lock hold;
  if (!hold.wait_for_change() || count == 0) return ABT_ERR_UNINITIALIZED;
  if (count > 1) {
    --count;
    return ABT_SUCCESS;
  }
  if (const int error = may_end(current_runtime()); error != ABT_SUCCESS) return error;
  under_way = change::end;
  *what = task::change;
  return ABT_SUCCESS;
}

}  // namespace

}  // namespace weft::abt

using namespace weft::abt;

int ABT_init(int, char**) {
  task what = task::none;
  if (const int error = count_init(&what); error != ABT_SUCCESS || what == task::none) return error;
  const int error = start();
  end_change(error == ABT_SUCCESS ? 1 : 0);
  return error;
}

int ABT_finalize() {
  task what = task::none;
  if (const int error = count_finalize(&what); error != ABT_SUCCESS || what == task::none) return error;
  end(current_runtime());
  end_change(0);
  return ABT_SUCCESS;
}

int ABT_initialized() { return is_initialized() ? ABT_SUCCESS : ABT_ERR_UNINITIALIZED; }
