// The policy `basic`: as if all stacks lay at one address, so that only the thread that runs is in
// the region. A forker's frames are copied out while its child runs, and back in when the child has
// ended. They lie in a copy of the stack, at the same distance for all, and there thieves find
// them.
#include <cstring>

#include "base/config.hpp"
#include "dist/rank/engine.hpp"
#include "dist/run/below.hpp"

namespace weft::dist {
namespace {

constexpr int poison = 0xdb;

std::ptrdiff_t distance;  // from the stack to its copy: equal in all ranks

std::uintptr_t out_of(std::uintptr_t frame) { return frame + static_cast<std::uintptr_t>(distance); }
void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

void copy_out(const slot* forker) {
  const std::size_t bytes = forker[-1].frame - forker->frame;
  std::memcpy(pointer(out_of(forker->frame)), pointer(forker->frame), bytes);
  if constexpr (config::checked) std::memset(pointer(forker->frame), poison, bytes);
}

void copy_in(const slot* forker) {
  std::memcpy(pointer(forker->frame), pointer(out_of(forker->frame)), forker[-1].frame - forker->frame);
}

// The child's first frame, below the forker's, which it copies.
[[gnu::noinline]] void run_alone(void* run, void* work) {
  control* mine = here();
  copy_out(mine->top - 1);
  if (mine->queue.seems_empty()) publish(mine);
  reinterpret_cast<run_function>(run)(work);
  mine = here();
  if (mine->top - 1 < mine->split) {
    go_on_or_end(mine);
  } else {
    --mine->top;
  }
  copy_in(mine->top);
}

weft_forked* fork(control* mine, run_function run, const void* work, std::size_t bytes) {
  weft_forked* const place = take_place(mine, run, work, bytes);
  return place == nullptr ? nullptr : suspend_and_run(mine, place, run, run_alone);
}

std::size_t copy_bytes(std::size_t stack_bytes) { return stack_bytes; }

void start(control* mine, std::byte* more) {
  const auto stack_end = reinterpret_cast<std::uintptr_t>(mine->slots);
  distance = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(more) + all.set.stack_bytes - stack_end);
}

void copy_frame(int victim, const continuation& what) {
  std::memcpy(pointer(what.frame), alias_of(victim, out_of(what.frame)), what.frame_end - what.frame);
}

}  // namespace

constinit const policy policies::basic = {
    .region_bytes = copy_bytes,
    .region_bytes_a_rank = 0,
    .is_inline = false,
    .start = start,
    .fork = fork,
    .join = join_continuation,
    .steal = steal_continuation,
    .take_offer = nullptr,
    .stalls = false,
    .frame_end = frame_end_below,
    .copy_frame = copy_frame,
    .evacuate = evacuate_stack,
    .bring_back = bring_back_stack,
    .stay = nullptr,
    .end_root = nullptr,
};

}  // namespace weft::dist
