// The policy `iso-address`: each child has a stack of its own, at an address that no other thread
// of any rank has. So a rank keeps addresses free for the stacks of all ranks. A stack belongs to
// the rank whose fork took it; it comes back when its thread has ended, on whatever rank.
//
// The root has the region's stack. A thread that waits leaves its frames where they are: the rank
// that resumes it copies them from there. A stack's guard is installed where the rank first uses
// the stack.
#include <cstring>

#include "arch/context.hpp"
#include "base/assert.hpp"
#include "dist/rank/engine.hpp"
#include "os/vm.hpp"

namespace weft::dist {
namespace {

constexpr std::size_t stack_bytes = own_stacks::bytes;
constexpr std::uint32_t stacks = own_stacks::most;
constexpr std::size_t bytes_a_rank = stack_bytes * stacks;

std::uint64_t guarded[net::most_ranks * stacks / 64];  // of all ranks' stacks, here
std::uint16_t free_stacks[stacks];
std::uint32_t usable;  // as many as WEFT_DIST_POOL says
std::uint32_t free_count;

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

// Of all stacks of all ranks.
std::size_t number_of(std::uintptr_t address) { return (address - all.own_stacks_at) / stack_bytes; }
bool is_in_own_stack(std::uintptr_t address) { return address - all.own_stacks_at < all.own_stack_bytes; }
std::uintptr_t lowest(std::size_t number) { return all.own_stacks_at + number * stack_bytes; }

// Not all at the same distance from a page, whose lines would share a set of the cache.
std::uintptr_t end_of_stack(std::size_t number) { return lowest(number) + stack_bytes - number % 16 * 2 * base::cache_line; }

// False: out of mappings.
bool guard(std::size_t number) {
  std::uint64_t& word = guarded[number / 64];
  const std::uint64_t bit = std::uint64_t{1} << (number % 64);
  if ((word & bit) != 0) [[likely]]
    return true;
  if (os::install_guard(pointer(lowest(number)), os::page_bytes(), os::guard_kind::mprotect_page) != status::ok) return false;
  word |= bit;
  return true;
}

void collect() {
  shared_part* const part = all.part;
  std::uint64_t next = part->stacks.returned.take_all();
  while (next != 0) {
    auto* const link = reinterpret_cast<base::atomic<std::uint64_t>*>(next);
    next = link->load(base::relaxed);
    free_stacks[free_count++] = static_cast<std::uint16_t>(link - part->stacks.links);
  }
}

// Where a fresh stack ends; 0: there is none.
std::uintptr_t take_stack() {
  if (free_count == 0) collect();
  if (free_count == 0) return 0;
  const std::size_t number = static_cast<std::size_t>(all.job.rank) * stacks + free_stacks[free_count - 1];
  if (!guard(number)) return 0;
  --free_count;
  return end_of_stack(number);
}

// The caller may still run on it: it is this rank's, or it is another rank's, whose bytes are
// others.
void give_stack(std::uintptr_t address) {
  const std::size_t number = number_of(address);
  const auto rank = static_cast<int>(number / stacks);
  const std::size_t index = number % stacks;
  if (rank == all.job.rank) {
    free_stacks[free_count++] = static_cast<std::uint16_t>(index);
    return;
  }
  own_stacks& its = part_of(rank)->stacks;
  its.returned.give(reinterpret_cast<std::uint64_t>(&its.links[index]), its.links[index]);
}

// A child, on its stack.
void run_on_own_stack(void* run, void* work) {
  if (here()->queue.seems_empty()) publish(here());
  reinterpret_cast<run_function>(run)(work);
  control* const mine = here();
  give_stack(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
  if (mine->top - 1 < mine->split) {
    go_on_or_end(mine);
  } else {
    --mine->top;
  }
  arch::jump_context(pointer(mine->top->frame), nullptr);
}

weft_forked* fork(control* mine, run_function run, const void* work, std::size_t bytes) {
  weft_forked* const place = take_place(mine, run, work, bytes);
  if (place == nullptr) return nullptr;
  const std::uintptr_t stack = take_stack();
  if (stack == 0) {
    ++mine->count.full;
    return nullptr;
  }
  slot* const forker = mine->top;
  forker->place = place;
  mine->top = forker + 1;
  mine->places = place + 1;
  place->run = run;  // for reports
  place->taker = nullptr;
  arch::start_context(reinterpret_cast<void**>(&forker->frame), pointer(stack), run_on_own_stack, reinterpret_cast<void*>(run),
                      place->work);
  return place;
}

std::size_t no_bytes(std::size_t) { return 2 * stack_bytes; }

void start(control*, std::byte* more) {
  all.own_stacks_at = base::round_up(reinterpret_cast<std::uintptr_t>(more), stack_bytes);
  all.own_stack_bytes = bytes_a_rank * static_cast<std::size_t>(all.job.ranks);
  usable = all.set.pool < stacks ? all.set.pool : stacks;
  for (std::uint32_t i = 0; i < usable; ++i) free_stacks[i] = static_cast<std::uint16_t>(usable - 1 - i);
  free_count = usable;
}

std::uintptr_t frame_end(const control* mine, const slot*, std::uintptr_t frame) {
  return is_in_own_stack(frame) ? end_of_stack(number_of(frame)) : reinterpret_cast<std::uintptr_t>(mine->slots);
}

void copy_frame(int victim, const continuation& what) {
  if (is_in_own_stack(what.frame) && !guard(number_of(what.frame)))
    base::panic(
        "rank %d of %d cannot protect the stack of a thread that it has taken: the system's limit of mappings "
        "(vm.max_map_count); raise it, start fewer ranks, or unset WEFT_DIST_POLICY",
        all.job.rank, all.job.ranks);
  copy_from_region(victim, what);
}

bool evacuate(control* mine, std::uintptr_t frame, evacuated** out) {
  *out = pack(mine, frame, 0, mine->places);
  return *out != nullptr;
}

void bring_back(control* mine, evacuated* frames) {
  const int owner = owner_of(frames);
  if (owner != all.job.rank) copy_frame(owner, frames->what);
  unpack(mine, frames, 0);
}

void end_root(control*) {
  collect();
  WEFT_ASSERT(free_count == usable, "a stack was not given back; is there a fork without a join?");
}

}  // namespace

constinit const policy policies::iso_address = {
    .region_bytes = no_bytes,
    .region_bytes_a_rank = bytes_a_rank,
    .is_inline = false,
    .start = start,
    .fork = fork,
    .join = join_continuation,
    .steal = steal_continuation,
    .take_offer = nullptr,
    .stalls = false,
    .frame_end = frame_end,
    .copy_frame = copy_frame,
    .evacuate = evacuate,
    .bring_back = bring_back,
    .stay = nullptr,
    .end_root = end_root,
};

}  // namespace weft::dist
