// What the stress programs share: the seed, the time that they may take, checks that name their
// place and the seed, runtimes of all kinds.
//
// A program runs one *life* after the other: a runtime from its start to its end, with everything
// decided by one seed. STRESS_SEED names the first one's, a failure names its own, so that
// STRESS_SEED with STRESS_SECONDS=0 repeats that life alone.
#pragma once

#include <weft/weft.h>

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace weft::stress {

inline std::uint64_t seed = 0;  // of this life
inline std::uint64_t started_ns = 0;
inline std::uint64_t deadline_ns = 0;
inline std::string command;                     // what repeats it, but for the seed
inline std::atomic<std::uint64_t> programs{0};  // with an answer that was right

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

inline void start(const char* name) {
  seed = number_from("STRESS_SEED", weft_now_ns() % 1000000007);
  started_ns = weft_now_ns();
  deadline_ns = started_ns + number_from("STRESS_SECONDS", 2) * 1000000000;
  std::printf("%s: STRESS_SEED=%llu\n", name, static_cast<unsigned long long>(seed));
  std::fflush(stdout);
}

inline bool has_time() { return weft_now_ns() < deadline_ns; }

[[noreturn]] inline void fail(const char* file, int line, const char* what) {
  const auto number = static_cast<unsigned long long>(seed);
  std::fprintf(stderr, "%s:%d: failed with STRESS_SEED=%llu: %s\n", file, line, number, what);
  if (!command.empty()) std::fprintf(stderr, "repeat: STRESS_SEED=%llu STRESS_SECONDS=0 %s\n", number, command.c_str());
  std::abort();
}

// A generator that a program carries along: splitmix64 (Steele, Lea, Flood 2014,
// doi:10.1145/2660193.2660195).
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
  bool one_in(unsigned times) { return below(times) == 0; }

 private:
  std::uint64_t state_;
};

// A deadline that has passed, that passes soon, or that is not reached.
inline std::uint64_t some_deadline(dice* from) {
  switch (from->below(4)) {
    case 0: return weft_now_ns() - from->below(1000);
    case 1: return weft_deadline_in(from->below(50000));
    case 2: return weft_deadline_in(std::uint64_t{3600} * 1000000000);
    default: return WEFT_FOREVER;
  }
}

// A runtime of any kind with that many workers. Spinning for ever is for those that have a CPU
// each.
inline weft_config some_config(unsigned workers, dice* from) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.caller_outside = from->one_in(4);
  config.locality = static_cast<weft_locality>(from->below(3));
  config.wait_policy = static_cast<weft_wait_policy>(from->below(workers <= 2 ? 3 : 2));
  config.bind = from->one_in(6);
  if (from->one_in(3)) config.topology = "numa:2 core:2 pu:1";
  if (from->one_in(3)) config.stack_bytes = 32768 + from->below(200000);
  return config;
}

inline long resident_kib() {
  long pages = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) fail(__FILE__, __LINE__, "/proc/self/statm");
  std::fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// Whether memory grows from life to life: the most of the last third of a long run against the most
// of the first. Sanitizers keep what was freed.
class growth {
 public:
  void note() {
    const long now = resident_kib();
    const std::uint64_t third_ns = (deadline_ns - started_ns) / 3;
    if (weft_now_ns() < started_ns + third_ns) {
      if (now > first_) first_ = now;
    } else if (now > last_ && weft_now_ns() >= started_ns + 2 * third_ns) {
      last_ = now;
    }
  }
  void check() const {
    if (deadline_ns - started_ns < 15 * std::uint64_t{1000000000}) return;
    std::printf("resident: at most %ld KiB in the first third, %ld KiB in the last\n", first_, last_);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (last_ > first_ + first_ / 2 + 32 * 1024) fail(__FILE__, __LINE__, "memory grows from life to life");
#endif
  }

 private:
  long first_ = 0;
  long last_ = 0;
};

inline void print_programs() {
  std::printf("figure: programs soaked = %llu\n", static_cast<unsigned long long>(programs.load()));
}

// What a program does whose argument is the number of workers (0: any number up to 32): one life
// after the other, each from a seed of its own, while there is time. STRESS_TELL has the seed of
// each printed before it begins, for those that hang.
inline int live_on(const char* name, int count, char** arguments, void (*live)(unsigned workers, std::uint64_t seed)) {
  start(name);
  for (int i = 0; i < count; ++i) command.append(i == 0 ? "" : " ").append(arguments[i]);
  const auto wanted = static_cast<unsigned>(count > 1 ? std::atoi(arguments[1]) : 2);
  const bool tells = number_from("STRESS_TELL", 0) != 0;
  growth memory;
  long lives = 0;
  do {
    if (tells) std::printf("life: STRESS_SEED=%llu\n", static_cast<unsigned long long>(seed));
    if (tells) std::fflush(stdout);
    dice from(seed);
    const unsigned drawn = from.one_in(2) ? 1 + from.below(4) : 1 + from.below(32);
    live(wanted != 0 ? wanted : drawn, from.next());
    memory.note();
    ++lives;
    seed = from.next() % 1000000007;
  } while (has_time());
  memory.check();
  std::printf("%ld runtimes\n", lives);
  print_programs();
  return 0;
}

}  // namespace weft::stress

#define MUST(condition)                                                     \
  do {                                                                      \
    if (!(condition)) ::weft::stress::fail(__FILE__, __LINE__, #condition); \
  } while (0)
#define OK(call) MUST((call) == WEFT_OK)
