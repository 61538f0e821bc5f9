// What is there, and how busy it is.
#include <cstdint>

#include "task.hpp"

using namespace weft::qthreads;

namespace {

weft_counts counts() {
  weft_counts now = WEFT_COUNTS_INIT;
  static_cast<void>(weft_count_threads(&now));
  return now;
}

// The caller, and what is ready where it is.
std::size_t busyness_here(runtime* all) {
  const int here = worker_here(all);
  if (here < 0) return SIZE_MAX;
  const unsigned shepherd = shepherd_of(all, here);
  weft_pool* const staying = all->shepherds[shepherd].staying;
  std::size_t ready = weft_pool_ready_count(staying);
  for (unsigned i = 0; i < all->workers_each; ++i) {
    weft_pool* const open = all->workers_of(shepherd)[i].open;
    if (open == nullptr || open == staying || (i > 0 && open == all->workers_of(shepherd)[0].open)) continue;
    ready += weft_pool_ready_count(open);
  }
  if (!all->has_pools()) ready += counts().ready;
  return ready + 1;
}

void* stack_of_caller(std::size_t* bytes) {
  void* base = nullptr;
  *bytes = 0;
  const task* const mine = self();
  if (mine != nullptr && (mine->flags & is_main) == 0) weft_ext_thread_stack(weft_self(), &base, bytes);
  return base;
}

}  // namespace

extern "C" {

qthread_shepherd_id_t qthread_num_shepherds(void) {
  const runtime* const all = current_runtime();
  return all != nullptr ? static_cast<qthread_shepherd_id_t>(all->active_shepherds.load(weft::base::relaxed)) : 0;
}

qthread_worker_id_t qthread_num_workers(void) {
  const runtime* const all = current_runtime();
  return all != nullptr ? static_cast<qthread_worker_id_t>(all->active_workers.load(weft::base::relaxed)) : 0;
}

qthread_worker_id_t qthread_num_workers_local(qthread_shepherd_id_t shepherd_id) {
  runtime* const all = current_runtime();
  if (shepherd_id == NO_SHEPHERD) return qthread_num_workers();
  if (all == nullptr || shepherd_id >= all->shepherd_count) return 0;
  unsigned count = 0;
  for (unsigned i = 0; i < all->workers_each; ++i)
    count += all->workers_of(shepherd_id)[i].is_active.load(weft::base::relaxed) ? 1 : 0;
  return static_cast<qthread_worker_id_t>(count);
}

size_t qthread_readstate(const enum introspective_state type) {
  runtime* const all = current_runtime();
  switch (type) {
    case STACK_SIZE: return weft_ext_stack_bytes();
    case RUNTIME_DATA_SIZE: return sizeof(task);
    case BUSYNESS: return all != nullptr ? busyness_here(all) : SIZE_MAX;
    case NODE_BUSYNESS: {
      const weft_counts now = counts();
      return now.ready + now.running;
    }
    case ACTIVE_SHEPHERDS: return qthread_num_shepherds();
    case TOTAL_SHEPHERDS: return all != nullptr ? all->shepherd_count : 0;
    case ACTIVE_WORKERS: return qthread_num_workers();
    case TOTAL_WORKERS: return all != nullptr ? all->worker_count() : 0;
    case WORKER_OCCUPATION: return counts().running;
    case CURRENT_SHEPHERD: return qthread_shep();
    case CURRENT_WORKER: return qthread_worker_local(nullptr);
    case CURRENT_UNIQUE_WORKER: return qthread_worker_unique(nullptr);
    case CURRENT_TEAM: return qt_team_id();
    case PARENT_TEAM: return qt_team_parent_id();
    default: return SIZE_MAX;
  }
}

void* qthread_tos(void) {
  std::size_t bytes = 0;
  return stack_of_caller(&bytes);
}

void* qthread_bos(void) {
  std::size_t bytes = 0;
  void* const base = stack_of_caller(&bytes);
  return base != nullptr ? static_cast<char*>(base) + bytes : nullptr;
}

size_t qthread_stackleft(void) {
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  const char* const base = static_cast<const char*>(qthread_tos());
  return base != nullptr && here > base ? static_cast<std::size_t>(here - base) : 0;
}
}
