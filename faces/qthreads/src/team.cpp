#include "team.hpp"

#include <cstdlib>
#include <new>

#include "task.hpp"

namespace weft::qthreads {

namespace {

constexpr std::uint64_t the_leader_alone = 1;

void add_member(team* one) { one->members.fetch_add(1, base::relaxed); }

// The memory of the team is the leader's until it finds itself alone, so the wake-up needs the
// address alone.
void remove_member(team* one) {
  // [Q3] release: what the member did; pairs with [Q4]
  if (one->members.fetch_sub(1, base::release) == the_leader_alone + 1) weft_word_wake(&one->members, 1);
}

void wait_until_alone(team* one) {
  for (;;) {
    // [Q4] acquire: sees what the members did; pairs with [Q3]
    const std::uint64_t count = one->members.load(base::acquire);
    if (count == the_leader_alone) return;
    static_cast<void>(weft_word_wait(&one->members, sizeof count, count, WEFT_FOREVER));
  }
}

team* make_team(runtime* all, team* parent, std::uint32_t parent_id) {
  void* const memory = std::malloc(sizeof(team));
  if (memory == nullptr) return nullptr;
  const std::uint32_t id = all->last_team_id.fetch_add(1, base::relaxed) + 1;
  if (parent != nullptr) add_member(parent);
  return new (memory) team{parent, id, parent_id, {the_leader_alone}};
}

}  // namespace

bool join_team(runtime* all, const task* maker, task* one, unsigned features) {
  team* const current = maker != nullptr ? maker->in : nullptr;
  if ((features & (QTHREAD_SPAWN_NEW_TEAM | QTHREAD_SPAWN_NEW_SUBTEAM)) == 0) {
    if (current != nullptr) add_member(current);
    one->in = current;
    return true;
  }
  if ((features & QTHREAD_SPAWN_NEW_SUBTEAM) != 0) {
    one->in = make_team(all, current, current != nullptr ? current->id : QTHREAD_DEFAULT_TEAM_ID);
  } else {
    one->in = make_team(all, nullptr, QTHREAD_NON_TEAM_ID);
  }
  one->flags |= leads_team;
  return one->in != nullptr;
}

void leave_team(task* one) {
  team* const mine = one->in;
  if (mine == nullptr) return;
  if ((one->flags & leads_team) == 0) {
    one->in = nullptr;
    return remove_member(mine);
  }
  wait_until_alone(mine);
  if (mine->parent != nullptr) remove_member(mine->parent);
  one->in = nullptr;
  std::free(mine);
}

}  // namespace weft::qthreads

extern "C" {

unsigned int qt_team_id(void) {
  using namespace weft::qthreads;
  const task* const mine = self();
  return mine != nullptr && mine->in != nullptr ? mine->in->id : QTHREAD_DEFAULT_TEAM_ID;
}

unsigned int qt_team_parent_id(void) {
  using namespace weft::qthreads;
  const task* const mine = self();
  return mine != nullptr && mine->in != nullptr ? mine->in->parent_id : QTHREAD_NON_TEAM_ID;
}
}
