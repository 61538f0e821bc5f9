// weft.h: pools and workers.

#include <weft/weft.h>

#include "capi/failing.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "life/adopted.hpp"
#include "life/removal.hpp"
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
  static constexpr call_errors of{"weft_worker_add", "out"};
  if (out == nullptr) return refuse_null(of);
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::add_worker(out), of);
}

weft_status weft_worker_remove(unsigned worker) {
  static constexpr call_errors of{.call = "weft_worker_remove", .invalid = {"worker", no_such_worker}};
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::remove_worker(worker), of, nullptr, worker);
}

weft_status weft_worker_adopt(const weft_adopt_config* config) {
  static constexpr call_errors of{.call = "weft_worker_adopt", .invalid = {"config", weft::is_wrong_size}};
  if (config != nullptr && config->size != sizeof *config) return told(WEFT_INVALID, of, nullptr, config->size);
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  const void* const made_at = __builtin_return_address(0);
  if (config == nullptr) return told(sched::adopt({nullptr, false, made_at}), of);
  return told(sched::adopt({config->name, config->bind, made_at}), of);
}

weft_status weft_worker_leave(void) {
  static constexpr call_errors of{.call = "weft_worker_leave",
                                  .not_owner = {nullptr, "the caller is not a ULT that weft_worker_adopt made of its caller"}};
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::leave_adoption(), of);
}

weft_status weft_pool_create(weft_pool_kind kind, weft_pool_access access, weft_pool** out) {
  static constexpr call_errors of{"weft_pool_create", "out"};
  if (out == nullptr) return refuse_null(of);
  if (const weft_status refused = refusal_of_kind(of, kind); refused != WEFT_OK) return refused;
  if (const weft_status refused = refusal_of_access(of, access); refused != WEFT_OK) return refused;
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::create_pool(kind, access, reinterpret_cast<sched::pool**>(out)), of);
}

weft_status weft_pool_destroy(weft_pool* pool) {
  static constexpr call_errors of{"weft_pool_destroy", "pool"};
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  return pool != nullptr ? told(sched::destroy_pool(pool_of(pool)), of, pool) : refuse_null(of);
}

weft_status weft_pool_attach(weft_pool* pool, unsigned worker) {
  static constexpr call_errors of{.call = "weft_pool_attach",
                                  .argument = "pool",
                                  .invalid = {"worker", no_such_worker},
                                  .busy = {"pool", "it is private, and a worker serves it already"}};
  sched::runtime* rt = sched::local::current_runtime();
  if (pool == nullptr) return refuse_null(of);
  return rt != nullptr ? told(sched::attach_pool(rt, pool_of(pool), worker), of, pool, worker) : no_runtime(of);
}

weft_status weft_pool_detach(weft_pool* pool, unsigned worker) {
  static constexpr call_errors of{"weft_pool_detach", "pool"};
  sched::runtime* rt = sched::local::current_runtime();
  if (pool == nullptr) return refuse_null(of);
  return rt != nullptr ? told(sched::detach_pool(rt, pool_of(pool), worker), of, pool) : no_runtime(of);
}

size_t weft_pool_ready_count(const weft_pool* pool) { return pool != nullptr ? sched::ready_units(pool_of(pool)) : 0; }

size_t weft_pool_total_count(const weft_pool* pool) { return pool != nullptr ? sched::total_units(pool_of(pool)) : 0; }

}  // extern "C"
