// Random loops, reductions, scans and sorts, in C and in C++, nested, with bodies that yield, lock,
// sleep and throw, and groups of tasks that add tasks and are cancelled; from ULTs, tasklets and OS
// threads outside at once, each compared with plain code. Usage: loops WORKERS.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include <weft/loops.h>
#include <weft/weft.hpp>

#include "stress.hpp"

namespace {

using weft::stress::dice;

weft_mutex mutex = WEFT_MUTEX_INIT;
std::uint64_t guarded;  // by mutex
std::atomic<std::uint64_t> locked;

struct thrown {
  std::size_t at;
};

std::uint64_t mix(std::uint64_t from) { return dice(from).next(); }

// What a body does to pass the time; not in tasklets, which must not wait.
void disturb(std::uint64_t chance) {
  if (weft_thread_is_tasklet(weft_self())) return;
  switch (chance % 64) {
    case 0: weft_yield(); break;
    case 1: OK(weft_sleep_ns(chance / 64 % 20000)); break;
    case 2:
      OK(weft_mutex_lock(&mutex));
      ++guarded;
      locked.fetch_add(1);
      OK(weft_mutex_unlock(&mutex));
      break;
    default: break;
  }
}

// ---- each kind of loop, and what it must give ----

struct c_loop {
  std::vector<std::uint64_t> out;
  std::uint64_t seed;
};

void fill_part(std::size_t from, std::size_t to, void* argument) {
  auto* loop = static_cast<c_loop*>(argument);
  MUST(from < to && to <= loop->out.size());
  for (std::size_t i = from; i < to; ++i) loop->out[i] += mix(loop->seed + i);
  disturb(mix(loop->seed ^ from));
}

void check_c_for(dice from) {
  c_loop loop{std::vector<std::uint64_t>(from.below(3000)), from.next()};
  OK(weft_parallel_for(0, loop.out.size(), from.below(200), fill_part, &loop));
  for (std::size_t i = 0; i < loop.out.size(); ++i) MUST(loop.out[i] == mix(loop.seed + i));
}

// Not commutative: 31 * left + right, where left must know how long right is.
struct text_hash {
  std::uint64_t value, power;
};
void hash_part(std::size_t from, std::size_t to, void* seed, void* value) {
  auto* hash = static_cast<text_hash*>(value);
  for (std::size_t i = from; i < to; ++i)
    *hash = {hash->value * 31 + mix(*static_cast<std::uint64_t*>(seed) + i), hash->power * 31};
  disturb(mix(*static_cast<std::uint64_t*>(seed) ^ from));
}
text_hash joined(const text_hash& left, const text_hash& right) {
  return {left.value * right.power + right.value, left.power * right.power};
}
void join_hashes(void* value, const void* later, void*) {
  auto* hash = static_cast<text_hash*>(value);
  *hash = joined(*hash, *static_cast<const text_hash*>(later));
}

void check_c_reduce(dice from) {
  const std::size_t count = from.below(3000);
  std::uint64_t seed = from.next();
  const text_hash nothing{0, 1};
  const weft_reduction how{sizeof nothing, &nothing, hash_part, join_hashes};
  text_hash got{7, 7}, wanted = nothing;
  OK(weft_parallel_reduce(0, count, from.below(200), &how, &seed, &got));
  for (std::size_t i = 0; i < count; ++i) wanted = {wanted.value * 31 + mix(seed + i), wanted.power * 31};
  MUST(got.value == wanted.value && got.power == wanted.power);
}

std::vector<std::uint32_t> some_numbers(dice* from) {
  std::vector<std::uint32_t> numbers(from->one_in(4) ? from->below(20) : from->below(20000));
  const unsigned different = 1 + from->below(from->one_in(3) ? 4 : 1000000);
  for (std::uint32_t& each : numbers) each = from->below(different);
  if (from->one_in(4)) std::sort(numbers.begin(), numbers.end(), std::greater<>());
  return numbers;
}

int compare_numbers(const void* left, const void* right, void*) {
  std::uint32_t a = 0, b = 0;
  std::memcpy(&a, left, sizeof a);
  std::memcpy(&b, right, sizeof b);
  return (a > b) - (a < b);
}

void check_sorts(dice from) {
  std::vector<std::uint32_t> given = some_numbers(&from);
  std::vector<std::uint32_t> wanted = given, by_c = given;
  std::sort(wanted.begin(), wanted.end());
  weft::parallel_sort(given);
  MUST(given == wanted);
  OK(weft_parallel_sort(by_c.data(), by_c.size(), sizeof by_c[0], compare_numbers, nullptr));
  MUST(by_c == wanted);
}

void check_scan(dice from) {
  std::vector<std::uint32_t> given = some_numbers(&from);
  std::vector<std::uint32_t> got(given.size()), wanted(given.size());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < given.size(); ++i) wanted[i] = sum += given[i];
  weft::parallel_inclusive_scan(given.begin(), given.end(), got.begin(), std::plus<>());
  MUST(got == wanted);
}

// Loops in loops; the inner ones get the workers that are idle.
void check_nested(dice from) {
  const std::size_t rows = from.below(40), columns = from.below(100);
  const std::uint64_t seed = from.next();
  std::vector<std::uint64_t> sums(rows);
  weft::parallel_for(std::size_t{0}, rows, [&](std::size_t row) {
    disturb(mix(seed ^ row));
    const auto cell = [&](std::size_t column) { return mix(seed + row * 1000 + column); };
    sums[row] = weft::parallel_reduce(std::size_t{0}, columns, std::uint64_t{0}, cell, std::plus<>());
  });
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint64_t wanted = 0;
    for (std::size_t column = 0; column < columns; ++column) wanted += mix(seed + row * 1000 + column);
    MUST(sums[row] == wanted);
  }
}

// The exception of the first part in the order of the program leaves, however they ran.
void check_throwing(dice from) {
  const std::size_t count = 1 + from.below(2000);
  const std::size_t first = from.below(static_cast<unsigned>(count));
  const std::uint64_t seed = from.next();
  const auto throws = [=](std::size_t i) { return i == first || (i > first && mix(seed + i) % 100 == 0); };
  std::size_t caught = count;
  try {
    weft::parallel_for(weft::range<std::size_t>(0, count, 1), [&](const weft::range<std::size_t>& part) {
      disturb(mix(seed ^ part.begin()));
      if (throws(part.begin())) throw thrown{part.begin()};
    });
  } catch (const thrown& one) {
    disturb(one.at);
    caught = one.at;
  }
  MUST(caught == first);
}

// ---- tasks that add tasks ----

struct tasks {
  weft::task_group group;
  std::atomic<std::uint64_t> sum{0};
};

std::uint64_t children_of(std::uint64_t seed, unsigned depth) { return depth == 0 ? 0 : mix(seed) % 4; }

void visit(tasks& all, std::uint64_t seed, unsigned depth) {
  all.sum.fetch_add(mix(seed));
  disturb(mix(seed ^ 1));
  for (std::uint64_t child = 0; child < children_of(seed, depth); ++child) {
    all.group.run([&all, seed = mix(seed + child), depth] { visit(all, seed, depth - 1); });
  }
}

std::uint64_t visited(std::uint64_t seed, unsigned depth) {
  std::uint64_t sum = mix(seed);
  for (std::uint64_t child = 0; child < children_of(seed, depth); ++child) sum += visited(mix(seed + child), depth - 1);
  return sum;
}

void check_group(dice from) {
  tasks all;
  const std::uint64_t seed = from.next();
  all.group.run([&] { visit(all, seed, 5); });
  MUST(all.group.wait());
  MUST(all.sum == visited(seed, 5));
  all.group.run([] { throw thrown{1}; });
  std::size_t caught = 0;
  try {
    all.group.wait();
  } catch (const thrown& one) {
    caught = one.at;
  }
  MUST(caught == 1);
}

// Tasks that have not started do not; afterwards the group is as new.
void check_cancelled(dice from) {
  weft::task_group group;
  std::atomic<unsigned> ran{0}, ran_after{0};
  const unsigned count = 1 + from.below(50), cancelled_by = from.below(50);
  for (unsigned i = 0; i < count; ++i) {
    group.run([&, i] {
      ran.fetch_add(1);
      disturb(i);
      if (i == cancelled_by) group.cancel();
    });
  }
  const bool is_complete = group.wait();
  MUST(is_complete == (cancelled_by >= count) && ran <= count && (ran == count || !is_complete));
  group.run([&] { ran_after.fetch_add(1); });
  MUST(group.wait() && ran_after == 1);
}

// ---- a program: some of them, one after the other, by each of several callers at once ----

void check_one(dice* from) {
  const dice own(from->next());
  switch (from->below(weft_thread_is_tasklet(weft_self()) ? 6 : 8)) {
    case 0: check_c_for(own); break;
    case 1: check_c_reduce(own); break;
    case 2: check_sorts(own); break;
    case 3: check_scan(own); break;
    case 4: check_nested(own); break;
    case 5: check_throwing(own); break;
    case 6: check_group(own); break;
    default: check_cancelled(own);
  }
}

void check_some(void* seed) {
  dice from(*static_cast<std::uint64_t*>(seed));
  for (unsigned left = 1 + from.below(5); left > 0; --left) check_one(&from);
}

void run_program(dice from) {
  std::vector<std::uint64_t> seeds(2 + from.below(6));
  for (std::uint64_t& each : seeds) each = from.next();
  std::vector<weft_thread*> threads(seeds.size() - 1);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = 256 * 1024;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    OK((from.one_in(5) ? weft_tasklet_create : weft_thread_create)(check_some, &seeds[i], &attr, &threads[i]));
  }
  weft_event outside_ended = WEFT_EVENT_INIT;
  std::thread outside([&] {
    check_some(&seeds.back());
    OK(weft_event_set(&outside_ended));
  });
  OK(weft_thread_join_many(threads.data(), threads.size()));
  OK(weft_event_wait(&outside_ended));
  outside.join();
  weft::stress::programs.fetch_add(1);
}

void live(unsigned workers, std::uint64_t seed) {
  dice from(seed);
  weft::runtime_config config;
  config.workers = workers;
  config.stack_bytes = 128 * 1024;  // of forks that others take: loops in loops, with vectors and exceptions
  config.locality = static_cast<weft::locality>(from.below(3));
  config.caller_outside = from.one_in(4);
  const weft::runtime runtime(config);
  for (int program = 0; program < 5; ++program) run_program(dice(from.next()));
  MUST(guarded == locked);
}

}  // namespace

int main(int count, char** arguments) { return weft::stress::live_on("loops", count, arguments, live); }
