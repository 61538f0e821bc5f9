#include "worker/extras.hpp"

#include <cstdlib>

#include "os/heap.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/outlived.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

details* details_of(unit* one) {
  details* known = details_if_any(one);
  if (known != nullptr) return known;
  auto* made = static_cast<details*>(os::allocate(sizeof(details)));
  if (made == nullptr) return nullptr;
  one->set(is_known);
  // [A38] acq_rel: publishes them laid out, or sees another's; pairs with [A37] [A38]
  if (one->extra.compare_exchange_strong(known, made, base::acq_rel, base::acquire)) return made;
  std::free(made);
  return known;
}

void free_details(unit* one) {
  details* extra = details_if_any(one);
  if (extra == nullptr || extra == &details_of_outlived || extra == &details_of_dropped) return;
  one->function = function_of(one);
  std::free(extra->keys);
  std::free(extra->failed);
  std::free(extra);
  one->extra.store(nullptr, base::relaxed);
}

std::uint64_t id_of(unit* one) {
  std::uint64_t id = one->id.load(base::relaxed);
  if (id != 0) return id;
  runtime* rt = local::current_runtime();
  if (rt == nullptr || is_outlived(one)) return 0;  // in a child of fork, or after the runtime
  one->set(is_known);
  const std::uint64_t fresh = rt->next_id.fetch_add(1, base::relaxed);
  return one->id.compare_exchange_strong(id, fresh, base::relaxed, base::relaxed) ? fresh : id;
}

mem::stack* stack_of(const unit* one) {
  const worker* w = local::current_worker();
  if (w != nullptr && w->current == one) return w->standing;
  return join_word::has_ended(one) ? nullptr : one->stack;
}

void* extension_of(unit* one, std::size_t offset) {
  one->set(is_known);
  return reinterpret_cast<char*>(one) + offset;
}

}  // namespace weft::sched
