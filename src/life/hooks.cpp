// The table of hooks (hooks.hpp): the one place that knows both the run loop and what watches it.
#include "worker/hooks.hpp"
#include "see/blame.hpp"
#include "see/deadlock.hpp"
#include "see/dump_signal.hpp"
#include "see/leaving.hpp"
#include "see/lookout.hpp"
#include "see/observers.hpp"
#include "see/outlived.hpp"
#include "see/report.hpp"
#include "see/running_frames.hpp"
#include "see/tracing.hpp"
#include "see/watchdog.hpp"
#include "see/watermark.hpp"
#include "seeded/turns.hpp"
#include "worker/clock.hpp"

namespace weft::sched {

namespace {

void abandon_all() {
  abandon_dump_signal();
  abandon_question();
}

}  // namespace

constinit const hooks the_hooks = {
    .event = tell_observers,
    .prepare_stack = prepare_stack,
    .inspect_stack = inspect_stack,
    .blame_errors = blame_errors,
    .name_in_race_reports = name_in_race_reports,
    .trace_fork = trace_fork,
    .trace_fork_as_unit = trace_fork_as_unit,
    .run_traced = run_traced,
    .trace_resumed = trace_resumed,
    .all_workers_idle = all_workers_idle,
    .turns_stand_still = look_at_still_turns,
    .sleep_and_look = sleep_and_look,
    .look_between_attempts = look_between_attempts,
    .resume_lookout = resume_lookout,
    .end_doze = end_doze,
    .abandon = abandon_all,
    .panic_about = panic_about,
    .tell_leaving = tell_leaving,
    .tell_outlived = tell_outlived,
    .pass_point = pass_point,
    .pass_yield_point = pass_yield_point,
    .pass_point_between = pass_point_between,
    .pass_turn = pass_turn,
    .sleep_in_turn = sleep_in_turn,
    .ring_bell = ring_bell,
    .choose_unit = choose_unit,
    .choose_victim = choose_victim,
    .now_ns = turns_now_ns,
    .awaits_turn = awaits_turn,
};

}  // namespace weft::sched
