// The demonstration's picture: one HTML file that needs nothing beside it, with bars as SVG and the
// table beneath.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct bar {
  std::string label;   // "1 worker": stands beside a remark; else the legend tells which bar is which
  double seconds;      // 0: not drawn
  std::string remark;  // what stands there instead, such as "no sequential form"; or "WRONG"
  bool is_bad;
};

struct bar_group {
  std::string name;
  std::string title;
  std::vector<bar> bars;
};

struct picture {
  std::string heading;
  std::string facts;  // about machine and build, one line
  std::vector<bar_group> groups;
  std::vector<std::vector<std::string>> rows;  // the table; the first is its head
  std::vector<std::string> notes;
  std::vector<std::string> legend = {};  // what the bars of each group are, in their order
};

std::string draw(const picture& what);

}  // namespace cli
