// See table.hpp.
#include "net/table.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/file.hpp"

namespace weft::net {
namespace {

constexpr int cell_bytes = 24;
constexpr int longest_name = 11;
constexpr int lines = most_rows + 2;  // with the head and the row for all
constexpr std::size_t text_bytes = 100 * (lines + 1);

struct cells {
  char of[lines][most_columns + 1][cell_bytes] = {};
  int rows = 0;
  int columns = 0;

  char* at(int row, int column) { return of[row][column]; }
};

// Three digits that count, and a unit.
void scaled(double value, double step, const char* const* units, int count, char* out) {
  int unit = 0;
  for (; unit + 1 < count && value >= step; ++unit) value /= step;
  const int digits = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  snprintf(out, cell_bytes, "%.*f %s", digits, value, units[unit]);
}

// "4,130,071"
void grouped(std::uint64_t value, char* out) {
  char digits[cell_bytes];
  const int count = snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(value));
  for (int i = 0; i < count; ++i) {
    if (i != 0 && (count - i) % 3 == 0) *out++ = ',';
    *out++ = digits[i];
  }
  *out = '\0';
}

void write_value(std::uint64_t value, unit_of_value unit, char* out) {
  static constexpr const char* sizes[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  static constexpr const char* times[] = {"ns", "us", "ms", "s"};
  static constexpr const char* thousands[] = {"", "K", "M", "G", "T"};
  switch (unit) {
    case unit_of_value::count:
      if (value < 1'000'000'000) return grouped(value, out);
      return scaled(static_cast<double>(value), 1000, thousands, 5, out);
    case unit_of_value::bytes: return scaled(static_cast<double>(value), 1024, sizes, 5, out);
    case unit_of_value::ns: return scaled(static_cast<double>(value), 1000, times, 4, out);
    case unit_of_value::permille: snprintf(out, cell_bytes, "%.1f %%", static_cast<double>(value) / 10); return;
  }
}

int by_size(const void* a, const void* b) {
  const auto one = *static_cast<const std::uint64_t*>(a);
  const auto other = *static_cast<const std::uint64_t*>(b);
  return one < other ? -1 : one > other ? 1 : 0;
}

// The column below its head: each rank's value, or the three that stand for many ranks; then all's.
void fill_column(const job& all, const table_column& column, int index, cells* into) {
  std::uint64_t values[most_ranks];
  std::uint64_t sum = 0;
  for (int rank = 0; rank < all.ranks; ++rank) sum += values[rank] = column.value(all, rank);
  snprintf(into->at(0, index), cell_bytes, "%.*s", longest_name, column.name);
  if (all.ranks > most_rows) {
    qsort(values, static_cast<std::size_t>(all.ranks), sizeof *values, by_size);
    values[1] = values[all.ranks / 2];
    values[2] = values[all.ranks - 1];
  }
  for (int row = 1; row + 1 < into->rows; ++row) write_value(values[row - 1], column.unit, into->at(row, index));
  const bool is_mean = column.unit == unit_of_value::permille;
  write_value(is_mean ? sum / static_cast<std::uint64_t>(all.ranks) : sum, column.unit, into->at(into->rows - 1, index));
}

void name_rows(const job& all, cells* into) {
  static constexpr const char* of_many[] = {"least", "median", "most"};
  const bool is_many = all.ranks > most_rows;
  into->rows = (is_many ? 3 : all.ranks) + 2;
  snprintf(into->at(0, 0), cell_bytes, "rank");
  for (int row = 1; row + 1 < into->rows; ++row) {
    if (is_many) {
      snprintf(into->at(row, 0), cell_bytes, "%s", of_many[row - 1]);
    } else {
      snprintf(into->at(row, 0), cell_bytes, "%d", row - 1);
    }
  }
  snprintf(into->at(into->rows - 1, 0), cell_bytes, "all %d", all.ranks);
}

int width_of(cells& all, int column) {
  std::size_t widest = 0;
  for (int row = 0; row < all.rows; ++row) {
    const std::size_t width = strlen(all.at(row, column));
    if (width > widest) widest = width;
  }
  return static_cast<int>(widest);
}

}  // namespace

void format_table(const job& all, const table_column* columns, int count, char* out, std::size_t capacity) {
  cells shown;
  name_rows(all, &shown);
  shown.columns = count < most_columns ? count : most_columns;
  for (int index = 0; index < shown.columns; ++index) fill_column(all, columns[index], index + 1, &shown);
  std::size_t used = 0;
  out[0] = '\0';
  for (int row = 0; row < shown.rows; ++row) {
    for (int column = 0; column <= shown.columns && used < capacity; ++column) {
      const int width = width_of(shown, column);
      used += static_cast<std::size_t>(
          snprintf(out + used, capacity - used, column == 0 ? "%-*s" : "  %*s", width, shown.at(row, column)));
    }
    if (used < capacity) used += static_cast<std::size_t>(snprintf(out + used, capacity - used, "\n"));
  }
}

void print_table(const job& all, const table_column* columns, int count) {
  char text[text_bytes];
  format_table(all, columns, count, text, sizeof text);
  (void)os::write_all(STDERR_FILENO, text, strlen(text));
}

}  // namespace weft::net
