// weft_dist_root: all ranks run one root together.
#include <cstring>

#include <weft/dist.h>

#include "arch/context.hpp"
#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "base/failure.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/engine.hpp"
#include "dist/see/check.hpp"
#include "dist/see/tracing.hpp"
#include "dist/values/exception.hpp"
#include "dist/values/waiting.hpp"
#include "os/clock.hpp"

namespace weft::dist {
namespace {

constexpr std::size_t stack_alignment = 64;

// Where the root's copy of the work lies, and what runs on it.
struct root_frame {
  void (*run)(void* work);
  std::size_t bytes;

  void* work() { return this + 1; }
};
static_assert(sizeof(root_frame) == 16, "the work behind it is aligned as malloc's memory is");

// An earlier root's words that a frame covers and never writes would be taken for this one's.
constexpr std::size_t cleared_bytes = 64 * 1024;

std::uintptr_t stack_top(const control* mine) { return reinterpret_cast<std::uintptr_t>(mine->slots); }

// The root's thread; it ends on some rank, whose region keeps the frame until all ranks have read
// it.
void run_root(void*, void* argument) {
  auto* const frame = static_cast<root_frame*>(argument);
  arch::store_stack_address(&all.part->root_stack);
  arch::clear_kept_registers();
  frame->run(frame->work());
  wait_for_value({});
  control* const mine = here();
  all.part->result = reinterpret_cast<std::uint64_t>(frame->work());
  if (all.is_far)
    tell_root_end(frame->work());
  else
    part_of(0)->root_end.set(all.job.rank);
  leave(mine, event::root_ended, 0);
  base::panic("the root went on after its end");
}

root_frame* lay_root(control* mine, void (*run)(void* work), const void* work, std::size_t bytes) {
  const std::uintptr_t at = stack_top(mine) - base::round_up(sizeof(root_frame) + bytes, stack_alignment);
  auto* const frame = reinterpret_cast<root_frame*>(at);
  *frame = {run, bytes};
  if (bytes != 0) std::memcpy(frame->work(), work, bytes);
  return frame;
}

// Where the stack begins; the smallest stack (WEFT_DIST_STACK) is as large.
void clear_stack(const control* mine) { std::memset(reinterpret_cast<void*>(stack_top(mine) - cleared_bytes), 0, cleared_bytes); }

[[noreturn]] void end_different(int rank, const root_call& its, const root_call& first) {
  char name[256], name_of_first[256];
  name_fork(its.run, name, sizeof name);
  name_fork(first.run, name_of_first, sizeof name_of_first);
  net::fail(all.job,
            "rank %d of %d called weft_dist_root of %s with %zu bytes, rank 0 of %s with %zu bytes; call the same roots "
            "in the same order on all ranks",
            rank, all.job.ranks, name, its.bytes, name_of_first, first.bytes);
}

void compare_call(int rank, const root_call& its, const root_call& first) {
  if (its.run != first.run || its.bytes != first.bytes) end_different(rank, its, first);
}

// After the barrier behind which all ranks have told their call, and before the next.
void compare_calls() {
  if (all.is_far) {
    static root_call calls[net::most_ranks];
    net::gather(all.job, &all.part->called, sizeof(root_call), calls);
    for (int rank = 1; rank < all.job.ranks; ++rank) compare_call(rank, calls[rank], calls[0]);
    return;
  }
  for (int rank = 1; rank < all.job.ranks; ++rank) compare_call(rank, part_of(rank)->called, part_of(0)->called);
}

// Behind the barrier at the root's end, and before the next.
void take_result(void* work, std::size_t bytes) {
  if (all.is_far) return take_root_bytes(far_root_end(), work, bytes);
  const int last = part_of(0)->root_end.rank();
  if (bytes != 0) std::memcpy(work, alias_of(last, part_of(last)->result), bytes);
}

void tell_counts(control* mine, double ns_a_tick) {
  mine->count.idle_ns += static_cast<std::uint64_t>(static_cast<double>(mine->count.idle_ticks) * ns_a_tick);
  mine->count.idle_ticks = 0;
  all.part->count = mine->count;
}

void run_together(control* mine, void (*run)(void* work), void* work, std::size_t bytes) {
  occupy(mine, 1, {0, stack_top(mine), mine->first_place, mine->first_place + 1, nullptr, nullptr});
  mine->first_place->taker = nullptr;
  if (all.set.checking != check::off) {
    note_heap();
    clear_stack(mine);
  }
  note_open_exceptions();
  all.part->called = {run, bytes};
  weft_hot_word_here = &mine->line;
  begin_far_root(mine);
  mine->is_serving = true;
  const std::uint64_t ns = os::now_ns(), ticks = arch::cycles();
  net::barrier(all.job);
  compare_calls();
  if (all.job.rank == 0) {
    next_is_root(run);
    serve(mine, run_root, lay_root(mine, run, work, bytes));
  } else {
    serve(mine, nullptr, nullptr);
  }
  end_far_root(mine);
  read_trace_clocks();
  weft_hot_word_here = &outside.line;
  mine->is_serving = false;
  take_result(work, bytes);
  // All have left the scheduler, and have read the result, which the next root writes over.
  net::barrier(all.job);
  if (all.job.rank == 0) part_of(0)->root_end.clear();
  if (all.how->end_root != nullptr) all.how->end_root(mine);
  WEFT_ASSERT(all.part->records.are_all_back(all.pool), "a record was not given back; is there a fork without a join?");
  WEFT_ASSERT(all.part->frames.are_all_back(all.pool), "memory for frames was not given back");
  WEFT_ASSERT(all.part->robbed.load(base::relaxed) == 0, "a rank that claims nothing says that it does");
  tell_counts(mine, static_cast<double>(os::now_ns() - ns) / static_cast<double>(arch::cycles() - ticks + 1));
}

}  // namespace
}  // namespace weft::dist

using namespace weft::dist;

extern "C" {

weft_status weft_dist_root(void (*run)(void* work), void* work, size_t bytes) {
  static constexpr char call[] = "weft_dist_root";
  if (run == nullptr) return weft::fail_on_null(call, "run");
  if (work == nullptr && bytes != 0) return weft::fail(WEFT_INVALID, call, "work", "it is null, and bytes is %u", nullptr, bytes);
  if (bytes > all.set.stack_bytes / 2)
    return weft::fail(WEFT_INVALID, call, "bytes", "%u is above half of a stack, WEFT_DIST_STACK", nullptr, bytes);
  if (here()->is_worker) return weft::fail(WEFT_INVALID, call, nullptr, "the caller is in a root");
  if (!is_main_thread())
    return weft::fail(WEFT_INVALID, call, nullptr, "the caller is not the OS thread that runs main on a rank");
  const char* const outer = weft::net::begin_together(all.job, "weft_dist_root");
  run_together(all.mine, run, work, bytes);
  weft::net::end_together(all.job, outer);
  return WEFT_OK;
}

int weft_dist_rank(void) { return all.job.rank; }
int weft_dist_ranks(void) { return all.job.ranks; }

void weft_dist_read_counts(weft_dist_counts* out) {
  const counters& from = all.mine->count;
  *out = {from.steals, from.stolen_bytes, from.evacuations, from.resumed,    from.waits_in_place,
          from.kept,   from.full,         from.claim_ticks, from.copy_ticks, from.take_up_ticks};
}

}  // extern "C"
