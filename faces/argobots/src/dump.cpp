#include "dump.hpp"

#include <abt.h>

#include "runtime.hpp"
#include "stream.hpp"
#include "waiting.hpp"

namespace weft::abt {

constinit atomic<std::uint32_t> dump{no_dump};

namespace {

struct wish {
  std::FILE* to;
  double seconds;  // negative: any
  void (*callback)(ABT_bool timed_out, void* argument);
  void* argument;
};

constinit wish asked{};  // written while the state is being_asked_for
constinit weft_event is_over = WEFT_EVENT_INIT;
constinit atomic<weft_source*> bell{nullptr};

// [Z36] acquire: what they did before they stopped, as in pools without a lock, before it is
// printed; pairs with [Z25]
int stopped_streams() { return static_cast<int>(dump.load(std::memory_order_acquire) / one_stream); }

int running_streams(const runtime* all) {
  int running = 0;
  for (const stream* one = all->first; one != nullptr; one = one->after) {
    if (!one->is_over.load(std::memory_order_relaxed)) ++running;
  }
  return running;
}

bool have_all_stopped(runtime* all) {
  const face::guard hold(all->lock);
  return stopped_streams() >= running_streams(all);
}

// False: the time is over.
bool wait_for_others(runtime* all) {
  constexpr std::uint64_t pause_ns = 100'000;
  constexpr double ns = 1e9;
  const std::uint64_t deadline =
      asked.seconds < 0 ? WEFT_FOREVER : weft_deadline_in(static_cast<std::uint64_t>(asked.seconds * ns));
  while (!have_all_stopped(all)) {
    if (weft_now_ns() >= deadline) return false;
    static_cast<void>(wait_outside([] { return weft_sleep_ns(pause_ns); }));
  }
  return true;
}

// Weft knows more of each: what it waits for, since when, and where.
void print_what_they_wait_for() {
  std::fflush(asked.to);
  if (const int file = fileno(asked.to); file >= 0) static_cast<void>(weft_dump(file));
}

void print_for_all(runtime* all) {
  const bool is_complete = wait_for_others(all);
  {
    const face::guard hold(all->lock);
    if (!is_complete) {
      std::fprintf(asked.to, "stacks: only %d of %d execution streams stopped in time\n", stopped_streams(),
                   running_streams(all));
    }
    print_stacks_of_all_streams(asked.to);
  }
  print_what_they_wait_for();
  if (asked.callback != nullptr) asked.callback(is_complete ? ABT_FALSE : ABT_TRUE, asked.argument);
  dump.fetch_add(dump_printed - dump_wanted, std::memory_order_relaxed);
  static_cast<void>(weft_event_set(&is_over));
}

// The asker may be a signal handler, which can wake no thread: the core then calls this.
std::size_t wake_all(void*) {
  runtime* const all = current_runtime();
  if (all == nullptr || !is_dump_wanted()) return 0;
  const face::guard hold(all->lock);
  for (stream* one = all->first; one != nullptr; one = one->after) {
    if (one->main_scheduler.load(std::memory_order_relaxed) != nullptr) wake_main_scheduler(one);
  }
  return 1;
}

}  // namespace

int start_dumps() {
  weft_source* made = nullptr;
  const weft_status result = weft_ext_bell_add(wake_all, nullptr, &made);
  bell.store(made, std::memory_order_relaxed);
  if (result == WEFT_OK) return ABT_SUCCESS;
  return result == WEFT_NOMEM ? ABT_ERR_MEM : ABT_ERR_OTHER;
}

void end_dumps() {
  weft_source* const one = bell.exchange(nullptr, std::memory_order_relaxed);
  if (one != nullptr) static_cast<void>(weft_ext_source_remove(one));  // the program's own Weft may go on
}

void take_part_in_dump() {
  std::uint32_t seen = dump.load(std::memory_order_relaxed);
  do {
    if ((seen & dump_state) != dump_wanted) return;
    // [Z25] acq_rel: sees what was asked for; done with what is printed; pairs with [Z26] [Z36]
  } while (!dump.compare_exchange_weak(seen, seen + one_stream, std::memory_order_acq_rel, std::memory_order_relaxed));
  if (seen == dump_wanted) {
    print_for_all(current_runtime());
  } else {
    static_cast<void>(wait_outside([] { return weft_event_wait(&is_over); }));
  }
  // [Z27] acq_rel: the last one to leave comes after the others; pairs with [Z27]
  if (dump.fetch_sub(one_stream, std::memory_order_acq_rel) / one_stream != 1) return;
  static_cast<void>(weft_event_reset(&is_over));
  // [Z28] release: the event is as new, and what was asked for has been read; pairs with [Z29]
  dump.store(no_dump, std::memory_order_release);
}

}  // namespace weft::abt

using namespace weft::abt;

int ABT_info_trigger_print_all_thread_stacks(FILE* fp, double timeout, void (*callback)(ABT_bool timed_out, void* arg),
                                             void* arg) {
  std::uint32_t expected = no_dump;
  // [Z29] acquire: the last one is over; pairs with [Z28]
  if (!dump.compare_exchange_strong(expected, being_asked_for, std::memory_order_acquire, std::memory_order_relaxed)) {
    return ABT_SUCCESS;  // another one is under way
  }
  asked = {fp, timeout, callback, arg};
  // [Z26] release: publishes what is asked for; pairs with [Z25]
  dump.store(dump_wanted, std::memory_order_release);
  if (weft_source* const one = bell.load(std::memory_order_relaxed); is_initialized() && one != nullptr)
    weft_ext_source_notify(one);
  return ABT_SUCCESS;
}
