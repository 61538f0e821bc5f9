#include "programs/driver.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "many.h"

namespace many_program {
namespace {

std::uint64_t step_ns = 1000;

struct order {
  const program* what = nullptr;  // null: a loop
  std::uint64_t size = 0;
  std::uint64_t repeats = 0;  // 0: as many as suit
};

[[noreturn]] void usage(const runtime& by, const char* wrong) {
  std::fprintf(stderr,
               "many-%s: %s\nusage: many-%s PROGRAM [SIZE] [REPEATS], or many-%s loop STEPS NANOSECONDS [REPEATS]; programs:",
               by.name, wrong, by.name, by.name);
  for (const program& each : by.programs) std::fprintf(stderr, " %s", each.name);
  std::fputc('\n', stderr);
  std::exit(2);
}

std::uint64_t number(const runtime& by, const char* text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0' || *text == '-' || value == 0) usage(by, "sizes and times are whole numbers from 1 on");
  return value;
}

order read(const runtime& by, int count, char** words) {
  if (count < 2) usage(by, "which program?");
  order found;
  if (std::strcmp(words[1], "loop") == 0) {
    if (count < 4 || count > 5) usage(by, "a loop needs a number of steps and the nanoseconds of each");
    found.size = number(by, words[2]);
    step_ns = number(by, words[3]);
    if (count == 5) found.repeats = number(by, words[4]);
    return found;
  }
  for (const program& each : by.programs) {
    if (std::strcmp(each.name, words[1]) == 0) found.what = &each;
  }
  if (found.what == nullptr) usage(by, "there is no such program");
  if (count > 4) usage(by, "there are too many words");
  found.size = count > 2 ? number(by, words[2]) : found.what->size;
  if (found.size > found.what->of->max_size) usage(by, "the size is too large");
  if (count > 3) found.repeats = number(by, words[3]);
  return found;
}

double run_once(const runtime& by, const order& what, std::uint64_t* answer) {
  bench::stopwatch watch;
  if (what.what == nullptr) {
    watch.start();
    by.loop(what.size);
    watch.stop();
    return watch.seconds() * 1e6;
  }
  bench::kernel_input input;
  input.size = what.size;
  input.workers = many_cpus();
  *answer = what.what->body(input, watch).answer;
  return watch.seconds() * 1e6;
}

void check(const order& what, std::uint64_t answer, std::uint64_t wanted) {
  if (answer == wanted) return;
  std::fprintf(stderr, "many: %s %lu answered %lu, and %lu is right\n", what.what->name, what.size, answer, wanted);
  std::exit(1);
}

std::uint64_t right_answer(const order& what, std::uint64_t first) {
  if (what.size > what.what->most_checked) return first;
  bench::kernel_input input;
  input.size = what.size;
  many_stop_time();
  const std::uint64_t answer = what.what->of->expected(input);
  many_continue_time();
  return answer;
}

void tell(std::vector<double> times) {
  double sum = 0;
  for (const double each : times) sum += each;
  std::sort(times.begin(), times.end());
  many_tell("mean_us", sum / static_cast<double>(times.size()));
  many_tell("median_us", times[times.size() / 2]);
  many_tell("least_us", times.front());
  many_tell("most_us", times.back());
  many_tell("repeats", static_cast<double>(times.size()));
}

}  // namespace

void step() { many_work(step_ns); }

int drive(const runtime& by, int argument_count, char** arguments) {
  order what = read(by, argument_count, arguments);
  if (what.repeats == 0) what.repeats = what.what != nullptr ? 10 : std::clamp<std::uint64_t>(20'000 / what.size, 40, 200);
  const std::uint64_t warm = std::max<std::uint64_t>(1, what.repeats / 4);
  std::uint64_t answer = 0;
  for (std::uint64_t i = 0; i < warm; ++i) run_once(by, what, &answer);
  const std::uint64_t wanted = what.what != nullptr ? right_answer(what, answer) : 0;
  std::vector<double> times;
  many_begin();
  if (by.forget != nullptr) by.forget();
  for (std::uint64_t i = 0; i < what.repeats; ++i) {
    times.push_back(run_once(by, what, &answer));
    if (what.what != nullptr) check(what, answer, wanted);
  }
  many_end();
  if (by.tell != nullptr) by.tell();
  tell(times);
  return 0;
}

}  // namespace many_program
