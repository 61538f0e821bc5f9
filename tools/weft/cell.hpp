// One cell of the demonstration's table: a program on a runtime with a number of workers, run as a
// process of its own (`weft bench NAME --json -`), so that a crash or a hang of one cell leaves the
// others standing.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/kernel.hpp"
#include "harness/statistics.hpp"

namespace cli {

struct cell_order {
  const bench::kernel* what;
  std::string runtime;
  unsigned workers;  // 0: as many as the machine offers
  std::optional<std::uint64_t> size;
  std::string directory;
  unsigned repetitions;
  double limit_seconds;
  double enough_seconds = 0;  // no further repetition begins when those before took so long together; 0: none is left out
};

struct cell_result {
  bool has_run = false;  // the fields below, but for failure, mean something
  bool is_correct = false;
  std::string failure;  // why it has not run, or what is wrong
  unsigned workers = 0;
  std::uint64_t size = 0;
  std::uint64_t answer = 0;
  std::uint64_t expected = 0;
  std::uint64_t units = 0;
  unsigned repetitions = 0;  // that were run
  bench::spread seconds;
  std::string note;
  nlohmann::ordered_json record;

  [[nodiscard]] bool is_right() const { return has_run && is_correct; }
  [[nodiscard]] double metric(const char* name) const;  // 0: there is none
};

// expected: the right answer, when an earlier cell of the program found it.
cell_result run_cell(const cell_order& order, std::optional<std::uint64_t> expected, const std::function<void(double)>& tick);

}  // namespace cli
