// See mpi.hpp: what happens, and how a group waits for it.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "net/frames/mpi.hpp"

namespace weft::net {
namespace {

constexpr std::uint64_t first_sleep_ns = 8000;
constexpr unsigned looks_at_once = 8, sleeps_a_doubling = 3, doublings = 30;

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

void tell(mpi_group* group, const incoming& what) {
  auto* const made = static_cast<arrival*>(calloc(1, sizeof(arrival)));
  if (made == nullptr) {
    fprintf(stderr, "weft: fatal: transport %s: no memory\n", group->by->name);
    abort();
  }
  made->what = what;
  const group_guard held(group);
  group->arrivals.push_back(made);
  pthread_cond_signal(&group->changed);
}

bool take_arrival(mpi_group* group, incoming* out) {
  arrival* first = nullptr;
  {
    const group_guard held(group);
    first = group->arrivals.pop_front();
    if (first == nullptr) return false;
  }
  *out = first->what;
  free(first);
  return true;
}

void end_group(mpi_group* group, const char* what, int code) {
  {
    const group_guard held(group);
    if (group->is_over) return;
    group->is_over = true;
    char text[256] = "";
    if (code != 0) group->module->error_text(code, text, sizeof text);
    snprintf(group->why, sizeof group->why, "node %u of %d over %s: %s%s%s", group->self, group->ranks, group->by->name, what,
             code != 0 ? " failed: " : "", text);
  }
  incoming ended;
  ended.what = happening::ended;
  ended.why = group->why;
  tell(group, ended);
}

bool check_call(mpi_group* group, const char* what, int code, unsigned calls) {
  add_count(&group->counts.calls, calls);
  if (code == 0) return true;
  end_group(group, what, code);
  return false;
}

namespace {

timespec time_of(std::uint64_t ns) {
  timespec at{};
  at.tv_sec = static_cast<time_t>(ns / 1000000000u);
  at.tv_nsec = static_cast<long>(ns % 1000000000u);
  return at;
}

// After a look that found nothing: how long until the next; 0: at once. A yield to a thread that
// computes can take all of its time slice, which is milliseconds, and a sleep ends when it is over:
// so short sleeps come before long ones, and only an endless look yields.
std::uint64_t next_pause(mpi_group* group) {
  const bool is_polling = group->idle_sleep_ns <= shortest_sleep_ns;
  if (group->has_even_sleeps && !is_polling) return group->idle_sleep_ns;
  const unsigned looks = group->idle_looks;
  if (looks < looks_at_once + doublings * sleeps_a_doubling) ++group->idle_looks;
  if (looks < looks_at_once) return 0;
  if (is_polling) {
    sched_yield();
    return 0;
  }
  const std::uint64_t pause = first_sleep_ns << ((looks - looks_at_once) / sleeps_a_doubling);
  return pause < group->idle_sleep_ns ? pause : group->idle_sleep_ns;
}

}  // namespace

namespace {

// Linux lets a sleep last 50 microseconds longer than was asked for, unless the thread says less.
// The authors' loops have sleeps as they are.
void let_sleeps_end_on_time(const mpi_group* group) {
  constexpr unsigned long late_ns = 1000;
  static thread_local bool is_said = false;
  if (is_said || group->has_even_sleeps) return;
  is_said = true;
  prctl(PR_SET_TIMERSLACK, late_ns, 0, 0, 0);
}

}  // namespace

bool is_over(mpi_group* group) {
  const group_guard held(group);
  return group->is_over;
}

bool may_close(mpi_group* group) {
  const group_guard held(group);
  return group->is_over || (group->left == group->ranks - 1 && group->backlog == 0);
}

bool wait_for_arrival(mpi_group* group, incoming* out, std::uint64_t deadline_ns) {
  const timespec until = time_of(deadline_ns);
  {
    const group_guard held(group);
    int code = 0;
    while (group->arrivals.is_empty() && !group->is_woken && code != ETIMEDOUT) {
      code = deadline_ns == UINT64_MAX ? pthread_cond_wait(&group->changed, &group->lock)
                                       : pthread_cond_timedwait(&group->changed, &group->lock, &until);
    }
    group->is_woken = false;
  }
  return take_arrival(group, out);
}

void sleep_before_look(mpi_group* group) {
  let_sleeps_end_on_time(group);
  const std::uint64_t pause = next_pause(group);
  if (pause == 0) return;
  const timespec time = time_of(pause);
  nanosleep(&time, nullptr);
}

bool wait_and_look(mpi_group* group, incoming* out, std::uint64_t deadline_ns, bool (*look)(frame_group*, incoming*)) {
  let_sleeps_end_on_time(group);
  for (;;) {
    if (look(group, out)) {
      group->idle_looks = 0;
      return true;
    }
    const std::uint64_t pause = next_pause(group), now = now_ns();
    const bool is_late = now >= deadline_ns;
    const timespec until = time_of(deadline_ns - now < pause ? deadline_ns : now + pause);
    const group_guard held(group);
    if (pause != 0 && !is_late && !group->is_woken && group->arrivals.is_empty())
      pthread_cond_timedwait(&group->changed, &group->lock, &until);
    if (!group->is_woken && !is_late) continue;
    if (group->is_woken) group->idle_looks = 0;
    group->is_woken = false;
    return false;
  }
}

void look_until_closed(mpi_group* group, bool (*look)(frame_group*, incoming*)) {
  while (!may_close(group)) {
    incoming late;
    if (look(group, &late)) {
      free(late.bytes);
      group->idle_looks = 0;
    } else {
      sleep_before_look(group);
    }
  }
}

void wake_mpi(frame_group* group) {
  auto* const of = static_cast<mpi_group*>(group);
  const group_guard held(of);
  of->is_woken = true;
  pthread_cond_signal(&of->changed);
}

std::uint64_t backlog_of_mpi(const frame_group* group) {
  auto* const of = const_cast<mpi_group*>(static_cast<const mpi_group*>(group));
  const group_guard held(of);
  return of->backlog;
}

}  // namespace weft::net
