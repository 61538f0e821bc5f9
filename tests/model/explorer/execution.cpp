// See execution.hpp.
#include "explorer/execution.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "explorer/race.hpp"
#include "explorer/scheduler.hpp"

namespace explorer {
namespace {

// The execution at hand. Of static duration because the shadow headers have no parameter to carry
// it.
struct world {
  choices path;
  memory mem{path};
  scheduler threads{path, mem};
  report result;
  bool traced = false;
  void* local_words[max_threads] = {};
  bool in_sequence[max_threads] = {};  // between the load and the store of a restartable sequence
  bool alone = false;
  std::vector<std::pair<const void*, std::string>> names;
};
world& the_world() {
  static world* only = new world;  // never destroyed: abandoned executions leave objects behind
  return *only;
}
world& w = the_world();
bool running = false;

std::string number(word value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 65536 ? "%llu" : "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string name_of(int location) {
  const void* address = w.mem.address(location);
  for (const auto& [known, name] : w.names) {
    if (known == address) return name;
  }
  return "location " + std::to_string(location);
}

const char* name_of(order o) {
  switch (o) {
    case order::relaxed: return "relaxed";
    case order::consume: return "consume";
    case order::acquire: return "acquire";
    case order::release: return "release";
    case order::acq_rel: return "acq_rel";
    case order::seq_cst: return "seq_cst";
  }
  return "?";
}

void trace(const std::string& text, const site& where) { w.result.steps.push_back({w.threads.self(), text, where}); }

// What is odd about the store that was read.
template <class Result>
std::string oddity(int location, const Result& read) {
  if (read.promise) return " (a promise: the store has yet to be made)";
  return read.stale ? " (stale: the newest is " + number(w.mem.newest(location)) + ")" : "";
}

int find(const cell& at) {
  word initial = 0;
  std::memcpy(&initial, at.address, at.size);
  return w.mem.find(at.address, initial);
}

}  // namespace

report run(void (*body)(), choices& path, const bounds& limits, bool traced) {
  w.path = path;
  w.path.rewind();
  w.mem.reset(limits.weak, limits.promises);
  w.result = {};
  w.names.clear();
  for (void*& each : w.local_words) each = nullptr;
  for (bool& each : w.in_sequence) each = false;
  w.alone = false;
  w.traced = traced;
  reset_races();
  running = true;
  w.threads.run(body, limits);
  running = false;
  w.result.end = w.threads.end();
  for (int i = 0; traced && i < max_threads; ++i) w.result.names.push_back(w.threads.name(i));
  std::swap(path, w.path);
  return std::move(w.result);
}

// ---- called by models ---------------------------------------------------------------------------

void run_threads(const start* first, int count) {
  w.alone = false;
  w.threads.fork(first, count);
}
void be_alone() { w.alone = true; }
bool is_alone() { return running && w.alone; }
void record_outcome(const std::string& text) { w.result.outcome = text; }
void name_address(const void* address, const char* name) { w.names.emplace_back(address, name); }
void note(const std::string& text) {
  if (w.traced) trace(text, site{});
}
int any_of(int options) { return w.path.choose(options); }

void fail(const char* kind, const std::string& detail) {
  if (!running) {
    std::fprintf(stderr, "explorer: %s: %s, outside an execution\n", kind, detail.c_str());
    std::abort();
  }
  prune_if_owing();
  w.result.kind = kind;
  w.result.detail = detail;
  w.threads.abandon(ending::failed);
}

void prune() { w.threads.abandon(ending::pruned); }

void prune_if_owing() {
  if (w.mem.owes()) prune();
}

// ---- called by the shadow headers ---------------------------------------------------------------

void construct_atomic(const void* address) {
  if (running) w.mem.construct(w.threads.self(), address);
}
void destroy_atomic(const void* address) {
  if (running) w.mem.destroy(w.threads.self(), address);
}

word atomic_load(cell at, order o, site where) {
  const int location = find(at);
  w.threads.before({operation_kind::read, location, o == order::seq_cst});
  const read_result r = w.mem.load(w.threads.self(), location, o, w.threads.same_as(location));
  w.threads.saw(location, r.at, r.value);
  if (w.traced) {
    trace(name_of(location) + ": reads " + number(r.value) + oddity(location, r) + ", " + name_of(o), where);
  }
  return r.value;
}

void atomic_store(cell at, word value, order o, site where) {
  const int location = find(at);
  w.threads.before({operation_kind::write, location, o == order::seq_cst});
  const timestamp when = w.mem.store(w.threads.self(), location, value, o);
  w.threads.saw(location, when, value);
  if (w.traced) {
    const std::string place = w.mem.has_news(location, when, ~value) ? " (before others in modification order)" : "";
    trace(name_of(location) + ": writes " + number(value) + place + ", " + name_of(o), where);
  }
}

word atomic_exchange(cell at, rmw_kind kind, word operand, word mask, order o, site where) {
  const int location = find(at);
  w.threads.before({operation_kind::write, location, o == order::seq_cst});
  const exchange_result r = w.mem.exchange(w.threads.self(), location, kind, operand, mask, o);
  w.threads.saw(location, r.at, r.written);
  if (w.traced) {
    const std::string change = number(r.value) + oddity(location, r) + " -> " + number(r.written);
    trace(name_of(location) + ": " + change + ", " + name_of(o), where);
  }
  return r.value;
}

bool atomic_compare_exchange(cell at, word& expected, word desired, order success, order failure, bool weak, site where) {
  const int location = find(at);
  w.threads.before({operation_kind::write, location, success == order::seq_cst || failure == order::seq_cst});
  const bool may_fail = weak && w.threads.spurious_left();
  const exchange_result r = w.mem.compare_exchange(w.threads.self(), location, expected, desired, success, failure, may_fail);
  if (!r.success && r.value == expected) w.threads.spend_spurious();
  w.threads.saw(location, r.at, r.written);
  if (w.traced) {
    const std::string change =
        r.success
            ? number(r.value) + oddity(location, r) + " -> " + number(desired) + ", " + name_of(success)
            : "is " + number(r.value) + oddity(location, r) + ", not exchanged for " + number(desired) + ", " + name_of(failure);
    trace(name_of(location) + ": " + change, where);
  }
  if (!r.success) expected = r.value;
  return r.success;
}

// Whether a thread is interrupted between the two is a choice; a restart fence interrupts all.
bool replace_restartably(cell at, word expected, word wanted, site where) {
  if (atomic_load(at, order::relaxed, where) != expected) return false;
  const int me = w.threads.self();
  const int location = find(at);
  w.in_sequence[me] = true;
  w.threads.before({operation_kind::write, location, true});
  const bool may_fail = w.in_sequence[me] && w.threads.spurious_left();
  const bool fails = !w.in_sequence[me] || (may_fail && w.path.choose(2) == 1);
  if (may_fail && fails) w.threads.spend_spurious();
  w.in_sequence[me] = false;
  if (w.traced && fails) trace(name_of(location) + ": the sequence was left before its store", where);
  if (fails) return false;
  const timestamp when = w.mem.store(me, location, wanted, order::release);
  w.threads.saw(location, when, wanted);
  if (w.traced) trace(name_of(location) + ": writes " + number(wanted) + ", in a restartable sequence", where);
  return true;
}

// The kernel interrupts each thread that runs, and fences in it. A heavy fence is less: it is
// ordered with light ones alone.
void restart_fence(site where) {
  w.threads.before({operation_kind::fence});
  const int me = w.threads.self();
  w.mem.fence(me, order::seq_cst);
  for (int i = 0; i < max_threads; ++i) {
    if (i != me) w.mem.fence(i, order::seq_cst);
    w.in_sequence[i] = false;
  }
  w.mem.fence(me, order::seq_cst);
  if (w.traced) trace("restart fence", where);
}

void atomic_fence(order o, site where) {
  w.threads.before({o == order::seq_cst ? operation_kind::fence : operation_kind::none});
  w.mem.fence(w.threads.self(), o);
  if (w.traced) trace(std::string("fence, ") + name_of(o), where);
}

void light_fence(site where) {
  w.threads.before({operation_kind::light_fence});
  w.mem.light_fence(w.threads.self());
  if (w.traced) trace("light fence", where);
}

void heavy_fence(site where) {
  w.threads.before({operation_kind::heavy_fence});
  w.mem.heavy_fence(w.threads.self());
  if (w.traced) trace("heavy fence", where);
}

void pause(site where) {
  w.threads.pause();
  if (w.traced) trace("pauses", where);
}

// The kernel looks at the word and enters the queue under one lock, with full barriers on both
// sides.
bool futex_wait(cell at, word expected, std::uint64_t deadline_ns, site where) {
  const int location = find(at);
  w.threads.before({operation_kind::futex, location, true});
  w.mem.fence(w.threads.self(), order::seq_cst);
  const read_result r = w.mem.load(w.threads.self(), location, order::relaxed, 0);
  if (w.traced) trace("sleeps on " + name_of(location) + " if it is " + number(expected) + ": it is " + number(r.value), where);
  if (r.value != expected) return true;
  const bool in_time = w.threads.sleep(location, deadline_ns);
  if (w.traced) trace(in_time ? "wakes up" : "wakes up: the deadline passed", where);
  return in_time;
}

bool has_timed_out() { return w.threads.has_timed_out(); }

void futex_wake(cell at, int count, site where) {
  const int location = find(at);
  w.threads.before({operation_kind::futex, location, true});
  w.mem.fence(w.threads.self(), order::seq_cst);
  const int woken = w.threads.wake(location, count);
  if (w.traced) trace("wakes " + std::to_string(woken) + " asleep on " + name_of(location), where);
}

// Another thread's reading changes nothing, so that swapping two readings changes nothing either.
std::uint64_t now_ns() { return w.threads.read_clock(); }

void peek(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

void* local_word() { return w.local_words[w.threads.self()]; }
void set_local_word(void* to) { w.local_words[w.threads.self()] = to; }

// ---- called by the parts of the explorer --------------------------------------------------------

std::string thread_name(int thread) { return w.threads.name(thread); }
std::uint32_t thread_time(int thread) { return w.mem.now(thread); }
bool thread_covers(int thread, int other, std::uint32_t time) { return w.mem.covers(thread, other, time); }

}  // namespace explorer
