#include "profile_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/text.hpp"

namespace cli {

namespace {

constexpr double width = 960;
constexpr double left = 90;
constexpr double plot_width = width - left - 10;
constexpr double row_height = 26;
constexpr double chart_height = 220;
constexpr double bar_height = 15;
constexpr double bar_step = 21;
constexpr std::size_t most_names = 12;
constexpr std::size_t most_rows = 64;

constexpr const char* style = R"(<style>
.paper { fill: #ffffff; } text { font: 12px system-ui, sans-serif; fill: #1d2733; } .head { font-weight: 600; font-size: 14px; }
.faint { fill: #66727f; } .busy { fill: #17447c; } .idle { fill: #eef1f4; } .claim { fill: #b3401f; } .copy { fill: #e08214; } .take-up { fill: #f6c667; } .cost { fill: #7dbf8e; } .grid { stroke: #d5dbe1; }
.most { stroke: #17447c; } .sure { stroke: #1f6b3a; stroke-dasharray: 5 4; } .most, .sure { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) { .paper { fill: #14191f; } text { fill: #e3e8ee; } .faint { fill: #97a3af; } .busy { fill: #6ea6d8; }
.idle { fill: #232b34; } .claim { fill: #d9643f; } .copy { fill: #e89b45; } .take-up { fill: #f3cf86; } .cost { fill: #4b9461; } .grid { stroke: #36404a; } .most { stroke: #6ea6d8; } .sure { stroke: #7dbf8e; } }
</style>
)";

std::string text_at(double x, double y, const std::string& words, const char* how = "", const char* anchor = "start") {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", how, x, y, anchor,
                     escape_markup(words));
}

// ---- how busy each worker was ----

constexpr const char* classes_of_phases[steal_phases] = {"claim", "copy", "take-up"};

// How much of each part of the time, one kind above the other.
std::string draw_parts(const std::vector<double>& parts, std::vector<double>& below, double y, const char* how) {
  double const width_of_part = plot_width / static_cast<double>(parts.size());
  std::string path;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    double const height = (row_height - 4) * std::min(parts[index], 1.0 - below[index]);
    if (height < 0.1) continue;
    path += fmt::format("M{:.1f} {:.1f}h{:.2f}v{:.1f}h-{:.2f}z", left + width_of_part * static_cast<double>(index),
                        y + (row_height - 4) * (1 - below[index]), width_of_part, -height, width_of_part);
    below[index] += parts[index];
  }
  return fmt::format("<path class=\"{}\" d=\"{}\"/>\n", how, path);
}

std::string draw_worker(const worker_use& use, double y, std::int64_t wall) {
  double const share = wall > 0 ? 100 * static_cast<double>(use.busy) / static_cast<double>(wall) : 0;
  std::string drawn = text_at(left - 8, y + row_height - 9, fmt::format("{}: {:.0f} %", use.worker, share), "", "end");
  drawn +=
      fmt::format("<rect class=\"idle\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left, y, plot_width, row_height - 4);
  std::vector<double> below(use.busy_parts.size());
  drawn += draw_parts(use.busy_parts, below, y, "busy");
  for (std::size_t phase = 0; phase < steal_phases; ++phase) {
    if (!use.stealing_parts[phase].empty()) drawn += draw_parts(use.stealing_parts[phase], below, y, classes_of_phases[phase]);
  }
  return drawn;
}

// What the colours of ranks are.
std::string draw_key(double y) {
  constexpr double step = 110;
  const std::pair<const char*, std::string> entries[] = {{"busy", "works"},
                                                         {classes_of_phases[0], "steals: claim"},
                                                         {classes_of_phases[1], "steals: copy"},
                                                         {classes_of_phases[2], "steals: take up"},
                                                         {"idle", "idle"}};
  std::string drawn;
  double x = left;
  for (const auto& [how, words] : entries) {
    drawn += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\"/>\n", how, x, y - 10);
    drawn += text_at(x + 17, y, words, "faint");
    x += step;
  }
  return drawn;
}

std::string draw_workers(const analysis& of, double& y) {
  std::string drawn = text_at(
      0, y, of.has_steals() ? "Ranks: when they worked, stole, and were idle" : "Workers, and how busy they were over time",
      "head");
  if (of.has_steals()) {
    y += 20;
    drawn += draw_key(y);
  }
  y += 10;
  std::size_t const rows = std::min(of.workers.size(), most_rows);
  for (std::size_t index = 0; index < rows; ++index, y += row_height) drawn += draw_worker(of.workers[index], y, of.wall);
  drawn += text_at(left, y + 12, "0", "faint") +
           text_at(width - 10, y + 12, show_seconds(static_cast<double>(of.wall) * 1e-9), "faint", "end");
  if (rows < of.workers.size())
    drawn += text_at(left + 60, y + 12, fmt::format("and {} more", of.workers.size() - rows), "faint");
  y += 48;
  return drawn;
}

// ---- what more workers could give ----

double most_workers_shown(const analysis& of) {
  double const wanted = std::max({4.0, 2 * static_cast<double>(of.workers.size()), 1.5 * of.parallelism()});
  return std::min(1024.0, std::exp2(std::ceil(std::log2(wanted))));
}

template <class Speedup>
std::string draw_line(const char* kind, double most, double highest, double bottom, Speedup speedup) {
  std::string points;
  for (int index = 0; index <= 100; ++index) {
    double const workers = std::exp2(std::log2(most) * index / 100);
    points += fmt::format("{:.1f},{:.1f} ", left + plot_width * index / 100, bottom - chart_height * speedup(workers) / highest);
  }
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", kind, points);
}

std::string draw_speedup(const analysis& of, double& y) {
  double const most = most_workers_shown(of), parallelism = of.parallelism();
  double const highest = std::min(most, parallelism) * 1.1 + 0.1;
  double const bottom = y + 14 + chart_height;
  std::string drawn = text_at(0, y, "What more workers could give: speed against one worker", "head");
  for (double workers = 1; workers <= most; workers *= 2) {
    double const x = left + plot_width * (most > 1 ? std::log2(workers) / std::log2(most) : 0);
    drawn += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n", x,
                         bottom - chart_height, bottom);
    drawn += text_at(x, bottom + 14, fmt::format("{:.0f}", workers), "faint", "middle");
  }
  for (double mark : {1.0, highest / 2, highest}) {
    drawn += text_at(left - 8, bottom - chart_height * mark / highest + 4, fmt::format("{:.1f}", mark), "faint", "end");
  }
  drawn += draw_line("most", most, highest, bottom, [&](double workers) { return std::min(workers, parallelism); });
  drawn += draw_line("sure", most, highest, bottom,
                     [&](double workers) { return 1 / ((1 - 1 / parallelism) / workers + 1 / parallelism); });
  drawn += text_at(left, bottom + 32,
                   "Workers. Line: no more than this is possible (work and span laws). Dashes: at least this, if no worker idles "
                   "while there is "
                   "work (Brent).",
                   "faint");
  y = bottom + 66;
  return drawn;
}

// ---- what it was spent on ----

std::string draw_names(const analysis& of, double& y) {
  std::string drawn = text_at(0, y, "Where the work went: own time of threads and forks, by name", "head");
  y += 10;
  double const longest = of.names.empty() ? 1 : std::max(1.0, static_cast<double>(of.names[0].own));
  for (std::size_t index = 0; index < std::min(of.names.size(), most_names); ++index, y += bar_step) {
    const name_cost& cost = of.names[index];
    double const length = std::max(1.0, 420 * static_cast<double>(cost.own) / longest);
    std::string const name = shorten(cost.name, 42);
    drawn += text_at(300 - 8, y + bar_height - 3, name, "", "end");
    drawn += fmt::format("<rect class=\"cost\" x=\"300\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>\n", y, length,
                         bar_height);
    drawn += text_at(306 + length, y + bar_height - 3,
                     fmt::format("{}, {} of them", show_seconds(static_cast<double>(cost.own) * 1e-9), show_count(cost.count)),
                     "faint");
  }
  y += 10;
  return drawn;
}

}  // namespace

std::string draw_profile_svg(const analysis& of, const std::string& title) {
  double y = 20;
  std::string body = text_at(0, y, title, "head");
  y += 18;
  body += text_at(
      0, y,
      fmt::format("work {}, span {}, parallelism {:.2f}; {} on {} worker{}", show_seconds(static_cast<double>(of.work) * 1e-9),
                  show_seconds(static_cast<double>(of.span) * 1e-9), of.parallelism(),
                  show_seconds(static_cast<double>(of.wall) * 1e-9), of.workers.size(), of.workers.size() == 1 ? "" : "s"));
  y += 34;
  body += draw_workers(of, y);
  body += draw_speedup(of, y);
  body += draw_names(of, y);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-10 0 {0} {1:.0f}\" width=\"{0}\" height=\"{1:.0f}\" "
      "role=\"img\">\n{2}"
      "<rect class=\"paper\" x=\"-10\" y=\"0\" width=\"{0}\" height=\"{1:.0f}\"/>\n{3}</svg>\n",
      width + 20, y + 10, style, body);
}

std::string draw_profile_page(const analysis& of, const std::string& title, const std::string& text) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
      "content=\"width=device-width, "
      "initial-scale=1\"/>\n<title>{0}</title>\n<style>:root {{ color-scheme: light dark; }} body {{ max-width: 1020px; margin: "
      "1rem auto; "
      "padding: 0 1rem; }} svg {{ width: 100%; height: auto; }} pre {{ overflow-x: auto; "
      "}}</style>\n</head>\n<body>\n{1}<pre>{2}</pre>\n"
      "</body>\n</html>\n",
      escape_markup(title), draw_profile_svg(of, title), escape_markup(text));
}

}  // namespace cli
