// The Chapel set, and the review of lightweight threads, over the generic threads interface
// (faces/threads): one text, on whichever implementation was started. A `cobegin`, and a loop with a
// part a worker, is a list of tasks, all of which are children, for which the parent waits.
//
// threads.cpp calls through the interface's table and starts any implementation;
// threads_inlined.cpp is compiled for one.
#pragma once

#include <weft_threads/threads.h>

#include <cstddef>
#include <string>

#include "harness/children.hpp"
#include "harness/runtimes.hpp"
#include "kernels/cells.hpp"
#include "kernels/chapel.hpp"
#include "kernels/lwt.hpp"

namespace bench::threads {

void must(threads_status status, const char* call);

// Whether tasks may be something cheaper than threads with identities of their own.
enum class identity { own, any };

template <identity Identity>
class list {
 public:
  list() { threads_list_init(&tasks_, Identity == identity::any); }
  ~list() { threads_list_destroy(&tasks_); }
  list(const list&) = delete;
  list& operator=(const list&) = delete;

  template <class Part>
  void add(const Part& part) {
    must(threads_list_add(&tasks_, call_part<Part>, const_cast<Part*>(&part)), "threads_list_add");
  }
  template <class Record>
  void add_records(Record* first, std::size_t count) {
    must(threads_list_add_many(&tasks_, run_record<Record>, first, sizeof(Record), count), "threads_list_add_many");
  }
  void wait() { must(threads_list_wait(&tasks_), "threads_list_wait"); }

 private:
  template <class Part>
  static void call_part(void* part) {
    (*static_cast<const Part*>(part))();
  }
  template <class Record>
  static void run_record(void* record) {
    static_cast<Record*>(record)->run();
  }

  threads_list tasks_;
};

template <identity Identity>
struct as_listed_tasks {
  template <class... Parts>
  static void run(const Parts&... parts) {
    list<Identity> children;
    (children.add(parts), ...);
    children.wait();
  }
  template <class Record>
  static void run_all(Record* first, std::size_t count) {
    list<Identity> children;
    children.add_records(first, count);
    children.wait();
  }
};

// A thread that is joined by itself.
class joined_unit {
 public:
  void create(threads_function function, void* argument) { must(threads_create(function, argument, &thread_), "threads_create"); }
  void join() { must(threads_join(thread_), "threads_join"); }

 private:
  threads_thread* thread_;
};

template <identity Identity>
constexpr auto unit_cells() {
  if constexpr (Identity == identity::own)
    return lwt_unit_cells<lwt::thread_units<thread_of<void, joined_unit>>>;
  else
    return lwt_cells_without_units("an anonymous task is joined with its list, not by itself");
}

template <identity Identity>
inline constexpr auto cells =
    join_cells(chapel_cells<as_listed_tasks<Identity>>, lwt_cells<as_listed_tasks<Identity>>, unit_cells<Identity>());

// How a runtime starts the interface. Chapel's FIFO layer makes OS threads without a limit; it gets
// as many as the system can bear.
struct recipe {
  const char* implementation;
  bool is_caller_outside = false;
  bool has_all_os_threads = false;
  std::size_t stack_bytes = 0;  // 0: the implementation's own
};

unsigned start(const recipe& of, unsigned workers);
void stop();
std::string version();
std::string describe(const recipe& of);

template <const recipe& Of, identity Identity = identity::own>
constexpr runtime runtime_for(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .children = child_kind::thread,
          .start = [](unsigned workers) { return start(Of, workers); },
          .stop = stop,
          .cells = cells<Identity>,
          .version = version,
          .settings = [](unsigned) { return describe(Of); }};
}

}  // namespace bench::threads
