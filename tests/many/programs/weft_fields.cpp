// Names the fields of Weft's runtime and of its workers for the report, a range of memory each.
#include "programs/weft_fields.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "many.h"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace many_program {
namespace {

using weft::sched::runtime;
using weft::sched::worker;

constexpr std::size_t name_bytes = 64;

void name(const void* memory, std::size_t bytes, const char* whose, const char* field) {
  auto* const text = static_cast<char*>(std::malloc(name_bytes));
  if (text == nullptr) return;
  std::snprintf(text, name_bytes, "%s%s", whose, field);
  many_name(memory, bytes, text);
}

#define MANY_FIELD(of, field) name(&(of)->field, sizeof(of)->field, whose, #field)

void name_worker(const worker* w) {
  char whose[24];
  std::snprintf(whose, sizeof whose, "worker %u: ", w->index);
  MANY_FIELD(w, lock);
  MANY_FIELD(w, ready);
  MANY_FIELD(w, current);
  MANY_FIELD(w, standing);
  MANY_FIELD(w, turns_left);
  MANY_FIELD(w, coarse_ns);
  MANY_FIELD(w, stacks);
  MANY_FIELD(w, forks.hot);
  MANY_FIELD(w, forks.closed_bottom);
  MANY_FIELD(w, forks.expects_taker);
  MANY_FIELD(w, forks.top);
  MANY_FIELD(w, forks.public_end);
  MANY_FIELD(w, forks.lock);
  MANY_FIELD(w, created);
  MANY_FIELD(w, finished);
  MANY_FIELD(w, searches);
  MANY_FIELD(w, sleeps);
  MANY_FIELD(w, mail);
  MANY_FIELD(w, pinned_mail);
  MANY_FIELD(w, reply);
  MANY_FIELD(w, is_asleep);
  MANY_FIELD(w, times_woken);
  MANY_FIELD(w, kept_source);
  MANY_FIELD(w, random);
  MANY_FIELD(w, steal_after_ns);
  MANY_FIELD(w, spare_forks);
  MANY_FIELD(w, victims);
}

void name_runtime(const runtime* rt) {
  const char* const whose = "runtime: ";
  MANY_FIELD(rt, settings);
  MANY_FIELD(rt, cpu_count);
  MANY_FIELD(rt, main_unit);
  MANY_FIELD(rt, workers);
  MANY_FIELD(rt, worker_slots);
  MANY_FIELD(rt, worker_count);
  MANY_FIELD(rt, sleepers);
  MANY_FIELD(rt, searchers);
  MANY_FIELD(rt, is_stopping);
  MANY_FIELD(rt, clock_keeper);
  MANY_FIELD(rt, alarms);
  MANY_FIELD(rt, next_id);
  MANY_FIELD(rt, unit_depot);
  MANY_FIELD(rt, stack_depot);
}

#undef MANY_FIELD

}  // namespace

void name_fields() {
  const worker* const self = weft::sched::local::current_worker();
  const runtime* const rt = self->rt;
  name_runtime(rt);
  const unsigned slots = rt->worker_slots.load(weft::base::relaxed);
  for (unsigned i = 0; i < slots; ++i) {
    if (const worker* const w = rt->workers[i].load(weft::base::relaxed); w != nullptr) name_worker(w);
  }
}

}  // namespace many_program
