// See whereabouts.hpp. From any OS thread; read without order.
#pragma once

#include "worker/whereabouts.hpp"

namespace weft::sched {

struct worker;

whereabouts find_whereabouts(const worker* w);

}  // namespace weft::sched
