// What the stress programs share: the seed, the time that they may take, checks that name their place and the seed.
#pragma once

#include <weft/weft.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace weft::stress {

inline std::uint64_t seed = 0;
inline std::uint64_t deadline_ns = 0;

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

inline void start(const char* name) {
  seed = number_from("STRESS_SEED", weft_now_ns() % 1000000007);
  deadline_ns = weft_now_ns() + number_from("STRESS_SECONDS", 2) * 1000000000;
  std::printf("%s: STRESS_SEED=%llu\n", name, static_cast<unsigned long long>(seed));
  std::fflush(stdout);
}

inline bool has_time() { return weft_now_ns() < deadline_ns; }

[[noreturn]] inline void fail(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: failed with STRESS_SEED=%llu: %s\n", file, line, static_cast<unsigned long long>(seed), what);
  std::abort();
}

// A generator that a program carries along: splitmix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195).
class dice {
 public:
  explicit dice(std::uint64_t from) : state_(from) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  unsigned below(unsigned bound) { return static_cast<unsigned>(next() % bound); }

 private:
  std::uint64_t state_;
};

// What a program does whose argument is the number of workers: one runtime after the other, each from a seed of its own, while there
// is time.
inline int live_on(const char* name, int count, char** arguments, void (*live)(unsigned workers, std::uint64_t seed)) {
  start(name);
  const auto workers = static_cast<unsigned>(count > 1 ? std::atoi(arguments[1]) : 2);
  dice from(seed);
  long lives = 0;
  do {
    live(workers, from.next());
    ++lives;
  } while (has_time());
  std::printf("%ld runtimes\n", lives);
  return 0;
}

}  // namespace weft::stress

#define MUST(condition)                                                     \
  do {                                                                      \
    if (!(condition)) ::weft::stress::fail(__FILE__, __LINE__, #condition); \
  } while (0)
#define OK(call) MUST((call) == WEFT_OK)
