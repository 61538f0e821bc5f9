// ABT_barrier_*: Weft's barriers.
#include "faces/common/object.hpp"
#include "handle.hpp"
#include "tool.hpp"
#include "waiting.hpp"

namespace {

using namespace weft::abt;

struct barrier {
  weft_barrier parties;
  std::uint32_t count;
};

barrier* barrier_of(ABT_barrier handle) { return face::object_of<barrier>(handle); }

int set_count(barrier* one, std::uint32_t count) {
  one->count = count;
  return weft_barrier_init(&one->parties, count) == WEFT_OK ? ABT_SUCCESS : ABT_ERR_INV_ARG;
}

}  // namespace

int ABT_barrier_create(uint32_t num_waiters, ABT_barrier* newbarrier) {
  if (newbarrier == nullptr) return ABT_ERR_INV_ARG;
  *newbarrier = ABT_BARRIER_NULL;
  if (num_waiters == 0) return ABT_ERR_INV_ARG;
  barrier* const made = face::make_object<barrier>(0);
  if (made == nullptr) return ABT_ERR_MEM;
  *newbarrier = reinterpret_cast<ABT_barrier>(made);
  return set_count(made, num_waiters);
}

int ABT_barrier_reinit(ABT_barrier handle, uint32_t num_waiters) {
  if (handle == ABT_BARRIER_NULL) return ABT_ERR_INV_BARRIER;
  if (num_waiters == 0) return ABT_ERR_INV_ARG;
  return set_count(barrier_of(handle), num_waiters);
}

int ABT_barrier_free(ABT_barrier* handle) {
  if (handle == nullptr || *handle == ABT_BARRIER_NULL) return ABT_ERR_INV_BARRIER;
  face::free_object(barrier_of(*handle));
  *handle = ABT_BARRIER_NULL;
  return ABT_SUCCESS;
}

int ABT_barrier_wait(ABT_barrier handle) {
  if (handle == ABT_BARRIER_NULL) return ABT_ERR_INV_BARRIER;
  weft_thread* const self = weft_hot_self();
  if (is_tasklet(self)) return ABT_ERR_BARRIER;
  weft_barrier* const parties = &barrier_of(handle)->parties;
  const named_wait as(ABT_SYNC_EVENT_TYPE_BARRIER, handle);
  const weft_status result = wait_anywhere([=] { return weft_barrier_wait(parties, nullptr); });
  end_if_cancelled(self);
  return result == WEFT_OK ? ABT_SUCCESS : ABT_ERR_BARRIER;
}

int ABT_barrier_get_num_waiters(ABT_barrier handle, uint32_t* num_waiters) {
  if (handle == ABT_BARRIER_NULL) return ABT_ERR_INV_BARRIER;
  if (num_waiters == nullptr) return ABT_ERR_INV_ARG;
  *num_waiters = barrier_of(handle)->count;
  return ABT_SUCCESS;
}
