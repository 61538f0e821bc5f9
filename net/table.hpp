// The table of ranks that a launched job ends with, on stderr, at most 100 columns wide. Called in
// the launcher after the ranks have ended.
#pragma once

#include <cstdint>

#include "net/job.hpp"

namespace weft::net {

enum class unit_of_value : std::uint8_t { count, bytes, ns, permille };

struct table_column {
  const char* name;
  unit_of_value unit;
  std::uint64_t (*value)(const job& all, int rank);
};

inline constexpr int most_columns = 7;  // of at most 11 letters: more do not fit
inline constexpr int most_rows = 16;    // of ranks; of more ranks the table shows least, median and most

// A row for each rank, and one for all: the sum, of permille the mean.
void print_table(const job& all, const table_column* columns, int count);

// The same as text, null-terminated; what does not fit into capacity is cut.
void format_table(const job& all, const table_column* columns, int count, char* out, std::size_t capacity);

}  // namespace weft::net
