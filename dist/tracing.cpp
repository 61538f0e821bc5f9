// See tracing.hpp.
#include "dist/tracing.hpp"

#include "base/assert.hpp"
#include "dist/engine.hpp"
#include "os/env.hpp"
#include "os/env_value.hpp"
#include "os/process.hpp"
#include "trace/chrome.hpp"

namespace weft::dist {
namespace {

trace::recorder* recorded = nullptr;  // the launcher's; of a rank a copy, for the clock
std::size_t ring_bytes = 0;
trace::record next = {};
std::uint64_t threads = 0;  // numbered on this rank

bool is_traced() { return recorded != nullptr; }

trace::ring& ring_of(int rank) { return part_of(rank)->turned.ring; }

std::uint64_t new_thread() {
  ++threads;
  return threads * static_cast<std::uint64_t>(all.job.ranks) + static_cast<std::uint64_t>(all.job.rank);
}

void name_thread(void (*run)(void* work)) {
  trace::record name = {};
  name.kind = trace::record_kind::name;
  name.thread = next.thread;
  name.begin = recorded->time.stamp();
  name.end = reinterpret_cast<std::uint64_t>(run);
  name.on = next.on;
  ring_of(all.job.rank).put(name);
}

void prepare(trace::reason why, int on, std::uint64_t maker) {
  const std::uint64_t last = next.thread;
  next = {};
  next.kind = trace::record_kind::turn;
  next.thread = last;
  next.why = why;
  next.on = static_cast<std::uint16_t>(on);
  next.other = maker;
  next.since = recorded->time.stamp();
}

}  // namespace

status open_trace() {
  const char* const path = os::value_in_environment("WEFT_TRACE");
  const bool is_wanted = path != nullptr && path[0] != 0;
  if (!is_wanted || os::privileges_of_program() != os::privileges::ordinary) return status::ok;
  const os::variable_info& size = os::info(os::variable::trace_size);
  const char* text = os::value_in_environment(size.name);
  if (text == nullptr) text = size.default_text;
  std::uint64_t bytes = 0;
  if (!os::parse_value(size, text, &bytes)) {
    base::report("error: %s=%s: want %s", size.name, text, size.range);
    return status::invalid;
  }
  ring_bytes = static_cast<std::size_t>(bytes);
  return trace::start(&recorded, path, ring_bytes);
}

std::size_t trace_bytes() { return is_traced() ? ring_bytes : 0; }

void start_trace() {
  if (is_traced()) ring_of(all.job.rank).start_in(reinterpret_cast<std::byte*>(all.part) + sizeof(shared_part), ring_bytes);
}

void next_is_root(void (*run)(void* work)) {
  if (!is_traced()) return;
  prepare(trace::reason::none, all.job.rank, 0);
  next.since = 0;
  next.thread = new_thread();
  name_thread(run);
}

void next_is_stolen(int victim, std::uint64_t maker, void (*run)(void* work)) {
  if (!is_traced()) return;
  prepare(trace::reason::forked, victim, maker);
  next.is_stolen = victim != all.job.rank;
  next.thread = new_thread();
  name_thread(run);
}

void next_is_resumed(std::uint64_t thread) {
  if (!is_traced()) return;
  prepare(trace::reason::woken, all.job.rank, next.thread);
  next.thread = thread;
}

void begin_turn() {
  if (!is_traced()) return;
  next.begin = recorded->time.stamp();
  all.part->turned.thread.store(next.thread, base::relaxed);
}

void end_turn(trace::leave how) {
  if (!is_traced()) return;
  next.end = recorded->time.stamp();
  next.how = how;
  ring_of(all.job.rank).put(next);
}

std::uint64_t current_thread() { return next.thread; }
std::uint64_t thread_of(int rank) { return is_traced() ? part_of(rank)->turned.thread.load(base::relaxed) : 0; }

void write_trace(const net::job& job, int status) {
  if (!is_traced()) return;
  for (int rank = 0; rank < job.ranks; ++rank) {
    auto& part = *reinterpret_cast<shared_part*>(job.shared + static_cast<std::size_t>(rank) * job.shared_bytes);
    // relaxed: the rank has ended, or is this process.
    if (part.turned.ring.is_started()) recorded->rings[rank].store(&part.turned.ring, base::relaxed);
  }
  recorded->workers = static_cast<unsigned>(job.ranks);
  trace::stop_recording(recorded, false);
  // The first is what readers of a trace take for a good end.
  (void)trace::write(recorded, nullptr, 0, status == 0 ? "weft_finalize" : "a rank failed or died", false);
}

}  // namespace weft::dist
