// Forks and threads leave memory flat, however many there have been: forks in trees, threads
// joined, detached, and made by one worker and freed by another. Usage: flat_memory [FORKS
// THREADS], else as many as there is time for, and no more than ten million threads.
#include <atomic>

#include <weft/hot.h>

#include "stress.hpp"

namespace {

using weft::stress::resident_kib;

constexpr long most_kib = 48 * 1024;  // above what it was after the first ones; a leak of one descriptor a thread takes 1 GiB
constexpr long least_threads = 200000;
constexpr long most_in_time = 10000000;

// How many of a part are made.
class amount {
 public:
  static amount in_time(std::uint64_t share_ns) { return {0, weft_now_ns() + share_ns}; }
  static amount exactly(long count) { return {count, 0}; }
  bool is_reached(long made) const {
    if (until_ns_ == 0) return made >= count_;
    return made >= most_in_time || (made >= least_threads && weft_now_ns() >= until_ns_);
  }

 private:
  amount(long count, std::uint64_t until_ns) : count_(count), until_ns_(until_ns) {}
  long count_;
  std::uint64_t until_ns_;  // 0: the count decides
};

// Says how long a part took, and that its memory stayed flat.
class part {
 public:
  explicit part(const char* what) : what_(what), began_ns_(weft_now_ns()) {}
  void note_first() { first_ = resident_kib(); }
  void finish(long made) const {
    const long grown = resident_kib() - first_;
    const std::uint64_t took_ns = weft_now_ns() - began_ns_;
    std::printf("%ld %s in %.2f s: %ld KiB more\n", made, what_, static_cast<double>(took_ns) / 1e9, grown);
    std::fflush(stdout);
    MUST(first_ != 0 && grown < most_kib);
  }

 private:
  const char* what_;
  std::uint64_t began_ns_;
  long first_ = 0;
};

// ---- forks ----

constexpr long depth_of_tree = IS_SLOW ? 13 : 20;
constexpr long forks_of_tree = (1 << depth_of_tree) - 1;

long leaves(long depth);
void leaves_of_fork(void* work) { *static_cast<long*>(work) = leaves(*static_cast<long*>(work)); }
long leaves(long depth) {
  if (depth == 0) return 1;
  long left = depth - 1;
  weft_forked* const forked = weft_fork(leaves_of_fork, &left, sizeof left);
  const long right = leaves(depth - 1);
  weft_fork_join(forked, leaves_of_fork, &left, sizeof left);
  return left + right;
}

void fork_many(const amount& wanted) {
  part forks("forks");
  long made = 0;
  for (; !wanted.is_reached(made); made += forks_of_tree) {
    MUST(leaves(depth_of_tree) == 1 << depth_of_tree);
    if (made == 0) forks.note_first();
  }
  forks.finish(made);
}

// ---- threads that the main thread makes ----

void count(void* argument) { static_cast<std::atomic<long>*>(argument)->fetch_add(1, std::memory_order_relaxed); }

constexpr std::size_t threads_of_batch = 1000;

void create_joined(const amount& wanted) {
  part threads("threads, joined");
  std::atomic<long> counter{0};
  long made = 0;
  for (; !wanted.is_reached(made); made += threads_of_batch) {
    weft_thread* batch[threads_of_batch];
    for (weft_thread*& each : batch) OK(weft_thread_create(count, &counter, nullptr, &each));
    OK(weft_thread_join_many(batch, threads_of_batch));
    if (made == least_threads / 2) threads.note_first();
  }
  MUST(counter.load() == made);
  threads.finish(made);
}

void create_detached(const amount& wanted) {
  part threads("threads, detached");
  std::atomic<long> counter{0};
  long made = 0;
  for (; !wanted.is_reached(made); made += threads_of_batch) {
    for (std::size_t i = 0; i < threads_of_batch; ++i) OK(weft_thread_create(count, &counter, nullptr, nullptr));
    while (made - counter.load() > 5000) weft_yield();
    if (made == least_threads / 2) threads.note_first();
  }
  while (counter.load() < made) weft_yield();
  threads.finish(made);
}

// ---- one pinned worker creates, another one joins: what the one frees must come back to the other

constexpr std::size_t slots = 256;
struct channel {
  explicit channel(const amount& how_many) : wanted(how_many) {}
  amount wanted;
  weft_semaphore full = {{0, 0, 0, 0}}, empty = {{slots, 0, 0, 0}};
  weft_thread* items[slots];
  std::atomic<long> counter{0};
};

weft_thread*& slot_of(channel* in, long number) { return in->items[static_cast<std::size_t>(number) % slots]; }

void produce(void* argument) {
  auto* to = static_cast<channel*>(argument);
  long made = 0;
  for (; !to->wanted.is_reached(made); ++made) {
    OK(weft_semaphore_acquire(&to->empty));
    OK(weft_thread_create(count, &to->counter, nullptr, &slot_of(to, made)));
    OK(weft_semaphore_release(&to->full, 1));
  }
  OK(weft_semaphore_acquire(&to->empty));
  slot_of(to, made) = nullptr;
  OK(weft_semaphore_release(&to->full, 1));
}

void consume(void* argument) {
  auto* from = static_cast<channel*>(argument);
  part threads("threads from one worker to another");
  long joined = 0;
  for (;; ++joined) {
    OK(weft_semaphore_acquire(&from->full));
    weft_thread* one = slot_of(from, joined);
    if (one == nullptr) break;
    OK(weft_thread_join(one));
    OK(weft_semaphore_release(&from->empty, 1));
    if (joined == least_threads / 2) threads.note_first();
  }
  MUST(from->counter.load() == joined);
  threads.finish(joined);
}

void create_here_join_there(const amount& wanted) {
  channel between(wanted);
  weft_thread* ends[2];
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = 0;
  OK(weft_thread_create(produce, &between, &attr, &ends[0]));
  attr.worker = 1;
  OK(weft_thread_create(consume, &between, &attr, &ends[1]));
  OK(weft_thread_join_many(ends, 2));
}

void run_in_time() {
  const std::uint64_t share_ns = (weft::stress::deadline_ns - weft::stress::started_ns) / 4;
  fork_many(amount::in_time(share_ns));
  create_joined(amount::in_time(share_ns));
  create_detached(amount::in_time(share_ns));
  create_here_join_there(amount::in_time(share_ns));
}

// A tenth of the threads goes from one worker to another, which takes longer.
void run_exactly(long forks, long threads) {
  fork_many(amount::exactly(forks));
  create_joined(amount::exactly(threads / 2));
  create_detached(amount::exactly(threads - threads / 2 - threads / 10));
  create_here_join_there(amount::exactly(threads / 10));
}

}  // namespace

int main(int argument_count, char** arguments) {
  const long forks = argument_count == 3 ? std::strtol(arguments[1], nullptr, 10) : 0;
  const long threads = argument_count == 3 ? std::strtol(arguments[2], nullptr, 10) : 0;
  if (argument_count != 1 && (forks <= 0 || threads < 10 * least_threads)) {
    std::fprintf(stderr, "usage: flat_memory [FORKS THREADS], of the latter at least %ld\n", 10 * least_threads);
    return 2;
  }
  weft::stress::start("flat_memory");
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  OK(weft_init(&config));
  argument_count == 3 ? run_exactly(forks, threads) : run_in_time();
  OK(weft_finalize());
  return 0;
}
