// Ten million threads leave memory flat, also when one worker creates and others free.
#include <atomic>

#include "stress.hpp"

namespace {

using weft::stress::resident_kib;

constexpr long most_kib = 48 * 1024;  // above what it was after the first million; a leak of one descriptor a thread takes 1 GiB

void count(void* argument) { static_cast<std::atomic<long>*>(argument)->fetch_add(1, std::memory_order_relaxed); }

void batch(std::atomic<long>* counter, bool detached) {
  constexpr std::size_t size = 1000;
  weft_thread* threads[size];
  for (weft_thread*& each : threads) OK(weft_thread_create(count, counter, nullptr, detached ? nullptr : &each));
  if (detached) {
    const long wanted = counter->load() / static_cast<long>(size) * static_cast<long>(size);
    while (counter->load() < wanted) weft_yield();
  } else {
    OK(weft_thread_join_many(threads, size));
  }
}

void create_many(long wanted, bool detached) {
  std::atomic<long> counter{0};
  long made = 0, first = 0;
  for (; made < wanted && (weft::stress::has_time() || made < 200000); made += 1000) {
    batch(&counter, detached);
    while (made - counter.load() > 5000) weft_yield();  // the detached ones
    if (made == 100000) first = resident_kib();
  }
  while (counter.load() < made) weft_yield();
  const long grown = resident_kib() - first;
  std::printf("%ld threads%s: %ld KiB more\n", made, detached ? ", detached" : "", grown);
  MUST(grown < most_kib);
}

// One pinned worker creates, another one joins: what the one frees must come back to the other.
constexpr std::size_t slots = 256;
struct channel {
  weft_semaphore full = {{0, 0, 0, 0}}, empty = {{slots, 0, 0, 0}};
  weft_thread* items[slots];
  std::atomic<long> counter{0};
  std::atomic<bool> is_over{false};
};

void produce(void* argument) {
  auto* to = static_cast<channel*>(argument);
  long made = 0;
  for (; weft::stress::has_time() || made < 100000; ++made) {
    OK(weft_semaphore_acquire(&to->empty));
    OK(weft_thread_create(count, &to->counter, nullptr, &to->items[static_cast<std::size_t>(made) % slots]));
    OK(weft_semaphore_release(&to->full, 1));
  }
  OK(weft_semaphore_acquire(&to->empty));
  to->items[static_cast<std::size_t>(made) % slots] = nullptr;
  OK(weft_semaphore_release(&to->full, 1));
}

void consume(void* argument) {
  auto* from = static_cast<channel*>(argument);
  long first = 0, joined = 0;
  for (;; ++joined) {
    OK(weft_semaphore_acquire(&from->full));
    weft_thread* one = from->items[static_cast<std::size_t>(joined) % slots];
    if (one == nullptr) break;
    OK(weft_thread_join(one));
    OK(weft_semaphore_release(&from->empty, 1));
    if (joined == 50000) first = resident_kib();
  }
  const long grown = resident_kib() - first;
  std::printf("%ld threads from one worker to another: %ld KiB more\n", joined, grown);
  MUST(grown < most_kib);
  MUST(from->counter.load() == joined);
}

void create_here_join_there() {
  channel between;
  weft_thread* ends[2];
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = 0;
  OK(weft_thread_create(produce, &between, &attr, &ends[0]));
  attr.worker = 1;
  OK(weft_thread_create(consume, &between, &attr, &ends[1]));
  OK(weft_thread_join_many(ends, 2));
}

}  // namespace

int main() {
  weft::stress::start("flat_memory");
  const std::uint64_t share = (weft::stress::deadline_ns - weft_now_ns()) / 3;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  OK(weft_init(&config));
  for (int part = 0; part < 3; ++part) {
    weft::stress::deadline_ns = weft_now_ns() + share;
    if (part == 2) {
      create_here_join_there();
    } else {
      create_many(10000000, part == 1);
    }
  }
  OK(weft_finalize());
  return 0;
}
