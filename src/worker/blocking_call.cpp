#include "worker/blocking_call.hpp"

namespace weft::sched {

namespace {
constinit thread_local blocking_call this_call;
}

// Asked anew after each switch: the address must not be kept.
[[gnu::noinline]] blocking_call* this_blocking_call() { return &this_call; }

}  // namespace weft::sched
