#include "shrink.hpp"

#include <algorithm>
#include <utility>

namespace cli {

namespace {

// All but the part'th of `parts` parts.
schedule_lines without_part(const schedule_lines& lines, std::size_t part, std::size_t parts) {
  auto const at = [&](std::size_t index) { return static_cast<std::ptrdiff_t>(lines.size() * index / parts); };
  schedule_lines rest(lines.begin(), lines.begin() + at(part));
  rest.insert(rest.end(), lines.begin() + at(part + 1), lines.end());
  return rest;
}

// False: nothing can be left out in parts of that size.
bool leave_out_one(schedule_lines& failing, std::size_t parts, const schedule_trial& fails,
                   const std::function<bool()>& may_go_on) {
  for (std::size_t part = 0; part < parts && may_go_on(); ++part) {
    schedule_lines const rest = without_part(failing, part, parts);
    std::optional<schedule_lines> chosen = fails(rest);
    if (!chosen.has_value() || chosen->size() >= failing.size()) continue;
    failing = *std::move(chosen);
    return true;
  }
  return false;
}

}  // namespace

schedule_lines shrink(schedule_lines failing, const schedule_trial& fails, const std::function<bool()>& may_go_on) {
  std::size_t parts = 1;
  while (!failing.empty() && may_go_on()) {
    parts = std::min(parts, failing.size());
    if (leave_out_one(failing, parts, fails, may_go_on)) {
      parts = std::max<std::size_t>(parts - 1, 1);
    } else if (parts == failing.size()) {
      break;
    } else {
      parts *= 2;
    }
  }
  return failing;
}

}  // namespace cli
