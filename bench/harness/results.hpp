// What was measured, read back from a file: a record of `weft bench --json` or a comparison of
// bench/matrix/matrix.py.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

inline constexpr const char* matrix_format = "weft-matrix-1";

// What two files must agree on to be compared.
struct series_key {
  std::string program;
  std::uint64_t size = 0;  // 0: it has none
  std::string directory;   // what such a program worked on
  std::string runtime;
  unsigned workers = 1;

  auto operator<=>(const series_key&) const = default;
};

struct series {
  std::string status = "measured";  // or what happened instead: "crashed", "wrong answer", ...
  std::vector<double> seconds;
  std::string setting;  // the runtime's version and settings, as one text

  [[nodiscard]] bool is_measured() const { return status == "measured" && !seconds.empty(); }
};

struct results {
  std::string file;
  bool is_matrix = false;
  std::map<std::string, std::string> facts;  // of machine and build, by their names for people
  std::map<series_key, series> all;
  std::vector<double> calibration;  // seconds of the loop that ran before each process; records have none
};

// The file is none of these, or damaged; the message names it and says what to do.
class bad_results : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

results read_results(const std::string& file);  // throws bad_results

}  // namespace bench
