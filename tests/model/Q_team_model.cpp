// Teams of the Qthreads face over team.cpp: a leader goes on after all members of its team, and
// leaders of subteams, have ended, sees what they did, and frees the team when no task uses it.
// Built with faces/qthreads/src/team.cpp
#include "qthread_world.hpp"
#include "team.hpp"

namespace {

using namespace qthread_world::words;

struct teams {
  runtime all{};
  unit leader, first, second, member_of_second;
  int done[3] = {};  // by first, second, member_of_second

  teams() { qthread_world::begin(); }
  void join(const unit* maker, unit& one, unsigned features) {
    check(join_team(&all, maker != nullptr ? &maker->fields : nullptr, &one.fields, features), "there is memory");
  }
  void work(unit& one, int number) {
    qthread_world::run_as(one);
    done[number] = 1;
    leave_team(&one.fields);
  }
  void lead() {
    qthread_world::run_as(leader);
    leave_team(&leader.fields);
  }
};

void two_members() {
  teams shared;
  shared.join(nullptr, shared.leader, QTHREAD_SPAWN_NEW_TEAM);
  shared.join(&shared.leader, shared.first, 0);
  shared.join(&shared.leader, shared.second, 0);
  threads(thread{"leader",
                 [&] {
                   shared.lead();
                   check(shared.done[0] == 1 && shared.done[1] == 1, "what the members did");
                 }},
          thread{"first", [&] { shared.work(shared.first, 0); }}, thread{"second", [&] { shared.work(shared.second, 1); }});
}

// A member makes another one as its last act.
void a_member_of_a_member() {
  teams shared;
  shared.join(nullptr, shared.leader, QTHREAD_SPAWN_NEW_TEAM);
  shared.join(&shared.leader, shared.first, 0);
  flag is_made;
  threads(thread{"leader",
                 [&] {
                   shared.lead();
                   check(shared.done[0] == 1 && shared.done[1] == 1, "what the members did");
                 }},
          thread{"first",
                 [&] {
                   shared.join(&shared.first, shared.second, 0);
                   is_made.raise();
                   shared.work(shared.first, 0);
                 }},
          thread{"second", [&] {
                   is_made.await();
                   shared.work(shared.second, 1);
                 }});
}

// What a member of a subteam did is seen by the leader of the team above.
void a_subteam() {
  teams shared;
  shared.join(nullptr, shared.leader, QTHREAD_SPAWN_NEW_TEAM);
  shared.join(&shared.leader, shared.second, QTHREAD_SPAWN_NEW_SUBTEAM);
  shared.join(&shared.second, shared.member_of_second, 0);
  threads(thread{"leader",
                 [&] {
                   shared.lead();
                   check(shared.done[1] == 1 && shared.done[2] == 1, "what the subteam did");
                 }},
          thread{"leader of the subteam", [&] { shared.work(shared.second, 1); }},
          thread{"member", [&] { shared.work(shared.member_of_second, 2); }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .spurious = 1, .executions = 300'000};

const model m1{"Q team of two members", {.at_least = 50, .quick = quick, .deep = deep}, two_members};
const model m2{"Q team: a member of a member", {.at_least = 50, .quick = quick, .deep = deep}, a_member_of_a_member};
const model m3{"Q team with a subteam", {.at_least = 50, .quick = quick, .deep = deep}, a_subteam};

}  // namespace
