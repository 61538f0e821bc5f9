// What the predefined schedulers do, each in the ULT that runs it.
#pragma once

#include <abt.h>

#include "scheduler.hpp"

namespace weft::abt {

// Null: there is no such one.
const ABT_sched_def* predefined(ABT_sched_predef which);
scheduler_kind kind_of(ABT_sched_predef which);

}  // namespace weft::abt
