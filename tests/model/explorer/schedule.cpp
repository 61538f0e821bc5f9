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

}  // namespace

void print_schedule(const report& what) {
  int number = 0;
  for (const step& each : what.steps) {
    const std::string& thread = what.names[static_cast<std::size_t>(each.thread)];
    std::printf("%5d  %-10s %-58s | %s\n", ++number, thread.c_str(), each.text.c_str(), place(each.where).c_str());
  }
  if (what.end == ending::failed) std::printf("       %s: %s\n", what.kind.c_str(), what.detail.c_str());
  if (what.end == ending::pruned) std::printf("       (not explored further)\n");
}

}  // namespace explorer
