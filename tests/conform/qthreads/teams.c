/* Teams: which tasks are in which, and when the word of a leader is filled. */
#include <qthread/qloop.h>

#include "tasks.h"

struct scene {
  aligned_t gate;
  atomic_int members;
  unsigned team;
  unsigned parent;
};

static aligned_t be_member(void *argument) {
  struct scene *mine = argument;
  CHECK(qt_team_id() == mine->team && qt_team_parent_id() == mine->parent);
  OK(qthread_readFF(NULL, &mine->gate));
  atomic_fetch_add(&mine->members, 1);
  return 0;
}

static aligned_t lead(void *argument) {
  struct scene *mine = argument;
  mine->team = qt_team_id();
  mine->parent = qt_team_parent_id();
  for (int i = 0; i < 3; ++i) OK(qthread_fork(be_member, mine, NULL));
  return 1;
}

static aligned_t lead_copy(void *argument) { return lead(*(struct scene **)argument); }

static void open_gate(struct scene *one) {
  CHECK(atomic_load(&one->members) == 0);
  OK(qthread_fill(&one->gate));
}

/* The leader returns before its members, which wait at the gate. */
static void a_leader_ends_last(int how) {
  struct scene one = {0, 0, 0, 0}, *pointer = &one;
  aligned_t end = 0;
  syncvar_t variable = SYNCVAR_STATIC_INITIALIZER;
  const bool has_word = how < 4;
  OK(qthread_empty(&one.gate));
  switch (how) {
    case 0: OK(qthread_fork_new_team(lead, &one, &end)); break;
    case 1: OK(qthread_fork_new_subteam(lead, &one, &end)); break;
    case 2: OK(qthread_fork_new_team_to(lead, &one, &end, 0)); break;
    case 3: OK(qthread_fork_copyargs_new_team(lead_copy, &pointer, sizeof pointer, &end)); break;
    case 4: OK(qthread_fork_syncvar_new_team(lead, &one, &variable)); break;
    default: OK(qthread_fork_syncvar_new_subteam(lead, &one, &variable)); break;
  }
  for (int i = 0; i < 50; ++i) qthread_yield();
  CHECK(has_word ? qthread_feb_status(&end) == 0 : qthread_syncvar_status(&variable) == 0);
  open_gate(&one);
  OK(has_word ? qthread_readFF(NULL, &end) : qthread_syncvar_readFF(NULL, &variable));
  CHECK(atomic_load(&one.members) == 3);
  CHECK(one.team != QTHREAD_DEFAULT_TEAM_ID && one.team != QTHREAD_NON_TEAM_ID);
  const bool is_subteam = how == 1 || how == 5;
  CHECK(one.parent == (is_subteam ? QTHREAD_DEFAULT_TEAM_ID : QTHREAD_NON_TEAM_ID));
}

static aligned_t lead_subteam(void *argument) {
  struct scene *mine = argument;
  const unsigned team = qt_team_id();
  CHECK(qt_team_parent_id() == mine->team && team != mine->team);
  CHECK(qthread_readstate(CURRENT_TEAM) == team && qthread_readstate(PARENT_TEAM) == mine->team);
  for (int i = 0; i < 20; ++i) qthread_yield();
  atomic_fetch_add(&mine->members, 1);
  return 0;
}

static aligned_t lead_with_subteams(void *argument) {
  struct scene *mine = argument;
  mine->team = qt_team_id();
  for (int i = 0; i < 2; ++i) OK(qthread_fork_new_subteam(lead_subteam, mine, NULL));
  return 0;
}

static void subteams_end_before_their_team(void) {
  struct scene one = {0, 0, 0, 0};
  aligned_t end = 0;
  OK(qthread_fork_new_team(lead_with_subteams, &one, &end));
  OK(qthread_readFF(NULL, &end));
  CHECK(atomic_load(&one.members) == 2);
}

/* The parts of a loop are of the team whose task runs it. */
static void look_at_team(size_t from, size_t to, void *wanted) { CHECK(from < to && qt_team_id() == *(const unsigned *)wanted); }
static aligned_t run_a_loop(void *unused) {
  (void)unused;
  unsigned mine = qt_team_id();
  CHECK(mine != QTHREAD_DEFAULT_TEAM_ID);
  qt_loop_balance(0, 100, look_at_team, &mine);
  qt_loop(0, 100, look_at_team, &mine);
  return 0;
}
static void loops_stay_in_their_team(void) {
  aligned_t end = 0;
  OK(qthread_fork_new_team(run_a_loop, NULL, &end));
  OK(qthread_readFF(NULL, &end));
}

int main(void) {
  OK(qthread_initialize());
  CHECK(qt_team_id() == QTHREAD_DEFAULT_TEAM_ID && qt_team_parent_id() == QTHREAD_NON_TEAM_ID);
  for (int how = 0; how < 6; ++how) a_leader_ends_last(how);
  for (int round = 0; round < 20; ++round) subteams_end_before_their_team();
  loops_stay_in_their_team();
  qthread_finalize();
  return 0;
}
