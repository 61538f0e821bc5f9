#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text.hpp"

namespace cli {

namespace {

constexpr double width = 960;
constexpr double bars_left = 230;
constexpr double bars_width = 600;
constexpr double bar_height = 14;
constexpr double bar_step = 18;
constexpr double group_gap = 16;
constexpr std::size_t last_colour = 4;
constexpr std::size_t title_letters = 32;  // that fit left of the bars
constexpr std::size_t group_letters = 26;  // these are larger
constexpr std::size_t remark_letters = 100;
constexpr double line_step = bar_step - 3;
constexpr double letter_width = 7;  // of most fonts' 12 px, with room to spare
constexpr double legend_gap = 24;

constexpr const char* style = R"(
:root { color-scheme: light dark; --ink: #1d2733; --faint: #66727f; --paper: #ffffff; --line: #d5dbe1; --bad: #b3261e;
        --bar-0: #a4afba; --bar-1: #6ea6d8; --bar-2: #7dbf8e; --bar-3: #17447c; --bar-4: #1f6b3a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ee; --faint: #97a3af; --paper: #14191f; --line: #36404a;
        --bad: #ff8a80; --bar-0: #6d7883; --bar-1: #4c86bd; --bar-2: #4b9461; --bar-3: #a9d0f5; --bar-4: #a6e0b5; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1060px;
       margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; }
p { margin: .3rem 0; } .faint { color: var(--faint); }
svg { width: 100%; height: auto; margin: 1rem 0; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg .name { font-weight: 600; font-size: 13px; } svg .faint { fill: var(--faint); } svg .bad { fill: var(--bad); font-weight: 600; }
.bar-0 { fill: var(--bar-0); } .bar-1 { fill: var(--bar-1); } .bar-2 { fill: var(--bar-2); } .bar-3 { fill: var(--bar-3); }
.bar-4 { fill: var(--bar-4); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { padding: .25rem .55rem; font-size: 14px; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } .bad { color: var(--bad); font-weight: 600; }
)";

// In lines that fit left of the bars.
std::vector<std::string> break_title(const std::string& title) {
  std::vector<std::string> lines;
  for (std::size_t begin = title.find_first_not_of(' '); begin < title.size();) {
    std::size_t end = std::min(begin + title_letters, title.size());
    std::size_t const space = title.rfind(' ', end);
    if (end < title.size() && space != std::string::npos && space > begin) end = space;
    lines.push_back(title.substr(begin, end - begin));
    begin = title.find_first_not_of(' ', end);
  }
  return lines;
}

double height_of(const bar_group& group) {
  double const bars = static_cast<double>(group.bars.size()) * bar_step;
  double const text = bar_height + static_cast<double>(break_title(group.title).size()) * line_step;
  return std::max(bars, text) + group_gap;
}

std::string draw_bar(const bar& what, std::size_t place, double y, double longest) {
  double const length = longest > 0 ? std::max(1.0, what.seconds / longest * bars_width) : 0;
  double const text_y = y + bar_height - 3;
  if (what.seconds <= 0 || what.is_bad) {
    return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{:.1f}\">{}: {}</text>\n", what.is_bad ? "bad" : "faint", bars_left,
                       text_y, escape_markup(shorten(what.label, remark_letters / 2)),
                       escape_markup(shorten(what.remark, remark_letters / 2)));
  }
  return fmt::format(
      "<rect class=\"bar-{}\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>\n"
      "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
      std::min(place, last_colour), bars_left, y, length, bar_height, bars_left + length + 6, text_y, show_seconds(what.seconds));
}

std::string draw_title(const std::string& title, double y) {
  std::string text;
  for (const std::string& line : break_title(title)) {
    text += fmt::format("<text class=\"faint\" x=\"0\" y=\"{:.1f}\">{}</text>\n", y, escape_markup(line));
    y += line_step;
  }
  return text;
}

std::string draw_group(const bar_group& group, double y) {
  double longest = 0;
  for (const bar& each : group.bars) longest = std::max(longest, each.seconds);
  std::string text = fmt::format("<text class=\"name\" x=\"0\" y=\"{:.1f}\">{}</text>\n", y + bar_height - 3,
                                 escape_markup(shorten(group.name, group_letters)));
  text += draw_title(group.title, y + bar_height - 3 + line_step);
  for (std::size_t place = 0; place < group.bars.size(); ++place) {
    text += draw_bar(group.bars[place], place, y + static_cast<double>(place) * bar_step, longest);
  }
  return text;
}

// A coloured square and a word for each bar of a group, in as many lines as they need; *height
// grows by them.
std::string draw_legend(const std::vector<std::string>& words, double* height) {
  std::string text;
  double x = 0;
  for (std::size_t place = 0; place < words.size(); ++place) {
    double const wide = bar_height + 6 + static_cast<double>(words[place].size()) * letter_width;
    if (x > 0 && x + wide > width) {
      x = 0;
      *height += bar_step;
    }
    text += fmt::format(
        "<path class=\"bar-{}\" d=\"M{:.1f} {:.1f}h{}v{}h-{}z\"/>\n<text class=\"legend\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        std::min(place, last_colour), x, *height, bar_height, bar_height, bar_height, x + bar_height + 6,
        *height + bar_height - 3, escape_markup(words[place]));
    x += wide + legend_gap;
  }
  if (!words.empty()) *height += bar_step + group_gap;
  return text;
}

std::string draw_chart(const std::vector<bar_group>& groups, const std::vector<std::string>& legend) {
  double height = 0;
  std::string body = draw_legend(legend, &height);
  for (const bar_group& group : groups) {
    body += draw_group(group, height);
    height += height_of(group);
  }
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {:.0f}\" role=\"img\">\n{}</svg>\n", width,
                     std::max(height, 1.0), body);
}

std::string draw_row(const std::vector<std::string>& row, const char* element) {
  std::string text = "<tr>";
  for (const std::string& cell : row) text += fmt::format("<{0}>{1}</{0}>", element, escape_markup(cell));
  return text + "</tr>\n";
}

std::string draw_table(const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<div class=\"scroll\"><table>\n";
  for (const std::vector<std::string>& row : rows) text += draw_row(row, &row == &rows.front() ? "th" : "td");
  return text + "</table></div>\n";
}

}  // namespace

std::string draw(const picture& what) {
  std::string notes;
  for (const std::string& note : what.notes) notes += fmt::format("<p class=\"faint\">{}</p>\n", escape_markup(note));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n<title>{0}</title>\n<style>{1}</style>\n</head>\n"
      "<body>\n<h1>{0}</h1>\n<p class=\"faint\">{2}</p>\n<p>Time of each program, median of the repetitions. "
      "Shorter is faster; every program has its own scale.</p>\n{3}{4}{5}</body>\n</html>\n",
      escape_markup(what.heading), style, escape_markup(what.facts), draw_chart(what.groups, what.legend), draw_table(what.rows),
      notes);
}

}  // namespace cli
