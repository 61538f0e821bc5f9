// What the demonstration runs (demo.cpp) and what it shows of it (demo_report.cpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cell.hpp"

namespace cli {

struct demo_options {
  std::vector<std::string> programs;  // empty: all but the long ones
  bool is_quick = false;
  std::string directory = "/usr/share";
  unsigned workers = 0;
  unsigned repetitions = 3;
  double limit_seconds = 300;
  std::string out;
  std::string json;
};

struct column {
  std::string head;   // in the table
  std::string label;  // in words
  std::string runtime;
  unsigned workers;
};

struct row {
  const bench::kernel* what;
  std::vector<std::optional<cell_result>> cells;  // one a column; none: the program has no such form
};

struct demo_result {
  std::vector<column> columns;  // sequential; threads and forks on one worker and, where there are more, on all workers
  std::vector<row> rows;

  [[nodiscard]] bool is_all_right() const;
};

// workers 0: as many as the machine offers.
std::vector<column> choose_columns(unsigned workers);

std::string show_for_people(const demo_result& result);
std::string show_as_picture(const demo_result& result);
std::string show_as_json(const demo_result& result);

}  // namespace cli
