// Runs a body once for every occurrence of the system calls that it names, with that call failing:
// first only that occurrence, then it and all later ones. The body must cope: report a status,
// leave things usable, leak nothing, hang never.
//
//   weft::fault_test::each_failure({os::call::mmap, os::call::thread_start}, [] { ... CHECK(...) ... });
//
// The body is run without a plan first (it then must succeed as it would without the driver), then
// counted, then failed. Leaks: address space, heap, file descriptors and OS threads are compared
// over repeated runs of the same failure, since libraries keep what they once had. A body that
// hangs ends the program with the failure that it hung on.
#pragma once

#include <doctest/doctest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "../support/child.hpp"
#include "os/fault.hpp"

namespace weft::fault_test {

// Whether a failure is being injected now: bodies use it to know whether success is owed.
inline bool injecting() {
  const os::fault::plan* plan = os::fault::installed.load(base::relaxed);
  return plan != nullptr && plan->nth != 0;
}

namespace detail {

constexpr unsigned hang_seconds = 180;

inline char running[128];  // for the alarm's handler

inline void report_hang(int) {
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, running, std::strlen(running));
  std::_Exit(1);
}

inline std::string describe(os::call which, std::uint32_t nth, os::fault::repeat how) {
  return std::string(os::fault::call_name(which)) + " number " + std::to_string(nth) +
         (how == os::fault::repeat::once ? " fails" : " and all after it fail");
}

struct resources {
  std::size_t address_space = 0;  // in pages
  std::size_t heap = 0;           // bytes handed out; a sanitizer's heap is not seen
  std::size_t descriptors = 0;
  std::size_t os_threads = 0;
};

inline std::size_t entries_of(const char* folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

inline resources now() {
  resources found;
  std::ifstream("/proc/self/statm") >> found.address_space;
  found.heap = mallinfo2().uordblks;
  found.descriptors = entries_of("/proc/self/fd");
  found.os_threads = entries_of("/proc/self/task");
  return found;
}

// The figure of the whole program, printed by it and by no child of its.
struct tally {
  std::uint64_t calls_failed = 0;
  pid_t owner = getpid();

  tally() = default;
  tally(const tally&) = delete;
  tally& operator=(const tally&) = delete;
  ~tally() {
    if (getpid() == owner) std::printf("figure: calls failed = %ju\n", static_cast<std::uintmax_t>(calls_failed));
  }
  void add(const os::fault::plan& plan) { calls_failed += plan.failed.load(base::relaxed); }
};
inline tally figures;

template <class Body>
void run(os::fault::plan* plan, Body& body) {
  os::fault::installed.store(plan, base::relaxed);
  alarm(hang_seconds);
  body();
  alarm(0);
  os::fault::installed.store(nullptr, base::relaxed);
  if (plan != nullptr) figures.add(*plan);
}

inline bool grows_always(const std::vector<resources>& after, std::size_t resources::* kind) {
  for (std::size_t i = 1; i < after.size(); ++i) {
    if (after[i].*kind <= after[i - 1].*kind) return false;
  }
  return true;
}

// TSan's memory grows by itself, and ASan keeps what was freed for a while (its leaks it tells itself).
inline constexpr bool is_address_space_ours = !config::thread_sanitizer && !config::address_sanitizer;

// Steady growth is a leak; some steps are caches that were filled, malloc's own among them, so a
// suspicion is looked into for longer.
template <class Body>
void run_with_failure(os::call which, std::uint32_t nth, os::fault::repeat how, Body& body) {
  const std::string what = describe(which, nth, how);
  CAPTURE(what);
  std::snprintf(running, sizeof running, "hangs when %s\n", what.c_str());
  std::vector<resources> after;
  bool is_leak = true;
  for (std::size_t rounds : {std::size_t{4}, std::size_t{24}}) {
    while (is_leak && after.size() < rounds) {
      os::fault::plan plan;
      plan.which = which;
      plan.nth = nth;
      plan.how = how;
      run(&plan, body);
      after.push_back(now());
    }
    is_leak = grows_always(after, &resources::heap) ||
              (is_address_space_ours && grows_always(after, &resources::address_space)) ||
              grows_always(after, &resources::descriptors) || grows_always(after, &resources::os_threads);
  }
  CHECK_FALSE_MESSAGE(is_leak, "address space, heap, descriptors or OS threads grow with every run");
}

// A plan that a child and its parent see. For ever.
inline os::fault::plan* make_shared_plan() {
  void* mapped = mmap(nullptr, sizeof(os::fault::plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(mapped != MAP_FAILED);
  return new (mapped) os::fault::plan;
}

// A failure that lasts, met by a child.
struct lasting_failure {
  std::string what;
  os::fault::plan* plan;
  test::running_child child;
};

template <class Body>
lasting_failure start_child_with_failure(os::call which, std::uint32_t nth, Body& body) {
  const std::string what = describe(which, nth, os::fault::repeat::for_ever);
  os::fault::plan* const plan = make_shared_plan();
  plan->which = which;
  plan->nth = nth;
  plan->how = os::fault::repeat::for_ever;
  return {std::string(doctest::getContextOptions()->currentTest->m_name) + ": " + what, plan, test::start_child([&] {
            std::snprintf(running, sizeof running, "hangs when %s\n", what.c_str());
            bool coped = false;
            auto keep = [&] { coped = body(); };
            run(plan, keep);
            return coped ? 0 : 2;
          })};
}

inline void check_end(const lasting_failure& failure) {
  const test::child_end end = test::wait_for(failure.child);
  figures.add(*failure.plan);
  CAPTURE(failure.what);
  CAPTURE(end.errors);
  CHECK((end.exit_code == 0 || (end.signal == SIGABRT && end.says("weft: fatal: "))));
}

inline std::vector<lasting_failure> lasting_failures;

// Which of count occurrences to fail: the first ones all, then fewer and fewer, and the last.
inline std::vector<std::uint32_t> sampled(std::uint32_t count, std::uint32_t all) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t nth = 1; nth <= count; nth += nth < all ? 1 : 1 + nth / 4) chosen.push_back(nth);
  if (!chosen.empty() && chosen.back() != count) chosen.push_back(count);
  return chosen;
}

}  // namespace detail

// How often the body makes each call when none fails.
template <class Body>
std::uint32_t occurrences(os::call which, Body& body) {
  os::fault::plan counting;
  detail::run(&counting, body);
  return counting.seen[static_cast<unsigned>(which)].load(base::relaxed);
}

template <class Body>
void each_failure(std::initializer_list<os::call> calls, Body body) {
  std::signal(SIGALRM, detail::report_hang);
  std::snprintf(detail::running, sizeof detail::running, "hangs without any failure\n");
  detail::run(nullptr, body);
  for (os::call which : calls) {
    for (std::uint32_t nth : detail::sampled(occurrences(which, body), 100)) {
      detail::run_with_failure(which, nth, os::fault::repeat::once, body);
      detail::run_with_failure(which, nth, os::fault::repeat::for_ever, body);
    }
  }
  detail::run(nullptr, body);  // and all is well again
}

// For a body that may end the program with a message when a call fails for ever, as a runtime that
// can get no stack for any unit must. body says by its bool whether it coped. A failure that comes
// once is survived in this process, without leaks; one that lasts is met in children, which cope or
// end with "weft: fatal: ...". Last words may come after seconds of patience: the last case of a
// program looks at the children of all its cases, by check_lasting_failures(). most: occurrences
// that are failed one by one.
template <class Body>
void each_failure_or_last_words(std::initializer_list<os::call> calls, Body body, std::uint32_t most = 32) {
  std::signal(SIGALRM, detail::report_hang);
  auto checked = [&] { CHECK(body()); };
  std::snprintf(detail::running, sizeof detail::running, "hangs without any failure\n");
  detail::run(nullptr, checked);
  for (os::call which : calls) {
    const std::uint32_t count = occurrences(which, checked);
    for (std::uint32_t nth : detail::sampled(count, 8)) {
      detail::lasting_failures.push_back(detail::start_child_with_failure(which, nth, body));
    }
    for (std::uint32_t nth : detail::sampled(count, most)) detail::run_with_failure(which, nth, os::fault::repeat::once, checked);
  }
  detail::run(nullptr, checked);
}

inline void check_lasting_failures() {
  CHECK(!detail::lasting_failures.empty());
  for (const detail::lasting_failure& each : detail::lasting_failures) detail::check_end(each);
  detail::lasting_failures.clear();
}

}  // namespace weft::fault_test
