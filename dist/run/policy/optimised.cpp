// The policies `optimised` and `stalling`: a child runs below its forker, on the same stack, and no
// switch copies anything. Frames are copied when a thief takes them, and when their thread waits in
// a join. Under `optimised` the rank on which the child ends goes on with them; under `stalling`
// the rank on which they wait does, once it is out of work. The quick way of a fork is in fork.cpp;
// here is what it leaves.
#include "arch/cpu.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/engine.hpp"
#include "dist/run/below.hpp"

namespace weft::dist {
namespace {

// Thieves were the last to write what a publication writes: one wait for all of it.
void prefetch_publication(const control* mine) {
  arch::prefetch_to_write(mine->queue.line_of_word());
  arch::prefetch_to_write(mine->queue.line_of(mine->index_of(mine->split)));
  all.part->records.prefetch();
}

// For a fork at which others want continuations, or that must migrate.
[[gnu::noinline]] void publish_and_run_child(void* run, void* work) {
  publish(here());
  return run_child(run, work);
}

weft_forked* fork(control* mine, run_function run, const void* work, std::size_t bytes) {
  weft_forked* const place = take_place(mine, run, work, bytes);
  if (place == nullptr) return nullptr;
  const bool is_wanted = reinterpret_cast<std::uintptr_t>(place) >= mine->limit.load(base::relaxed);
  if (is_wanted) prefetch_publication(mine);
  return suspend_and_run(mine, place, run, is_wanted ? publish_and_run_child : run_child);
}

std::size_t no_bytes(std::size_t) { return 0; }

void start(control* mine, std::byte*) { mine->quiet_limit = reinterpret_cast<std::uintptr_t>(mine->places_end); }

constexpr policy below(bool stalls) {
  return {
      .region_bytes = no_bytes,
      .region_bytes_a_rank = 0,
      .is_inline = false,
      .start = start,
      .fork = fork,
      .join = join_continuation,
      .steal = steal_continuation,
      .take_offer = take_continuation,
      .stalls = stalls,
      .frame_end = frame_end_below,
      .copy_frame = copy_from_region,
      .evacuate = evacuate_stack,
      .bring_back = bring_back_stack,
      .stay = nullptr,
      .end_root = nullptr,
  };
}

}  // namespace

constinit const policy policies::optimised = below(false);
constinit const policy policies::stalling = below(true);

}  // namespace weft::dist
