// What a measured program is: a kernel (fib, uts-t1, …) with an answer that can be checked and a
// size. Every kernel fills one `kernel`; kernels/table.cpp lists them; nothing registers itself
// behind the scenes. A runtime (sequential, ult, …) names the kernels that it runs and its body for
// each: harness/runtimes.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/stopwatch.hpp"

namespace bench {

struct kernel_input {
  std::uint64_t size = 0;
  unsigned workers = 1;   // 1 for plain calls
  std::string directory;  // what the kernels that work on files work on
};

struct metric {
  std::string name;  // ends in its unit: bytes_per_thread, create_seconds
  double value = 0;
};

struct kernel_run {
  std::uint64_t answer = 0;
  std::uint64_t units = 0;  // how many of kernel::unit were done
  std::vector<metric> metrics;
};

// Does the work once. Only what lies between watch.start() and watch.stop() is measured: a body
// makes its input before and checks or frees its output after. Throws std::runtime_error when the
// work could not be done.
using kernel_body = kernel_run (*)(const kernel_input& input, stopwatch& watch);

// The size that this machine can hold, and, when that is less than what was asked for, why.
struct fitted_size {
  std::uint64_t size = 0;
  std::string note;
};

struct kernel {
  std::string_view name;
  std::string_view title;      // one line for people
  std::string_view size_word;  // what the size counts: "n", "depth", "threads"; empty: the kernel has no size
  std::string_view unit;       // singular: "call", "node", "file"
  std::uint64_t default_size;
  std::uint64_t quick_size;                              // ends in a fraction of a second: for tests
  std::uint64_t max_size;                                // sizes are 1 … max_size
  std::uint64_t (*expected)(const kernel_input& input);  // the right answer, found in another way than the bodies find it
  fitted_size (*fit)(std::uint64_t size) = nullptr;      // null: any size fits
  std::uint64_t demo_size = 0;                           // of the demonstration; 0: default_size
  bool is_long = false;                                  // takes many seconds: not part of the demonstration
  bool is_digest = false;                                // the answer says something to programs only
  bool is_of_experiment = false;                         // repeats a published one: not part of the demonstration
};

}  // namespace bench
