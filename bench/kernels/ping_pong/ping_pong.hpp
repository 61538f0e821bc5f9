// Threads that wait for each other, again and again.
//   mutex-handover       two threads a worker and one mutex. Its holder yields once, so that others come and have to wait for it; one
//                        that has let go of it yields once, so that one of them gets it, whether or not the mutex is fair. The metric
//                        handovers_ratio says in how many of the locks it was another one's before. The answer is a plain counter
//                        under the mutex
//   condition-ping-pong  pairs of threads, as many as there are workers; a pair shares a mutex and has a condition for each of the two,
//                        and passes the turn. The answer is how often the turns went to and fro
//   channel-ping-pong    such pairs with a channel for each direction, which has a place for one number. The answer is what became of
//                        the numbers, to which everybody adds 1
// Where the two of a pair run is the runtime's business. units: locks; changes of the turn;
// messages. With more workers the same number is divided among more pairs.
#pragma once

#include "harness/kernel.hpp"

namespace bench::ping_pong {

extern const kernel mutex_handover;
extern const kernel condition;
extern const kernel channel;

}  // namespace bench::ping_pong
