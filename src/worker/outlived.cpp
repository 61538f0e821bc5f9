// See outlived.hpp. Called by weft_finalize after all workers have stopped, and by the threads that
// let go of what outlived it, of any later runtime or of none.
#include "worker/outlived.hpp"

#include "base/config.hpp"
#include "worker/extras.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

constinit details details_of_outlived{};
constinit details details_of_dropped{};

namespace {

constinit base::atomic<std::uint64_t> next_id{2};

// What becomes of a block of the runtime's units.
bool outlives(void* block, mem::left_chunk* of) {
  auto* const one = static_cast<unit*>(block);
  if (one->state.load(base::relaxed) == unit_state::free) return false;
  const bool is_dropped = was_dropped(one);
  if (!is_dropped) free_details(one);
  if (!is_dropped && !join_word::means_ended(one->join.load(base::relaxed))) return false;
  one->in.store(0, base::relaxed);
  one->home.store(nullptr, base::relaxed);
  one->parent = nullptr;
  one->left_in = of;
  if (!is_dropped) one->extra.store(&details_of_outlived, base::relaxed);
  one->set(is_known);
  return true;
}

}  // namespace

void leave_dropped(unit* one) {
  one->extra.store(&details_of_dropped, base::relaxed);  // seen by those that find the word ended
  one->set(is_known);
}

void leave_unjoined(runtime* rt) {
  if (rt->unit_depot.stop_without(outlives) != 0) next_id.store(rt->next_id.load(base::relaxed), base::relaxed);
}

std::uint64_t first_id() { return next_id.load(base::relaxed); }

void let_outlived_go(unit* one) {
  if (config::checked && !was_dropped(one)) the_hooks.tell_outlived(one);
  one->state.store(unit_state::free, base::relaxed);
  mem::slab_depot::let_go(one->left_in);
}

}  // namespace weft::sched
