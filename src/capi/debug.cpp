// debug.h: the table by which debuggers find their way, made from the structs themselves so that it
// cannot be out of date. Constant data that nothing in the library reads; weft_init refers to it,
// so that linkers keep it in programs linked statically.

#include <weft/debug.h>

#include <cstddef>

#include "arch/context.hpp"
#include "run/wait.hpp"
#include "seeded/turns.hpp"
#include "sync/mutex.hpp"
#include "sync/rwlock.hpp"
#include "unit/unit.hpp"
#include "unit/waiter.hpp"
#include "worker/adoption.hpp"
#include "worker/clock.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

// The structs are no standard-layout ones (a unit derives from its link); gcc and clang define
// offsetof for all that have no virtual base.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace weft {

static_assert(offsetof(sched::unit, join) == WEFT_HOT_JOIN_AT && sched::join_word::means_ended(1), "hot.h knows them");
static_assert(offsetof(sched::unit, flags) == WEFT_HOT_FLAGS_AT && sched::is_fork == WEFT_HOT_IS_FORK, "hot.h knows them");

#define FIELD(of, type, field) {of "." #field, offsetof(type, field), sizeof(type::field)}
#define NUMBER(name, value) {name, static_cast<std::uint32_t>(value), 0}

namespace {

// Where a suspended context keeps the register of that name.
consteval weft_debug_fact saved(const char* name, std::size_t slot) {
  weft_debug_fact made = NUMBER("frame.", slot * sizeof(std::uintptr_t));
  char* end = made.name;
  while (*end != '\0') ++end;
  while (*name != '\0') *end++ = *name++;
  return made;
}

}  // namespace

struct debug_fields {
  using chunk_array = mem::growing_array<char*>;
  using outside_list = base::list<sched::outside>;

  static constexpr weft_debug_fact facts[] = {
      FIELD("runtime", sched::runtime, has_adopted_caller),
      FIELD("runtime", sched::runtime, marks),
      FIELD("runtime", sched::runtime, main_unit),
      FIELD("runtime", sched::runtime, main_caller),
      FIELD("runtime", sched::runtime, main_low),
      FIELD("runtime", sched::runtime, main_bytes),
      FIELD("runtime", sched::runtime, workers),
      FIELD("runtime", sched::runtime, worker_slots),
      FIELD("runtime", sched::runtime, worker_count),
      FIELD("runtime", sched::runtime, unit_depot),
      FIELD("runtime", sched::runtime, is_draining),
      FIELD("runtime", sched::runtime, turns),
      FIELD("turns", sched::turn_taking, holder),
      FIELD("turns", sched::turn_taking, now_ns),
      NUMBER("most_workers", sched::most_workers),

      FIELD("depot", mem::slab_depot, block_bytes_),
      FIELD("depot", mem::slab_depot, chunks_),
      FIELD("depot", mem::slab_depot, fresh_),
      NUMBER("depot.chunk_bytes", mem::slab_depot::chunk_bytes),
      FIELD("array", chunk_array, values_),
      FIELD("array", chunk_array, count_),

      FIELD("worker", sched::worker, current),
      FIELD("worker", sched::worker, standing),
      FIELD("worker", sched::worker, index),
      FIELD("worker", sched::worker, coarse_ns),
      FIELD("worker", sched::worker, is_asleep),
      FIELD("worker", sched::worker, is_serving),
      FIELD("worker", sched::worker, os_thread_id),
      FIELD("worker", sched::worker, has_turns),
      FIELD("worker", sched::worker, turn),

      FIELD("unit", sched::unit, function),
      FIELD("unit", sched::unit, argument),
      FIELD("unit", sched::unit, join),
      FIELD("unit", sched::unit, context),
      FIELD("unit", sched::unit, state),
      FIELD("unit", sched::unit, in),
      FIELD("unit", sched::unit, flags),
      FIELD("unit", sched::unit, stack),
      FIELD("unit", sched::unit, parent),
      FIELD("unit", sched::unit, waiting),
      FIELD("unit", sched::unit, extra),
      FIELD("unit", sched::unit, id),
      FIELD("unit", sched::unit, made_at),
      FIELD("unit", sched::unit, forker),
      FIELD("details", sched::details, name),
      FIELD("details", sched::details, function),
      NUMBER("in.pool", sched::in_pool),
      NUMBER("context.unsaved", 1),
      NUMBER("state.free", sched::unit_state::free),
      NUMBER("state.ready", sched::unit_state::ready),
      NUMBER("state.running", sched::unit_state::running),
      NUMBER("state.blocked", sched::unit_state::blocked),
      NUMBER("state.suspended", sched::unit_state::suspended),
      NUMBER("flag.tasklet", sched::is_tasklet),
      NUMBER("flag.main", sched::is_main),
      NUMBER("flag.adopted", sched::is_adopted),
      NUMBER("flag.known", sched::is_known),
      NUMBER("flag.fork", sched::is_fork),
      NUMBER("join.ended", sched::join_word::ended),
      NUMBER("join.lent", sched::join_word::lent),

      FIELD("waiter", sched::waiter, what),
      FIELD("waiter", sched::waiter, object),
      FIELD("waiter", sched::waiter, since_ns),
      FIELD("waiter", sched::waiter, deadline_ns),
      FIELD("waiter", sched::waiter, who),

      FIELD("stack", mem::stack, low),
      FIELD("stack", mem::stack, total_bytes),
      FIELD("stack", mem::stack, origin),
      NUMBER("origin.os_thread", mem::stack_origin::os_thread),
      FIELD("adopted", sched::adopted, os_caller),
      NUMBER("stack.bytes", sizeof(mem::stack)),

      FIELD("list", outside_list, head_),
      FIELD("link", base::list_link, next),
      FIELD("outside", sched::outside, is_blocked),
      FIELD("outside", sched::outside, waits_for),
      FIELD("outside", sched::outside, since_ns),
      FIELD("outside", sched::outside, id),

      FIELD("mutex", sync::mutex, word_),
      FIELD("mutex", sync::mutex, owner_),
      NUMBER("mutex.held", sync::mutex::held),
      NUMBER("mutex.knows_caller", config::checked ? UINT32_MAX : sync::mutex::recursive),
      FIELD("rwlock", sync::rwlock, readers_),
      FIELD("rwlock", sync::rwlock, has_writer_),
      FIELD("rwlock", sync::rwlock, writer_),

      // A suspended context, from its stack pointer up: where the registers were saved, and how far
      // to go to where they came from.
      NUMBER("frame.bytes", arch::layout::frame_bytes),
      saved(arch::layout::pc_register, 0),
      saved(arch::layout::entry_register, arch::layout::entry_slot),
      saved(arch::layout::argument_register, arch::layout::argument_slot),
  };
};

}  // namespace weft

extern "C" {

[[gnu::used]] constinit const weft_debug_table weft_debug_layout = {
    "weftdbg",
    WEFT_DEBUG_VERSION,
    sizeof(weft_debug_fact),
    sizeof weft::debug_fields::facts / sizeof(weft_debug_fact),
    weft::debug_fields::facts,
    weft::sched::local::debug_roots,
};

}  // extern "C"
