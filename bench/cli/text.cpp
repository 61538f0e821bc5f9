#include "cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace cli {

namespace {

std::string three_digits(double value) {
  int const before_point = value < 1 ? 1 : static_cast<int>(std::log10(value)) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, 3 - before_point));
}

}  // namespace

std::string show_seconds(double seconds) {
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  if (seconds >= 0.9995e-6) return three_digits(seconds * 1e6) + " us";
  return three_digits(seconds * 1e9) + " ns";
}

std::string show_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t place = text.size(); place > 3;) text.insert(place -= 3, 1, ',');
  return text;
}

std::string show_bytes(double bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return three_digits(bytes) + " " + units[unit];
}

std::string shorten(const std::string& name, std::size_t most) {
  std::size_t const half = most / 2 - 1;
  return name.size() <= most ? name : name.substr(0, half) + ".." + name.substr(name.size() - half);
}

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (char const letter : text) {
    switch (letter) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += letter;
    }
  }
  return escaped;
}

std::string wrap(std::string_view text, std::size_t columns) {
  constexpr std::string_view indent = "  ";
  std::string lines;
  std::string line;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    std::string_view const word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      line = word;
    } else if (line.size() + 1 + word.size() <= columns) {
      line.append(" ").append(word);
    } else {
      lines += line + '\n';
      line = std::string(indent).append(word);
    }
  }
  return lines + line + '\n';
}

bool table::is_left(std::size_t column) const { return std::ranges::find(left_, column) != left_.end(); }

std::vector<std::size_t> table::measure_columns() const {
  std::vector<std::size_t> widths(rows_[0].size());
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) widths[column] = std::max(widths[column], row[column].size());
  }
  return widths;
}

// Each in the middle of its columns, between dashes that say which they are.
std::string table::show_titles(const std::vector<std::size_t>& widths) const {
  std::string line;
  for (const spanning_title& each : titles_) {
    std::size_t begin = 2 * each.first;
    for (std::size_t column = 0; column < each.first; ++column) begin += widths[column];
    std::size_t wide = 2 * (each.last - each.first);
    for (std::size_t column = each.first; column <= each.last; ++column) wide += widths[column];
    line.resize(std::max(begin, line.size()), ' ');
    line += fmt::format("{:-^{}}", " " + each.text + " ", wide);
  }
  return line.empty() ? "" : line + '\n';
}

std::string table::show() const {
  std::vector<std::size_t> const widths = measure_columns();
  std::string text = show_titles(widths);
  for (const std::vector<std::string>& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      std::string_view const gap = column == 0 ? "" : "  ";
      line += gap;
      line += is_left(column) ? fmt::format("{:<{}}", row[column], widths[column])
                              : fmt::format("{:>{}}", row[column], widths[column]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    if (&row == &rows_.front()) text += std::string(line.size(), '-') + '\n';
  }
  return text;
}

}  // namespace cli
