// How rivals run the children of a parent. A kernel's text over these
// (kernels/<kernel>/children.hpp) serves all runtimes whose children are C++ callables; everything
// is inlined, so that what is compiled is what each rival's own manual would write there. Runtimes
// with another form of children (Lace's macros, coroutines, other languages) have texts of their
// own.
//
//   run(parts...)          the parts are children, but tasks call the first part plainly, as programs do; threads make all of them, as
//                          Weft's threads do in these kernels
//   run_beside(one, other) the first is a plain call, the second a child, for threads, too
//   spawn_all(parts...)    all of them are children, for tasks, too
//   run_all(first, count)  the same as run for an array of records with a run() each
//
// Which of them are leaves, leaf_when(...) says of parts (harness/together.hpp), is_leaf() of
// records, where a runtime asks (as_tasklets_of).
//
// A single worker runs parts in their order: tasks and threads are made last first, the newest is
// taken first.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <tuple>

namespace bench {

// Records of children, up to Inline of them in the parent's frame.
template <typename Record, std::size_t Inline>
class records {
 public:
  explicit records(std::size_t count) {
    if (count <= Inline) return;
    heap_ = std::make_unique<Record[]>(count);
    first_ = heap_.get();
  }
  records(const records&) = delete;
  records& operator=(const records&) = delete;

  Record& operator[](std::size_t index) { return first_[index]; }
  Record* first() { return first_; }

 private:
  std::array<Record, Inline> inline_;  // not cleared: a parent fills what it needs
  Record* first_ = inline_.data();
  std::unique_ptr<Record[]> heap_;
};

// Group: one parent's tasks. spawn(part), spawn_record(record): they live until wait() has
// returned.
template <class Group>
struct as_tasks_of {
  template <class First, class... Others>
  static void run(const First& first, const Others&... others) {
    if constexpr (sizeof...(Others) == 0) {
      first();
    } else {
      Group group;
      spawn_last_first<sizeof...(Others)>(group, std::tie(others...));
      first();
      group.wait();
    }
  }

  template <class Called, class Child>
  static void run_beside(const Called& called, const Child& child) {
    run(called, child);
  }

  template <class... Parts>
  static void spawn_all(const Parts&... parts) {
    Group group;
    spawn_last_first<sizeof...(Parts)>(group, std::tie(parts...));
    group.wait();
  }

  template <class Record>
  static void run_all(Record* first, std::size_t count) {
    if (count == 1) return first->run();
    Group group;
    for (std::size_t index = count; --index > 0;) group.spawn_record(first + index);
    first->run();
    group.wait();
  }

 private:
  template <std::size_t Count, class Parts>
  static void spawn_last_first(Group& group, const Parts& parts) {
    if constexpr (Count > 0) {
      group.spawn(std::get<Count - 1>(parts));
      spawn_last_first<Count - 1>(group, parts);
    }
  }
};

// Thread: start(part) or start_record(record), and join() before it is destroyed; the part lives
// until then.
template <class Thread>
struct as_threads_of {
  template <class... Parts>
  static void run(const Parts&... parts) {
    run_first<sizeof...(Parts)>(std::tie(parts...));
  }
  template <class... Parts>
  static void spawn_all(const Parts&... parts) {
    run(parts...);
  }

  template <class Called, class Child>
  static void run_beside(const Called& called, const Child& child) {
    Thread thread;
    thread.start(child);
    called();
    thread.join();
  }

  template <class Record>
  static void run_all(Record* first, std::size_t count) {
    records<Thread, 8> threads(count);
    for (std::size_t index = count; index-- > 0;) threads[index].start_record(first + index);
    for (std::size_t index = 0; index < count; ++index) threads[index].join();
  }

 private:
  template <std::size_t Count, class Parts>
  static void run_first(const Parts& parts) {
    Thread last;
    last.start(std::get<Count - 1>(parts));
    if constexpr (Count > 1) run_first<Count - 1>(parts);
    last.join();
  }
};

// A Thread over a Unit that a library makes of a C function: create(function, argument), and
// join(). Result: what its functions return.
template <class Result, class Unit>
class thread_of {
 public:
  template <class Part>
  void start(const Part& part) {
    auto const run = [](void* argument) -> Result {
      (*static_cast<const Part*>(argument))();
      return Result();
    };
    unit_.create(run, const_cast<Part*>(&part));
  }
  template <class Record>
  void start_record(Record* record) {
    auto const run = [](void* argument) -> Result {
      static_cast<Record*>(argument)->run();
      return Result();
    };
    unit_.create(run, record);
  }
  void join() { unit_.join(); }

 private:
  Unit unit_;
};

// A Thread over a Unit of two forms: create(function, argument, is_leaf) makes a tasklet of a leaf,
// and a thread of any other.
template <class Unit>
class thread_or_tasklet {
 public:
  template <class Part>
  void start(const Part& part) {
    bool is_leaf = false;
    if constexpr (requires { part.is_leaf; }) is_leaf = part.is_leaf;
    unit_.create([](void* argument) { (*static_cast<const Part*>(argument))(); }, const_cast<Part*>(&part), is_leaf);
  }
  template <class Record>
  void start_record(Record* record) {
    unit_.create([](void* argument) { static_cast<Record*>(argument)->run(); }, record, record->is_leaf());
  }
  void join() { unit_.join(); }

 private:
  Unit unit_;
};

template <class Unit>
struct as_tasklets_of : as_threads_of<thread_or_tasklet<Unit>> {
  static constexpr bool knows_leaves = true;
};

}  // namespace bench
