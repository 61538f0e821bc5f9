// What a runtime with threads offers them: a class Threads with these members, which the runtime's file in runtimes/ lists once; the
// kernels whose threads wait for each other are written over it (kernels/<kernel>/children.hpp), as are all others (harness/children.hpp).
//
//   thread     start(part) or start_record(record), and join() before it is destroyed; the part lives until then
//   gate       an event: wait() and, once, open()
//   yield()    lets other threads run
