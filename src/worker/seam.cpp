// See seam.hpp. Process-wide words under one lock; runtimes read them when they start.
#include "worker/seam.hpp"

#include <algorithm>

#include "base/align.hpp"
#include "queue/spinlock.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"

namespace weft::sched::seam {

namespace {

// By what is built on Weft: process-wide by nature.
constinit queue::spinlock lock;
constinit mem::stack_memory memory_of_stacks{};
constinit mem::stack_sink sink_for_stacks{};
constinit std::size_t bytes_reserved = 0;
constinit unsigned words_reserved = 0;
using address_function = void* (*)();
constinit address_function address_of_carried = nullptr;
constinit std::size_t bytes_carried = 0;
using bottom_function = void (*)(void* argument);
constinit bottom_function bottom_to_see_through = nullptr;
constinit std::size_t offset_of_function = 0;
constexpr std::size_t most_settings = 8;  // layers in one process
constinit stack_setting settings_of_stacks[most_settings];
constinit stack_setting setting_of_other_stacks;
constinit std::uint16_t cpus_of_workers[os::max_cpus];
constinit unsigned cpus_of_workers_count = 0;
constinit base::atomic<bool> are_signals_left{false};
constinit event_sink sink_for_events = nullptr;
constinit void* state_of_sink = nullptr;

bool is_running() { return local::current_runtime() != nullptr; }

}  // namespace

status set_stack_provider(const weft_stack_provider* provider) {
  if (is_running()) return status::busy;
  const queue::guard hold(lock);
  memory_of_stacks =
      provider != nullptr ? mem::stack_memory{provider->map, provider->unmap, provider->state} : mem::stack_memory{};
  return status::ok;
}

mem::stack_memory stack_memory() { return memory_of_stacks; }

status set_stack_sink(const mem::stack_sink& sink) {
  if (is_running()) return status::busy;
  const queue::guard hold(lock);
  sink_for_stacks = sink;
  return status::ok;
}

mem::stack_sink stack_sink() { return sink_for_stacks; }

void place_workers(const std::uint16_t* cpus, unsigned count) {
  const queue::guard hold(lock);
  for (unsigned i = 0; i < count; ++i) cpus_of_workers[i] = cpus[i];
  cpus_of_workers_count = count;
}

unsigned copy_placed_cpus(std::uint16_t* out) {
  const queue::guard hold(lock);
  std::copy_n(cpus_of_workers, cpus_of_workers_count, out);
  return cpus_of_workers_count;
}

status reserve(std::size_t bytes, std::size_t* offset) {
  if (is_running()) return status::busy;
  if (bytes == 0 || bytes > most_reserved_bytes)
    return because(status::invalid, "bytes", "%u is not between 1 and the 256 that are possible", bytes);
  const queue::guard hold(lock);
  const std::size_t rounded = base::round_up(bytes, 16);
  if (bytes_reserved + rounded > most_reserved_bytes)
    return because(status::invalid, "bytes", "%u more are not possible: others have reserved the rest", bytes);
  *offset = sizeof(unit) + bytes_reserved;
  bytes_reserved += rounded;
  return status::ok;
}

std::size_t reserved_bytes() { return bytes_reserved; }

status reserve_word(unsigned* number) {
  if (is_running()) return status::busy;
  const queue::guard hold(lock);
  if (words_reserved == most_builders_words) return status::invalid;
  *number = words_reserved++;
  return status::ok;
}

unsigned reserved_words() { return words_reserved; }

status carry(void* (*address)(), std::size_t bytes) {
  if (bytes == 0 || bytes > most_carried_bytes || bytes % sizeof(std::uint64_t) != 0) return status::invalid;
  const queue::guard hold(lock);
  if (address_of_carried == address && bytes_carried == bytes) return status::ok;
  if (address_of_carried != nullptr) return status::busy;
  address_of_carried = address;
  bytes_carried = bytes;
  return status::ok;
}

void* (*carried_address())() { return address_of_carried; }
std::size_t carried_bytes() { return bytes_carried; }

void leave_signals() { are_signals_left.store(true, base::relaxed); }
bool leaves_signals() { return are_signals_left.load(base::relaxed); }

void show_function(void (*bottom)(void* argument), std::size_t offset) {
  const queue::guard hold(lock);
  bottom_to_see_through = bottom;
  offset_of_function = offset;
}

void name_stack_setting(const stack_setting& setting) {
  const queue::guard hold(lock);
  if (setting.bottom == nullptr) {
    setting_of_other_stacks = setting;
    return;
  }
  for (stack_setting& each : settings_of_stacks) {
    if (each.bottom != nullptr && each.bottom != setting.bottom) continue;
    each = setting;
    return;
  }
}

// In a signal handler: without the lock.
stack_setting stack_setting_of(void (*function)(void* argument)) {
  for (const stack_setting& each : settings_of_stacks) {
    if (function != nullptr && each.bottom == function) return each;
  }
  return function != nullptr ? setting_of_other_stacks : stack_setting{};
}

void (*shown_bottom())(void* argument) { return bottom_to_see_through; }
std::size_t shown_offset() { return offset_of_function; }

status set_event_sink(event_sink sink, void* state, status (*tell)(runtime* rt, event_sink sink, void* state)) {
  const queue::guard hold(lock);
  if (runtime* rt = local::current_runtime(); rt != nullptr) {
    if (const status result = tell(rt, sink, state); result != status::ok) return result;
  }
  sink_for_events = sink;
  state_of_sink = state;
  return status::ok;
}

event_sink sink() { return sink_for_events; }
void* sink_state() { return state_of_sink; }

}  // namespace weft::sched::seam
