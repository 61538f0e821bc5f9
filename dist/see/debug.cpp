// weft_dist_debug_layout: where debuggers find what a job's ranks run, and the threads that wait
// with their frames off the stack. The form is that of weft/debug.h; `weft ranks` (tools/gdb) reads
// it. Constant data that nothing here reads.
#include <weft/debug.h>

#include <cstddef>

#include "dist/rank/rank.hpp"
#include "dist/see/debug.hpp"

// gcc and clang define offsetof for all structs that have no virtual base.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace weft::dist {

#define FIELD(of, type, field) {of "." #field, offsetof(type, field), sizeof(type::field)}
#define INNER(of, type, outer, inner_type, field) \
  {of "." #field, offsetof(type, outer) + offsetof(inner_type, field), sizeof(inner_type::field)}
#define NUMBER(name, value) {name, static_cast<std::uint32_t>(value), 0}

struct debug_fields {
  static constexpr weft_debug_fact facts[] = {
      INNER("job", process, job, net::job, rank),
      INNER("job", process, job, net::job, ranks),
      INNER("job", process, job, net::job, region),
      INNER("job", process, job, net::job, region_bytes),
      INNER("job", process, job, net::job, aliases),
      INNER("job", process, job, net::job, shared),
      INNER("job", process, job, net::job, shared_bytes),

      FIELD("control", control, top),
      FIELD("control", control, base),
      FIELD("control", control, slots),
      FIELD("control", control, is_serving),
      FIELD("slot", slot, frame),
      FIELD("slot", slot, place),
      NUMBER("slot.bytes", sizeof(slot)),

      INNER("part", shared_part, frames, frame_pool, taken_),
      NUMBER("part.frames", offsetof(shared_part, frames) + offsetof(frame_pool, bytes_)),
      NUMBER("frames.unit", frame_pool::unit),
      NUMBER("frames.units", frame_pool::units),

      FIELD("evacuated", evacuated, index),
      FIELD("evacuated", evacuated, units),
      FIELD("evacuated", evacuated, frame_bytes),
      FIELD("evacuated", evacuated, run),
      FIELD("evacuated", evacuated, waits_for),
      INNER("evacuated", evacuated, what, continuation, frame),
      INNER("evacuated", evacuated, what, continuation, frame_end),
      INNER("evacuated", evacuated, what, continuation, places),
      NUMBER("evacuated.bytes", sizeof(evacuated)),
      FIELD("record", join_record, state),

      {"place.run", offsetof(weft_forked, run), sizeof(weft_forked::run)},
      NUMBER("place.bytes", sizeof(weft_forked)),
  };
};

namespace {
const void* const roots[] = {&all, nullptr};
}

}  // namespace weft::dist

extern "C" {

[[gnu::used]] constinit const weft_debug_table weft_dist_debug_layout = {
    "weftdbg",
    WEFT_DEBUG_VERSION,
    sizeof(weft_debug_fact),
    sizeof weft::dist::debug_fields::facts / sizeof(weft_debug_fact),
    weft::dist::debug_fields::facts,
    weft::dist::roots,
};

}  // extern "C"
