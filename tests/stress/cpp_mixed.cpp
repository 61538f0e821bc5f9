// Random trees of calls, evaluated by threads and, for comparison, by plain recursion. A call
// waits, yields, locks, throws its result instead of returning it, and blocks inside the catch. On
// one worker, on some, on many more than there are cores; from OS threads too.
//
// STRESS_SECONDS: how long (2). STRESS_SEED: where to start; the seed of every round that fails is
// printed.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <weft/weft.hpp>

namespace {

using namespace std::chrono_literals;

constexpr int depth = 7;

std::uint64_t mix(std::uint64_t seed) {  // splitmix64: Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195
  seed += 0x9e3779b97f4a7c15;
  seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
  return seed ^ seed >> 31;
}

struct thrown_result {
  std::uint64_t value;
};

unsigned child_count(std::uint64_t seed, int level) { return level == 0 ? 0 : static_cast<unsigned>(mix(seed) % 4); }
bool throws(std::uint64_t seed) { return mix(seed ^ 1) % 5 == 0; }
std::uint64_t child_seed(std::uint64_t seed, unsigned child) { return mix(seed + 2 + child); }

std::uint64_t answer(std::uint64_t seed, std::uint64_t value) {
  if (throws(seed)) throw thrown_result{value};
  return value;
}

std::uint64_t evaluate_plainly(std::uint64_t seed, int level) {
  std::uint64_t value = seed;
  for (unsigned child = 0; child < child_count(seed, level); ++child) {
    try {
      value = mix(value + evaluate_plainly(child_seed(seed, child), level - 1));
    } catch (const thrown_result& thrown) {
      value = mix(value ^ thrown.value);
    }
  }
  return answer(seed, value);
}

struct shared_things {
  weft::mutex mutex;
  weft::recursive_mutex recursive;
  weft::shared_mutex shared;
  weft::counting_semaphore<> places{3};
  weft::condition_variable changed;
  long turns = 0;   // guarded by mutex
  long nested = 0;  // guarded by recursive
  std::atomic<long> locked = 0;
  std::atomic<long> entered = 0;
  std::atomic<int> inside = 0;  // of the places
  std::atomic<bool> is_crowded = false;
};

void lock_something(shared_things& things, std::uint64_t choice) {
  switch (choice % 5) {
    case 0: {
      const std::lock_guard hold(things.mutex);
      ++things.turns;
      ++things.locked;
      things.changed.notify_one();
      break;
    }
    case 1: {
      const std::lock_guard hold(things.recursive);
      const std::lock_guard again(things.recursive);
      const long before = things.nested;
      weft::this_thread::yield();
      things.nested = before + 1;
      ++things.entered;
      break;
    }
    case 2: {
      const std::shared_lock hold(things.shared);
      weft::this_thread::yield();
      break;
    }
    case 3: {
      things.places.acquire();
      if (++things.inside > 3) things.is_crowded = true;
      weft::this_thread::yield();
      --things.inside;
      things.places.release();
      break;
    }
    default: {
      std::unique_lock hold(things.mutex);
      things.changed.wait_for(hold, 50us);
    }
  }
}

void disturb(shared_things& things, std::uint64_t seed) {
  switch (mix(seed ^ 3) % 8) {
    case 0: weft::this_thread::yield(); break;
    case 1: weft::this_thread::sleep_for(std::chrono::microseconds(mix(seed ^ 4) % 40)); break;
    case 2:
    case 3: lock_something(things, mix(seed ^ 5)); break;
    default: break;
  }
}

std::uint64_t evaluate(shared_things& things, std::uint64_t seed, int level) {
  std::vector<weft::future<std::uint64_t>> children;
  for (unsigned child = 0; child < child_count(seed, level); ++child) {
    children.push_back(
        weft::async([&things, seed = child_seed(seed, child), level] { return evaluate(things, seed, level - 1); }));
  }
  disturb(things, seed);
  std::uint64_t value = seed;
  for (weft::future<std::uint64_t>& child : children) {
    try {
      value = mix(value + child.get());
    } catch (const thrown_result& thrown) {
      disturb(things, thrown.value);
      value = mix(value ^ thrown.value);
    }
  }
  return answer(seed, value);
}

template <class Evaluate>
std::uint64_t result_of(Evaluate evaluate_tree) {
  try {
    return evaluate_tree();
  } catch (const thrown_result& thrown) {
    return ~thrown.value;
  }
}

void run_round(std::uint64_t seed) {
  shared_things things;
  constexpr int outside = 2;
  std::uint64_t from_outside[outside] = {};
  std::vector<std::thread> outsiders;
  std::atomic<int> ended = 0;
  for (int i = 0; i < outside; ++i) {
    outsiders.emplace_back([&, i] {
      from_outside[i] = result_of([&] { return evaluate(things, seed, depth - 1); });
      ++ended;
    });
  }
  const std::uint64_t from_here = result_of([&] { return evaluate(things, seed, depth); });
  while (ended != outside) weft::this_thread::sleep_for(100us);  // joining an OS thread would block worker 0
  for (std::thread& each : outsiders) each.join();
  CAPTURE(seed);
  CHECK(from_here == result_of([&] { return evaluate_plainly(seed, depth); }));
  for (const std::uint64_t each : from_outside) CHECK(each == result_of([&] { return evaluate_plainly(seed, depth - 1); }));
  CHECK(things.turns == things.locked);
  CHECK(things.nested == things.entered);
  CHECK_FALSE(things.is_crowded);
}

double seconds_wanted() {
  const char* text = std::getenv("STRESS_SECONDS");
  return text != nullptr ? std::atof(text) : 2;
}

std::uint64_t first_seed() {
  const char* text = std::getenv("STRESS_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : std::random_device()();
}

}  // namespace

TEST_CASE("trees of calls give the same as plain recursion") {
  std::uint64_t seed = first_seed();
  MESSAGE("STRESS_SEED=" << seed);
  const auto share = std::chrono::duration<double>(seconds_wanted() / 3);
  unsigned long rounds = 0;
  for (const unsigned workers : {1u, 3u, 32u}) {
    CAPTURE(workers);
    const auto until = std::chrono::steady_clock::now() + share;
    do {
      const weft::runtime runtime({.workers = workers});
      for (int round = 0; round < 5; ++round) run_round(seed++);
      rounds += 5;
    } while (std::chrono::steady_clock::now() < until);
  }
  std::printf("figure: programs soaked = %lu\n", rounds);
}
