// The microbenchmarks of a review of lightweight threads: what the patterns of OpenMP programs cost
// where next to nothing is done in each unit of work.
//   lwt-create        a unit for each worker is created; their joins are not measured
//   lwt-join          the same, where the joins are measured, and the creations are not
//   lwt-for           a loop of 1000 iterations, a part of it for each worker
//   lwt-for-nested    a loop of 100 iterations, each of which is such a loop of 100 iterations
//   lwt-tasks-single  1000 tasks, created by one thread
//   lwt-tasks-all     1000 tasks, a part of which each worker's unit creates
//   lwt-tasks-nested  200 tasks, each of which creates 4 and waits for them
// An iteration, or a task, scales an element of a vector by a number. All tasks are children, for OpenMP,
// too; of forks one a parent is a plain call.
//
// Source: A. Castelló, A. J. Peña, S. Seo, R. Mayo, P. Balaji, E. S. Quintana-Ortí, A Review of
// Lightweight Thread Approaches for High Performance Computing, IEEE Cluster 2016. The extents of
// the nested ones are ours. units: rounds, each of which is the whole pattern once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "harness/chunks.hpp"
#include "harness/kernel.hpp"

namespace bench::lwt {

inline constexpr std::uint64_t iterations = 1000;
inline constexpr std::uint64_t outer_iterations = 100;
inline constexpr std::uint64_t inner_iterations = 100;
inline constexpr std::uint64_t tasks = 1000;
inline constexpr std::uint64_t parents = 200;
inline constexpr std::uint64_t children_per_parent = 4;

// Elements have distinct values and are scaled modulo 2^32 by an odd number, so that their sum
// tells one that was left out or done twice.
using element = std::uint32_t;
inline constexpr element factor = 2'654'435'761U;

inline std::vector<element> make_vector(std::uint64_t count) {
  std::vector<element> elements(count);
  std::iota(elements.begin(), elements.end(), element{1});
  return elements;
}

inline element sum(const std::vector<element>& elements) { return std::accumulate(elements.begin(), elements.end(), element{0}); }

inline void scale(element* first, const chunk& indices) {
  for (std::uint64_t index = indices.first; index < indices.last; ++index) first[index] *= factor;
}

// ---- units that are created and joined ----

// What the threads of a runtime are here. Thread: see harness/threads.hpp.
template <class Thread>
class thread_units {
 public:
  explicit thread_units(std::size_t count) : threads_(count), count_(count) {}
  template <class Record>
  void start(std::size_t index, Record* record) {
    threads_[index].start_record(record);
  }
  void join() {
    for (std::size_t index = 0; index < count_; ++index) threads_[index].join();
  }

 private:
  records<Thread, 8> threads_;
  std::size_t count_;
};

// What its tasks are, which are waited for at once. Group: see as_tasks_of.
template <class Group>
class task_units {
 public:
  explicit task_units(std::size_t) {}
  template <class Record>
  void start(std::size_t, Record* record) {
    group_.spawn_record(record);
  }
  void join() { group_.wait(); }

 private:
  Group group_;
};

struct unit_record {
  std::uint64_t rounds = 0;  // that it has run in

  void run() { ++rounds; }
};

// The rounds in which all of them ran; 0 where they differ.
inline std::uint64_t common_rounds(const std::vector<unit_record>& units) {
  std::uint64_t const rounds = units.front().rounds;
  return std::ranges::all_of(units, [=](const unit_record& each) { return each.rounds == rounds; }) ? rounds : 0;
}

enum class measured { creation, join };

template <class Units, measured What>
kernel_run run_units(const kernel_input& input, stopwatch& watch) {
  std::vector<unit_record> done(input.workers);
  for (std::uint64_t round = 0; round < input.size; ++round) {
    Units units(done.size());
    if constexpr (What == measured::creation) watch.start();
    for (std::size_t index = 0; index < done.size(); ++index) units.start(index, &done[index]);
    if constexpr (What == measured::creation) watch.stop();
    if constexpr (What == measured::join) watch.start();
    units.join();
    if constexpr (What == measured::join) watch.stop();
  }
  return {common_rounds(done), input.size, {}};
}

// ---- loops and tasks ----

// Way::run_all for the tasks of a group, none of which is a plain call.
template <class Group>
struct as_all_tasks_of {
  template <class Record>
  static void run_all(Record* first, std::size_t count) {
    Group group;
    for (std::size_t index = 0; index < count; ++index) group.spawn_record(first + index);
    group.wait();
  }
};

struct task {
  element* own;

  void run() { *own *= factor; }
};

inline std::vector<task> make_tasks(std::vector<element>& elements) {
  std::vector<task> made;
  made.reserve(elements.size());
  for (element& each : elements) made.push_back({&each});
  return made;
}

template <class Way>
struct parent_task {
  element* first_own;

  void run() {
    std::array<task, children_per_parent> children;
    for (std::size_t index = 0; index < children.size(); ++index) children[index] = {first_own + index};
    Way::run_all(children.data(), children.size());
  }
};

template <class Round>
kernel_run run_rounds(const kernel_input& input, stopwatch& watch, const std::vector<element>& elements, const Round& run_round) {
  watch.start();
  for (std::uint64_t round = 0; round < input.size; ++round) {
    run_round();
    asm volatile("" ::: "memory");  // or a compiler may join the rounds of plain calls
  }
  watch.stop();
  return {sum(elements), input.size, {}};
}

template <class Way>
kernel_run run_loop(const kernel_input& input, stopwatch& watch) {
  std::vector<element> elements = make_vector(iterations);
  auto const body = [first = elements.data()](const chunk& indices) { scale(first, indices); };
  return run_rounds(input, watch, elements, [&] { for_all<Way>(input.workers, iterations, body); });
}

template <class Way>
kernel_run run_nested_loops(const kernel_input& input, stopwatch& watch) {
  std::vector<element> elements = make_vector(outer_iterations * inner_iterations);
  auto const run_rows = [first = elements.data(), workers = input.workers](const chunk& rows) {
    for (std::uint64_t row = rows.first; row < rows.last; ++row) {
      auto const body = [own = first + row * inner_iterations](const chunk& indices) { scale(own, indices); };
      for_all<Way>(workers, inner_iterations, body);
    }
  };
  return run_rounds(input, watch, elements, [&] { for_all<Way>(input.workers, outer_iterations, run_rows); });
}

template <class Way>
kernel_run run_tasks_of_one(const kernel_input& input, stopwatch& watch) {
  std::vector<element> elements = make_vector(tasks);
  std::vector<task> own = make_tasks(elements);
  return run_rounds(input, watch, elements, [&] { Way::run_all(own.data(), own.size()); });
}

template <class Way>
kernel_run run_tasks_of_all(const kernel_input& input, stopwatch& watch) {
  std::vector<element> elements = make_vector(tasks);
  std::vector<task> own = make_tasks(elements);
  auto const create_some = [first = own.data()](const chunk& indices) {
    if (indices.first < indices.last) Way::run_all(first + indices.first, indices.last - indices.first);
  };
  return run_rounds(input, watch, elements, [&] { for_all<Way>(input.workers, tasks, create_some); });
}

template <class Way>
kernel_run run_nested_tasks(const kernel_input& input, stopwatch& watch) {
  std::vector<element> elements = make_vector(parents * children_per_parent);
  std::vector<parent_task<Way>> own(parents);
  for (std::size_t index = 0; index < own.size(); ++index) own[index] = {&elements[index * children_per_parent]};
  return run_rounds(input, watch, elements, [&] { Way::run_all(own.data(), own.size()); });
}

extern const kernel create;
extern const kernel join;
extern const kernel loop;
extern const kernel nested_loops;
extern const kernel tasks_of_one;
extern const kernel tasks_of_all;
extern const kernel nested_tasks;

}  // namespace bench::lwt
