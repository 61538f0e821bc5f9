// See copied.hpp.
#include "worker/copied.hpp"

#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

template <unsigned SizeClass>
[[gnu::noinline, gnu::cold]] void give_slowly(worker* w, copied* mine) {
  give_copied(w->rt, w, mine, SizeClass);
}

template <unsigned SizeClass>
void run_copied(void* argument) {
  auto* const mine = static_cast<copied*>(argument);
  mine->function(mine->bytes());
  worker* const w = local::current_worker();
  mem::slab_cache& cache = w->copied_caches[SizeClass];
  if (!cache.has_some_and_room()) [[unlikely]]
    return give_slowly<SizeClass>(w, mine);
  cache.give_one(mine);
}

}  // namespace

constinit const unit::function_type copied_starts[copied_classes] = {run_copied<0>, run_copied<1>, run_copied<2>};

copied* copied_of(unit::function_type function, void* argument) {
  for (const unit::function_type each : copied_starts) {
    if (function == each) return static_cast<copied*>(argument);
  }
  return nullptr;
}

void start_copied(runtime* rt) {
  for (unsigned each = 0; each < copied_classes; ++each) rt->copied_depots[each].start(copied_block_bytes[each]);
}

void stop_copied(runtime* rt) {
  for (mem::slab_depot& depot : rt->copied_depots) depot.stop();
}

void stop_copied(worker* w) {
  for (mem::slab_cache& cache : w->copied_caches) {
    if (cache.is_started()) cache.stop();
  }
}

copied* take_copied(runtime* rt, worker* w, unsigned size_class) {
  mem::slab_depot& depot = rt->copied_depots[size_class];
  if (w != nullptr) {
    mem::slab_cache& cache = w->copied_caches[size_class];
    if (!cache.is_started()) cache.start(&depot);
    return static_cast<copied*>(cache.take());
  }
  void* block = nullptr;
  return depot.take(&block, 1) == 1 ? static_cast<copied*>(block) : nullptr;
}

void give_copied(runtime* rt, worker* w, copied* one, unsigned size_class) {
  mem::slab_depot& depot = rt->copied_depots[size_class];
  void* block = one;
  if (w == nullptr) return depot.give(&block, 1);
  mem::slab_cache& cache = w->copied_caches[size_class];
  if (!cache.is_started()) [[unlikely]]
    cache.start(&depot);
  cache.give(block);
}

void give_copied_of(const unit* one) {
  const unit::function_type start = function_of(one);
  copied* const mine = copied_of(start, one->argument);
  if (mine == nullptr) return;
  unsigned size_class = 0;
  while (copied_starts[size_class] != start) ++size_class;
  worker* const w = local::current_worker();
  give_copied(local::current_runtime(), w, mine, size_class);
}

}  // namespace weft::sched
