// What a runtime with threads offers them: a class Threads with these members, which the runtime's
// file in runtimes/ lists once; the kernels whose threads wait for each other are written over it
// (kernels/<kernel>/children.hpp), as are all others (harness/children.hpp).
//
//   thread      start(part) or start_record(record), and join() before it is destroyed; the part lives until then
//   gate        an event: wait() and, once, open()
//   yield()     lets other threads run
//   mutex       lock() and unlock(), as std::mutex
//   condition   wait(std::unique_lock<mutex>&) and notify_one(), as std::condition_variable; where there is one
//   channel     of numbers, with a place for one: send(number), receive(); the runtime's own, or a bounded_channel
//   neighbours  where there is a yield to a named thread: two threads that one worker runs, see has_yield_to
#pragma once

#include <cstddef>

namespace bench {

// start(worker, first record, second record), join(), and, called by either thread, yield_to(0 for
// the first, 1 for the second).
template <class Threads>
concept has_yield_to = requires(typename Threads::neighbours two, std::size_t which) {
  two.yield_to(which);
  two.join();
};

template <class Threads>
concept has_condition = requires { typename Threads::condition; };

}  // namespace bench
