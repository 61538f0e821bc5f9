#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>

#include "harness/memory.hpp"
#include "harness/must.hpp"
#include "kernels/blocked/blocked.hpp"

namespace bench::blocked {

namespace {

constexpr std::size_t batch = 10'000;  // threads made between two turns for those made before
constexpr std::uint64_t patience_ns = 60'000'000'000;
constexpr std::uint64_t look_again_ns = 1'000'000;

struct crowd {
  weft_event gate = WEFT_EVENT_INIT;
  std::atomic<std::uint64_t> sum = 0;
};

struct member {
  crowd* of;
  std::uint64_t number;
};

void run_member(void* argument) {
  auto* const self = static_cast<member*>(argument);
  must(weft_event_wait(&self->of->gate), "weft_event_wait");
  self->of->sum.fetch_add(self->number, std::memory_order_relaxed);
}

std::vector<weft_thread*> create_all(std::vector<member>& members) {
  std::vector<weft_thread*> threads(members.size());
  for (std::size_t made = 0; made < members.size(); made += batch) {
    std::size_t const count = std::min(batch, members.size() - made);
    must(weft_thread_create_many(run_member, &members[made], sizeof(member), count, nullptr, &threads[made]),
         "weft_thread_create_many");
    weft_yield();
  }
  return threads;
}

// Every thread is looked at until it is seen blocked. None can unblock before the gate opens, so
// all are blocked at once at the end.
bool wait_until_blocked(const std::vector<weft_thread*>& threads) {
  std::uint64_t const deadline = weft_deadline_in(patience_ns);
  for (weft_thread* const thread : threads) {
    while (weft_thread_get_state(thread) != WEFT_THREAD_BLOCKED) {
      if (weft_now_ns() > deadline) return false;
      must(weft_sleep_ns(look_again_ns), "weft_sleep_ns");
    }
  }
  return true;
}

std::vector<metric> describe(double create_seconds, double release_seconds, const process_memory& before,
                             const process_memory& after, std::uint64_t count) {
  auto const total = [](const process_memory& at) { return static_cast<double>(at.resident_bytes + at.page_table_bytes); };
  double const grown = total(after) - total(before);
  return {{"create_seconds", create_seconds},
          {"release_and_join_seconds", release_seconds},
          {"bytes_per_thread", grown / static_cast<double>(count)}};
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) {
  auto const all = std::make_unique<crowd>();
  std::vector<member> members(input.size);
  for (std::uint64_t number = 0; number < input.size; ++number) members[number] = {all.get(), number + 1};
  process_memory const before = read_process_memory();
  watch.start();
  std::vector<weft_thread*> threads = create_all(members);
  bool const were_all_blocked = wait_until_blocked(threads);
  watch.stop();
  double const create_seconds = watch.seconds();
  process_memory const after = read_process_memory();
  watch.start();
  weft_event_set(&all->gate);
  must(weft_thread_join_many(threads.data(), threads.size()), "weft_thread_join_many");
  watch.stop();
  if (!were_all_blocked) throw std::runtime_error("blocked: some thread did not block within a minute");
  return {all->sum.load(), input.size, describe(create_seconds, watch.seconds() - create_seconds, before, after, input.size)};
}

}  // namespace bench::blocked
