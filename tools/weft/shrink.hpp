// Fewer choices that still make a program fail: delta debugging (Zeller and Hildebrandt, IEEE
// Transactions on Software Engineering 28, 2002, doi:10.1109/32.988498) on the lines of a recorded
// schedule. Knows nothing of programs: fails(lines) says whether they do.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cli {

// A choice that was not the usual one: the line that a record has of it, and the head of the run
// (runtime of a process) that it is in.
struct recorded_choice {
  std::string run;
  std::string line;
};
using schedule_lines = std::vector<recorded_choice>;

// What was really chosen in a run that was given those choices and failed; nothing when it did not
// fail.
using schedule_trial = std::function<std::optional<schedule_lines>(const schedule_lines&)>;

// Pre: `failing` fails. The result does, too; without any one of its lines it does not, unless
// may_go_on() has become false before.
schedule_lines shrink(schedule_lines failing, const schedule_trial& fails, const std::function<bool()>& may_go_on);

}  // namespace cli
