// weft.h: pools and workers.

#include <weft/weft.h>

#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "life/adopted.hpp"
#include "life/workers.hpp"
#include "place/pool.hpp"
#include "place/serving.hpp"
#include "run/next.hpp"
#include "unit/pool_record.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"

using namespace weft::capi;
namespace sched = weft::sched;

extern "C" {

weft_status weft_worker_add(unsigned* out) {
  sched::runtime* rt = sched::local::current_runtime();
  if (out == nullptr) return WEFT_INVALID;
  return rt != nullptr ? code(sched::add_worker(rt, out)) : no_runtime();
}

weft_status weft_worker_remove(unsigned worker) {
  sched::runtime* rt = sched::local::current_runtime();
  return rt != nullptr ? code(sched::remove_worker(rt, worker)) : no_runtime();
}

weft_status weft_worker_adopt(const weft_adopt_config* config) {
  if (config != nullptr && config->size != sizeof *config) return WEFT_INVALID;
  if (sched::is_left_behind()) return WEFT_UNSUPPORTED;
  const void* const made_at = __builtin_return_address(0);
  if (config == nullptr) return code(sched::adopt({nullptr, false, made_at}));
  return code(sched::adopt({config->name, config->bind, made_at}));
}

weft_status weft_worker_leave(void) {
  if (sched::is_left_behind()) return WEFT_UNSUPPORTED;
  return code(sched::leave_adoption());
}

weft_status weft_pool_create(weft_pool_kind kind, weft_pool_access access, weft_pool** out) {
  if (out == nullptr || kind < WEFT_POOL_FIFO || kind > WEFT_POOL_DEQUE || access < WEFT_POOL_SHARED ||
      access > WEFT_POOL_PRIVATE) {
    return WEFT_INVALID;
  }
  if (sched::is_left_behind()) return WEFT_UNSUPPORTED;
  return code(sched::create_pool(kind, access, reinterpret_cast<sched::pool**>(out)));
}

weft_status weft_pool_destroy(weft_pool* pool) {
  if (sched::is_left_behind()) return WEFT_UNSUPPORTED;
  return pool != nullptr ? code(sched::destroy_pool(pool_of(pool))) : WEFT_INVALID;
}

weft_status weft_pool_attach(weft_pool* pool, unsigned worker) {
  sched::runtime* rt = sched::local::current_runtime();
  if (pool == nullptr) return WEFT_INVALID;
  return rt != nullptr ? code(sched::attach_pool(rt, pool_of(pool), worker)) : no_runtime();
}

weft_status weft_pool_detach(weft_pool* pool, unsigned worker) {
  sched::runtime* rt = sched::local::current_runtime();
  if (pool == nullptr) return WEFT_INVALID;
  return rt != nullptr ? code(sched::detach_pool(rt, pool_of(pool), worker)) : no_runtime();
}

size_t weft_pool_ready_count(const weft_pool* pool) { return pool != nullptr ? sched::ready_units(pool_of(pool)) : 0; }

size_t weft_pool_total_count(const weft_pool* pool) { return pool != nullptr ? sched::total_units(pool_of(pool)) : 0; }

}  // extern "C"
