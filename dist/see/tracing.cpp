// See tracing.hpp.
#include "dist/see/tracing.hpp"

#include <unistd.h>

#include <cstring>

#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "dist/far/clocks.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/rank.hpp"
#include "os/clock.hpp"
#include "os/env.hpp"
#include "os/env_value.hpp"
#include "os/process.hpp"
#include "os/vm.hpp"
#include "trace/chrome.hpp"

namespace weft::dist {
namespace {

trace::recorder* recorded = nullptr;  // the launcher's; of a rank a copy, for the clock
bool has_file = false;
std::size_t ring_bytes = 0;
trace::record next = {};
std::uint64_t threads = 0;  // numbered on this rank
std::uint64_t first_cycles = 0, first_ns = 0;

bool is_traced() { return recorded != nullptr; }

std::uint64_t changed(std::uint64_t time) {
  if (weft_dist_change_time == nullptr) return time;
  return weft_dist_change_time(all.job.nodes != nullptr ? all.job.nodes[all.job.rank] : 0, time);
}
std::uint64_t now() { return changed(recorded->time.stamp()); }

// A moment of the past, by the CPU's counter.
std::uint64_t time_of(std::uint64_t cycles) {
  if (recorded->time.uses_cycles()) return changed(cycles);
  const std::uint64_t now_cycles = arch::cycles(), now_ns = os::now_ns();
  const double ns_a_cycle = static_cast<double>(now_ns - first_ns) / static_cast<double>(now_cycles - first_cycles + 1);
  return changed(now_ns - static_cast<std::uint64_t>(static_cast<double>(now_cycles - cycles) * ns_a_cycle));
}

trace::ring& ring_of(int rank) { return part_of(rank)->turned.ring; }
void put(const trace::record& one) { ring_of(all.job.rank).put(one); }

std::uint64_t new_thread() {
  ++threads;
  return threads * static_cast<std::uint64_t>(all.job.ranks) + static_cast<std::uint64_t>(all.job.rank);
}

void name_thread(void (*run)(void* work)) {
  trace::record name = {};
  name.kind = trace::record_kind::name;
  name.thread = next.thread;
  name.begin = now();
  name.end = reinterpret_cast<std::uint64_t>(run);
  name.on = next.on;
  put(name);
}

void prepare(trace::reason why, int on, std::uint64_t maker) {
  const std::uint64_t last = next.thread;
  next = {};
  next.kind = trace::record_kind::turn;
  next.thread = last;
  next.why = why;
  next.on = static_cast<std::uint16_t>(on);
  next.other = maker;
  next.since = now();
}

void put_steal(const told_steal& steal) {
  trace::record made = {};
  made.kind = trace::record_kind::steal;
  made.thread = next.thread;
  made.begin = time_of(steal.began);
  made.since = next.since;
  made.left = time_of(steal.was_copied);
  made.end = now();
  made.other = steal.bytes;
  made.on = static_cast<std::uint16_t>(steal.victim);
  put(made);
}

}  // namespace

status open_trace() {
  const char* const path = os::value_in_environment("WEFT_TRACE");
  const bool is_wanted = path != nullptr && path[0] != 0;
  if (!is_wanted || os::privileges_of_program() != os::privileges::ordinary) return status::ok;
  if (std::strcmp(path, "keep") == 0 || std::strncmp(path, "keep:", 5) == 0) {
    base::report("error: WEFT_TRACE=%s: ranks write their trace at the end alone; name a file", path);
    return status::invalid;
  }
  const os::variable_info& size = os::info(os::variable::trace_size);
  const char* text = os::value_in_environment(size.name);
  if (text == nullptr) text = size.default_text;
  std::uint64_t bytes = 0;
  if (!os::parse_value(size, text, &bytes)) {
    base::report("error: %s=%s: want %s", size.name, text, size.range);
    return status::invalid;
  }
  ring_bytes = static_cast<std::size_t>(bytes);
  has_file = !net::is_started_by_other();  // else rank 0 will open it
  return has_file ? trace::start(&recorded, path, ring_bytes) : trace::start_without_file(&recorded, path, ring_bytes);
}

std::size_t trace_bytes() { return is_traced() ? ring_bytes : 0; }

void start_trace() {
  if (!is_traced()) return;
  if (!has_file && all.job.rank == 0 && !trace::open_file(recorded)) {
    char text[1000];
    trace::describe_unopened(recorded, text, sizeof text);
    net::fail(all.job, "%s", text);
  }
  first_cycles = arch::cycles();
  first_ns = os::now_ns();
  ring_of(all.job.rank).start_in(reinterpret_cast<std::byte*>(all.part) + sizeof(shared_part), ring_bytes);
  all.part->turned.first_of_node = all.is_far ? all.job.nodes[all.job.rank] : 0;
  read_trace_clocks();
}

void read_trace_clocks() {
  if (is_traced() && all.is_far) read_clocks(now, false, &all.part->turned.clocks);
}

void next_is_root(void (*run)(void* work)) {
  if (!is_traced()) return;
  prepare(trace::reason::none, all.job.rank, 0);
  next.since = 0;
  next.thread = new_thread();
  name_thread(run);
}

void next_is_stolen(const told_steal& steal) {
  if (!is_traced()) return;
  next_is_forker(steal.victim, steal.maker, steal.run);
  next.since = time_of(steal.was_claimed);
  put_steal(steal);
}

void next_is_forker(int from, std::uint64_t maker, void (*run)(void* work)) {
  if (!is_traced()) return;
  prepare(trace::reason::forked, from, maker);
  next.is_stolen = from != all.job.rank;
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
  next.begin = now();
  all.part->turned.thread.store(next.thread, base::relaxed);
}

void end_turn(trace::leave how) {
  if (!is_traced()) return;
  next.end = now();
  next.how = how;
  put(next);
}

std::uint64_t current_thread() { return next.thread; }
std::uint64_t thread_of(int rank) { return is_traced() ? part_of(rank)->turned.thread.load(base::relaxed) : 0; }

// ---- the end ----

namespace {

// What the writer must know of a rank besides its records.
struct told_at_end {
  std::uint64_t written;
  int first_of_node;
  clock_readings clocks;
  char node[sizeof(trace::aligned_clock::node)];
};

told_at_end told[net::most_ranks];
trace::aligned_clock clocks[net::most_ranks];

shared_part& part_in(const net::job& job, int rank) {
  return *reinterpret_cast<shared_part*>(job.shared + static_cast<std::size_t>(rank) * job.shared_bytes);
}

told_at_end told_of(const turns& its) {
  told_at_end result = {its.ring.written(), its.first_of_node, its.clocks, ""};
  if (gethostname(result.node, sizeof result.node - 1) != 0) std::strcpy(result.node, "?");
  return result;
}

// A ring of another node's rank, from its memory. Null: no memory, or nothing was written.
trace::ring* fetch(int rank) {
  constexpr std::size_t most_at_once = std::size_t{1} << 20;
  const std::size_t bytes = trace::ring::used(told[rank].written, ring_bytes) * sizeof(trace::record);
  auto* const memory = bytes != 0 ? static_cast<std::byte*>(os::reserve(ring_bytes, os::page_bytes())) : nullptr;
  if (memory == nullptr) return nullptr;
  const auto* const from = reinterpret_cast<const std::byte*>(part_of(rank)) + sizeof(shared_part);
  for (std::size_t done = 0; done < bytes; done += most_at_once)
    get_far_part(rank, from + done, memory + done, bytes - done < most_at_once ? bytes - done : most_at_once);
  trace::ring* const made = &recorded->memory_of_rings[rank];
  made->adopt(memory, ring_bytes, told[rank].written);
  return made;
}

// To rank 0's clock. The last of their times.
std::uint64_t align(trace::ring* records, const clock_line& by) {
  std::uint64_t last = 0;
  records->change([&by, &last](trace::record* one) {
    if (one->kind != trace::record_kind::name && one->end > last) last = one->end;
    one->begin = by.there(one->begin);
    if (one->kind == trace::record_kind::name) return;  // its end is a function
    one->end = by.there(one->end);
    if (one->kind == trace::record_kind::note) return;
    if (one->since != 0) one->since = by.there(one->since);
    if (one->left != 0) one->left = by.there(one->left);
  });
  return last;
}

// records: null: there are none.
void take(int rank, trace::ring* records) {
  const clock_line by(told[told[rank].first_of_node].clocks);
  std::memcpy(clocks[rank].node, told[rank].node, sizeof clocks[rank].node);
  if (by.is_needed()) {
    const std::uint64_t last = records != nullptr ? align(records, by) : 0;
    clocks[rank].ahead = by.ahead();
    clocks[rank].rate = by.rate() - 1;
    clocks[rank].error = by.error(last);
    recorded->clocks = clocks;
  }
  // relaxed: the rank has ended, or is this process.
  recorded->rings[rank].store(records, base::relaxed);
}

void write_file(int ranks, int status) {
  recorded->workers = static_cast<unsigned>(ranks);
  trace::stop_recording(recorded, false);
  // The first is what readers of a trace take for a good end.
  (void)trace::write(recorded, nullptr, 0, status == 0 ? "weft_finalize" : "a rank failed or died", false);
}

}  // namespace

void write_trace(const net::job& job, int status) {
  if (!is_traced()) return;
  for (int rank = 0; rank < job.ranks; ++rank) told[rank] = told_of(part_in(job, rank).turned);
  for (int rank = 0; rank < job.ranks; ++rank) {
    trace::ring& its = part_in(job, rank).turned.ring;
    take(rank, its.is_started() ? &its : nullptr);
  }
  write_file(job.ranks, status);
}

void gather_trace(const net::job& job) {
  if (!is_traced()) return;
  if (all.is_far) read_clocks(now, true, &all.part->turned.clocks);
  const told_at_end mine = told_of(all.part->turned);
  net::gather(job, &mine, sizeof mine, told);
  for (int rank = 0; job.rank == 0 && rank < job.ranks; ++rank) {
    take(rank, net::is_near(job, rank) ? &ring_of(rank) : fetch(rank));
  }
  if (job.rank == 0) write_file(job.ranks, 0);
  net::barrier(job);  // until then they answer, and do not leave
}

}  // namespace weft::dist
