// See schedule.hpp.
#include "explorer/schedule.hpp"

#include <cstdio>
#include <fstream>
#include <map>

namespace explorer {
namespace {

const std::vector<std::string>& lines_of(const std::string& file) {
  static std::map<std::string, std::vector<std::string>> known;
  auto [entry, is_new] = known.try_emplace(file);
  if (is_new) {
    std::ifstream text(file);
    for (std::string line; std::getline(text, line);) entry->second.push_back(line);
  }
  return entry->second;
}

// The tag in the comment right above a line, such as [D3]; empty: none.
std::string tag_above(const std::vector<std::string>& lines, std::size_t line) {
  for (std::size_t i = line; i-- > 0;) {
    const std::size_t text = lines[i].find_first_not_of(" \t");
    if (text == std::string::npos || lines[i].compare(text, 2, "//") != 0) return "";
    const std::size_t open = lines[i].find("// [");
    if (open != std::string::npos) return lines[i].substr(open + 3, lines[i].find(']', open) - open - 2);
  }
  return "";
}

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first);
}

// "inbox.hpp:22 [B1] } while (!head_..."
std::string place(const site& where) {
  if (where.line() == 0) return "";
  const std::string file = where.file_name();
  const std::string base = file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(where.line());
  const std::vector<std::string>& lines = lines_of(file);
  if (where.line() > lines.size()) return base;
  const std::string tag = tag_above(lines, where.line() - 1);
  return base + " " + (tag.empty() ? "" : tag + " ") + trimmed(lines[where.line() - 1]);
}

bool same(const step& a, const step& b) { return a.thread == b.thread && a.text == b.text && a.where.line() == b.where.line(); }

// How many steps from `first` on only repeat the `round` steps before it.
std::size_t repeated(const std::vector<step>& steps, std::size_t first, std::size_t round) {
  std::size_t count = 0;
  while (first + count < steps.size() && same(steps[first + count], steps[first + count - round])) ++count;
  return count - count % round;
}

// The rounds of a loop that sees nothing new are said once.
std::size_t skip_rounds(const std::vector<step>& steps, std::size_t at) {
  constexpr std::size_t longest_round = 6;
  for (std::size_t round = 2; round <= longest_round && round <= at; ++round) {
    const std::size_t count = repeated(steps, at, round);
    if (count < 2 * round) continue;
    std::printf("       %-10s ... goes round %zu times more\n", "", count / round);
    return count;
  }
  return 0;
}

}  // namespace

void print_schedule(const report& what) {
  for (std::size_t i = 0; i < what.steps.size(); ++i) {
    i += skip_rounds(what.steps, i);
    if (i == what.steps.size()) break;
    const step& each = what.steps[i];
    const std::string& thread = what.names[static_cast<std::size_t>(each.thread)];
    std::printf("%5zu  %-10s %-58s | %s\n", i + 1, thread.c_str(), each.text.c_str(), place(each.where).c_str());
  }
  if (what.end == ending::failed) std::printf("       %s: %s\n", what.kind.c_str(), what.detail.c_str());
  if (what.end == ending::pruned) std::printf("       (not explored further)\n");
}

}  // namespace explorer
