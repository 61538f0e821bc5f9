// ABT_xstream_barrier_*: a barrier of OS threads. A waiter keeps its execution stream,
// which runs nothing else meanwhile.
#include "faces/common/object.hpp"
#include "handle.hpp"
#include "waiting.hpp"

namespace {

using namespace weft::abt;

struct xstream_barrier {
  weft_barrier parties;
};

xstream_barrier* barrier_of(ABT_xstream_barrier handle) { return face::object_of<xstream_barrier>(handle); }

}  // namespace

int ABT_xstream_barrier_create(uint32_t num_waiters, ABT_xstream_barrier* newbarrier) {
  if (newbarrier == nullptr) return ABT_ERR_INV_ARG;
  *newbarrier = ABT_XSTREAM_BARRIER_NULL;
  if (num_waiters == 0) return ABT_ERR_INV_ARG;
  xstream_barrier* const made = face::make_object<xstream_barrier>(0);
  if (made == nullptr) return ABT_ERR_MEM;
  *newbarrier = reinterpret_cast<ABT_xstream_barrier>(made);
  return weft_barrier_init(&made->parties, num_waiters) == WEFT_OK ? ABT_SUCCESS : ABT_ERR_INV_ARG;
}

int ABT_xstream_barrier_free(ABT_xstream_barrier* handle) {
  if (handle == nullptr || *handle == ABT_XSTREAM_BARRIER_NULL) return ABT_ERR_INV_XSTREAM_BARRIER;
  face::free_object(barrier_of(*handle));
  *handle = ABT_XSTREAM_BARRIER_NULL;
  return ABT_SUCCESS;
}

int ABT_xstream_barrier_wait(ABT_xstream_barrier handle) {
  if (handle == ABT_XSTREAM_BARRIER_NULL) return ABT_ERR_INV_XSTREAM_BARRIER;
  weft_barrier* const parties = &barrier_of(handle)->parties;
  return wait_outside([=] { return weft_barrier_wait(parties, nullptr); }) == WEFT_OK ? ABT_SUCCESS : ABT_ERR_XSTREAM_BARRIER;
}
