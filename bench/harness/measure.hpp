// Runs one kernel on one runtime several times, checks its answer each time, and says what came
// out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/kernel.hpp"
#include "harness/runtimes.hpp"

namespace bench {

struct order {
  const kernel* what = nullptr;
  const runtime* with = nullptr;
  kernel_body body = nullptr;
  std::optional<std::uint64_t> size;      // none: the kernel's default
  std::optional<std::uint64_t> expected;  // none: the kernel finds the right answer itself
  unsigned workers = 0;                   // 0: as many as the machine offers
  unsigned repetitions = 1;
  double enough_seconds = 0;  // no repetition begins when those before it took so long together; 0: none is left out
  unsigned warm_ups = 0;      // runs before each repetition that are checked, but not measured
  std::string directory;
};

struct measurement {
  kernel_input input;  // as it was run: the size that fits, the workers that there were
  std::uint64_t answer = 0;
  std::uint64_t expected = 0;
  bool is_correct = false;  // in every repetition
  std::uint64_t units = 0;
  std::vector<double> seconds;      // one a repetition that was run
  std::vector<double> cpu_seconds;  // user and system, all OS threads of the process
  std::uint64_t peak_resident_bytes = 0;
  std::vector<metric> metrics;  // of the first run, a warm-up where there is one: the process is fresh
  std::string version;          // of what ran it
  std::string settings;
  std::string note;
};

// Throws std::runtime_error when the runtime cannot be started or the kernel cannot do its work.
measurement measure(const order& order);

}  // namespace bench
