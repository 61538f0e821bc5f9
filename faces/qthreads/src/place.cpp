// Where the caller is, and to which shepherd it goes.
#include <cstdint>

#include "task.hpp"

using namespace weft::qthreads;

namespace {

// The worker that runs the caller; -1 outside, in a blocking action, and where nothing runs.
int worker_of_caller() {
  const runtime* const all = current_runtime();
  return all != nullptr ? worker_here(all) : -1;
}

qthread_shepherd_id_t shepherd_of_caller() {
  const runtime* const all = current_runtime();
  if (all == nullptr) return NO_SHEPHERD;
  const int here = worker_here(all);
  return here < 0 ? NO_SHEPHERD : static_cast<qthread_shepherd_id_t>(shepherd_of(all, here));
}

// By number, in steps of one or of one less than all.
void step(qthread_shepherd_id_t* shep, bool is_forward) {
  const runtime* const all = current_runtime();
  if (all == nullptr || shep == nullptr || *shep >= all->shepherd_count) return;
  unsigned at = *shep;
  do {
    at = (at + (is_forward ? 1 : all->shepherd_count - 1)) % all->shepherd_count;
  } while (!is_on(all, at) && at != *shep);
  *shep = static_cast<qthread_shepherd_id_t>(at);
}

// In the order of distance from the caller's shepherd, which comes first.
void step_by_distance(qthread_shepherd_id_t* shep, bool is_forward) {
  const runtime* const all = current_runtime();
  const qthread_shepherd_id_t home = shepherd_of_caller();
  if (all == nullptr || shep == nullptr || home == NO_SHEPHERD || *shep >= all->shepherd_count) return;
  const unsigned count = all->shepherd_count;
  const auto at = [&](unsigned place) { return place == 0 ? home : all->shepherds[home].by_distance[place - 1]; };
  unsigned place = 0;
  while (at(place) != *shep) ++place;
  const unsigned start = place;
  do {
    place = (place + (is_forward ? 1 : count - 1)) % count;
  } while (!is_on(all, at(place)) && place != start);
  *shep = at(place);
}

// The thread of the main task, on whose stack another task may run, moves by its pin alone.
weft_status move_thread(runtime* all, qthread_shepherd_id_t shepherd, weft_pool* home) {
  if (weft_self() != all->main_thread) return move_to_pool(home);
  if (shepherd == NO_SHEPHERD) return WEFT_OK;
  return weft_pin(static_cast<int>(all->core_number(server_of(all, shepherd) * all->workers_each)));
}

}  // namespace

extern "C" {

qthread_shepherd_id_t qthread_shep(void) { return shepherd_of_caller(); }

qthread_worker_id_t qthread_worker_unique(qthread_shepherd_id_t* s) {
  const int here = worker_of_caller();
  if (s != nullptr) *s = shepherd_of_caller();
  return here < 0 ? NO_WORKER : static_cast<qthread_worker_id_t>(here);
}

qthread_worker_id_t qthread_worker(qthread_shepherd_id_t* s) { return qthread_worker_unique(s); }

qthread_worker_id_t qthread_worker_local(qthread_shepherd_id_t* s) {
  const qthread_worker_id_t here = qthread_worker_unique(s);
  return here == NO_WORKER ? here : static_cast<qthread_worker_id_t>(here % current_runtime()->workers_each);
}

unsigned qthread_id(void) {
  task* const mine = self();
  runtime* const all = current_runtime();
  if (mine == nullptr || all == nullptr) return QTHREAD_NULL_TASK_ID;
  while (mine->id == QTHREAD_NON_TASK_ID || mine->id == QTHREAD_NULL_TASK_ID)
    mine->id = all->last_task_id.fetch_add(1, weft::base::relaxed) + 1;
  return mine->id;
}

int qthread_shep_ok(void) {
  const qthread_shepherd_id_t here = shepherd_of_caller();
  if (here == NO_SHEPHERD) return QTHREAD_PTHREAD_ERROR;
  return is_on(current_runtime(), here) ? 1 : 0;
}

void qthread_shep_next(qthread_shepherd_id_t* shep) { step(shep, true); }
void qthread_shep_prev(qthread_shepherd_id_t* shep) { step(shep, false); }
void qthread_shep_next_local(qthread_shepherd_id_t* shep) { step_by_distance(shep, true); }
void qthread_shep_prev_local(qthread_shepherd_id_t* shep) { step_by_distance(shep, false); }

int qthread_distance(qthread_shepherd_id_t const src, qthread_shepherd_id_t const dest) {
  const runtime* const all = current_runtime();
  if (all == nullptr || src >= all->shepherd_count || dest >= all->shepherd_count) return QTHREAD_BADARGS;
  return distance_between(all, src, dest);
}

qthread_shepherd_id_t const* qthread_sorted_sheps_remote(qthread_shepherd_id_t const src) {
  const runtime* const all = current_runtime();
  return all != nullptr && src < all->shepherd_count ? all->shepherds[src].by_distance : nullptr;
}

qthread_shepherd_id_t const* qthread_sorted_sheps(void) { return qthread_sorted_sheps_remote(shepherd_of_caller()); }

int qthread_migrate_to(qthread_shepherd_id_t const shepherd) {
  task* const mine = self();
  runtime* const all = current_runtime();
  if (mine == nullptr || all == nullptr || weft_self() == nullptr || (mine->flags & is_main) != 0) return QTHREAD_NOT_ALLOWED;
  if (shepherd != NO_SHEPHERD && shepherd >= all->shepherd_count) return QTHREAD_BADARGS;
  const int here = worker_here(all);
  weft_pool* const home = shepherd != NO_SHEPHERD ? staying_pool(all, shepherd) : all->workers[here >= 0 ? here : 0].open;
  mine->home = home;
  mine->flags |= has_moved;
  return move_thread(all, shepherd, home) == WEFT_OK ? QTHREAD_SUCCESS : QTHREAD_MALLOC_ERROR;
}

void qthread_yield_(int) {
  weft_thread* const thread = weft_self();
  task* const mine = thread != nullptr ? self() : nullptr;
  if (mine != nullptr && (mine->flags & uses_more) != 0) {
    if (yield_to_children(mine)) return;
    wake_parent(mine);
  }
  weft_yield();
}

void qthread_flushsc(void) {}
}
