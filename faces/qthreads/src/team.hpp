// Teams: a leader and the tasks that it and they make. A leader's return word is filled when all of
// them, and the leaders of subteams, have ended.
#pragma once

#include <cstdint>

#include "runtime.hpp"

namespace weft::qthreads {

struct task;

struct team {
  team* parent;  // of a subteam of another than the default team
  std::uint32_t id;
  std::uint32_t parent_id;
  atomic<std::uint64_t> members;  // the leader, its team's tasks, and leaders of its subteams
};

// Of a new task: it belongs to its maker's team, or leads a new one. False: no memory.
bool join_team(runtime* all, const task* maker, task* one, unsigned features);
// Of a task that has ended, and of one that was not made after all. A leader waits for its team.
void leave_team(task* one);

}  // namespace weft::qthreads
