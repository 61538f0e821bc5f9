// Figures and tables for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

std::string show_seconds(double seconds);     // "1.24 s", "38.1 ms", "42.0 ns"; three digits that count
std::string show_count(std::uint64_t count);  // "4,130,071"
std::string show_bytes(double bytes);         // "529 MiB"
std::string shorten(const std::string& name,
                    std::size_t most);             // its begin and its end, which tells instances of templates apart
std::string escape_markup(std::string_view text);  // for HTML and SVG

// Columns as wide as their widest cell; the first is aligned left, the others right unless they are named.
class table {
 public:
  explicit table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void align_left(std::size_t column) { left_.push_back(column); }
  [[nodiscard]] std::string show() const;  // with a rule under the head; ends with a newline

 private:
  [[nodiscard]] std::vector<std::size_t> measure_columns() const;
  [[nodiscard]] bool is_left(std::size_t column) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> left_ = {0};
};

}  // namespace cli
