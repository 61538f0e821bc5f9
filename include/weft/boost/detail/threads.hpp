// boost::fibers::numa's topology and pin_thread, and the barrier of OS threads that Boost.Fiber's
// examples take from its inside. They are of OS threads: no call here switches.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include <weft/boost/detail/errors.hpp>

namespace boost {
namespace fibers {
namespace numa {

// A node of the machine's memory, with the CPUs that are near to it.
struct node {
  // Its number in the system.
  std::uint32_t id;
  // Its online CPUs, by their numbers in the system.
  std::set<std::uint32_t> logical_cpus;
  // To each node, as the system tells it; 10: the node itself.
  std::vector<std::uint32_t> distance;
};

// Orders nodes by their numbers.
inline bool operator<(const node& left, const node& right) noexcept { return left.id < right.id; }

}  // namespace numa
}  // namespace fibers
}  // namespace boost

namespace weft::detail {

// The numbers of a list of the system's, such as "0-3,8"; empty for a file that cannot be read.
inline std::set<std::uint32_t> read_numbers(const std::string& path) {
  std::set<std::uint32_t> found;
  std::ifstream file(path);
  for (std::uint32_t first = 0; file >> first;) {
    std::uint32_t last = first;
    if (file.peek() == '-') file.ignore() >> last;
    for (std::uint32_t each = first; each <= last; ++each) found.insert(each);
    if (file.peek() == ',') file.ignore();
  }
  return found;
}

// folder: as /sys/devices/system/node is. Empty where it names no node with an online CPU.
inline std::vector<boost::fibers::numa::node> nodes_of(const std::string& folder) {
  std::vector<boost::fibers::numa::node> nodes;
  for (const std::uint32_t id : read_numbers(folder + "/online")) {
    const std::string own = folder + "/node" + std::to_string(id);
    boost::fibers::numa::node made{id, read_numbers(own + "/cpulist"), {}};
    std::ifstream distances(own + "/distance");
    for (std::uint32_t each = 0; distances >> each;) made.distance.push_back(each);
    if (!made.logical_cpus.empty()) nodes.push_back(made);
  }
  return nodes;
}

}  // namespace weft::detail

namespace boost {
namespace fibers {
namespace numa {

// Returns the nodes that have CPUs, in the order of their numbers. A system that tells of no nodes
// has one, with all CPUs on which the calling OS thread may run. Never switches; callable from any.
// Throws std::bad_alloc.
inline std::vector<node> topology() {
  std::vector<node> nodes = weft::detail::nodes_of("/sys/devices/system/node");
  if (!nodes.empty()) return nodes;
  node all{0, {}, {10}};
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) == 0) {
    for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mine)) all.logical_cpus.insert(cpu);
    }
  }
  return {all};
}

// Binds an OS thread to one CPU. Never switches; callable from any. Throws fiber_error:
// invalid_argument (there is no such CPU, or this process may not use it), and what else
// pthread_setaffinity_np(3) returns.
inline void pin_thread(std::uint32_t cpu, std::thread::native_handle_type thread) {
  cpu_set_t one;
  CPU_ZERO(&one);
  if (cpu < CPU_SETSIZE) CPU_SET(cpu, &one);
  const int error = pthread_setaffinity_np(thread, sizeof one, &one);
  if (error == 0) return;
  throw fiber_error(std::error_code(error, std::generic_category()),
                    "boost fiber: pin_thread to CPU " + std::to_string(cpu) + ", see numa::topology() for those there are");
}
// Binds the calling OS thread to one CPU.
inline void pin_thread(std::uint32_t cpu) { pin_thread(cpu, pthread_self()); }

}  // namespace numa
namespace detail {

// A barrier at which OS threads meet, again and again: a fiber that waits here blocks its OS thread.
class thread_barrier {
 public:
  // For count OS threads. Throws fiber_error: invalid_argument (0).
  explicit thread_barrier(std::size_t count) : count_(count), missing_(count) {
    if (count == 0)
      throw fiber_error(std::make_error_code(std::errc::invalid_argument), "boost fiber: a barrier of no OS threads");
  }
  thread_barrier(const thread_barrier&) = delete;
  thread_barrier& operator=(const thread_barrier&) = delete;

  // Blocks the OS thread until count have called. Returns true to the last one. Never switches.
  bool wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const std::size_t mine = round_;
    if (--missing_ == 0) {
      ++round_;
      missing_ = count_;
      all_are_there_.notify_all();
      return true;
    }
    all_are_there_.wait(lock, [&] { return round_ != mine; });
    return false;
  }

 private:
  const std::size_t count_;
  std::mutex mutex_;
  std::condition_variable all_are_there_;
  std::size_t missing_;    // in this round
  std::size_t round_ = 0;  // the one that is filled
};

}  // namespace detail
}  // namespace fibers
}  // namespace boost
