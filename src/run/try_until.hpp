// A wait by attempts, of a caller that cannot block and so holds its worker up: attempts with rests
// between, and now and then a look for deadlocks, since the worker never sleeps meanwhile.
#pragma once

namespace weft::sched {

// Returns once attempt(argument) has returned true. what: for reports.
void try_until(bool (*attempt)(void* argument), void* argument, const char* what);

}  // namespace weft::sched
