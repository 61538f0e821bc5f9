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
// In lines of so many columns, of which all but the first are indented; a word that is longer stays
// whole. Ends with a newline.
std::string wrap(std::string_view text, std::size_t columns);

// Columns as wide as their widest cell; the first is aligned left, the others right unless they are
// named.
class table {
 public:
  explicit table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void align_left(std::size_t column) { left_.push_back(column); }
  // A title above the heads of the columns first to last, whose widths together have room for it.
  void span(std::size_t first, std::size_t last, std::string title) { titles_.push_back({first, last, std::move(title)}); }
  [[nodiscard]] std::string show() const;  // with a rule under the head; ends with a newline

 private:
  struct spanning_title {
    std::size_t first;
    std::size_t last;
    std::string text;
  };

  [[nodiscard]] std::string show_titles(const std::vector<std::size_t>& widths) const;
  [[nodiscard]] std::vector<std::size_t> measure_columns() const;
  [[nodiscard]] bool is_left(std::size_t column) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> left_ = {0};
  std::vector<spanning_title> titles_;  // from left to right
};

}  // namespace cli
