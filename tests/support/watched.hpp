// What the watchdog (WEFT_WATCHDOG) says about a scene in a child process. A scene goes on as soon as
// the parent has seen a report.
#pragma once

#include <doctest/doctest.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include <weft/weft.hpp>

#include "planned_fault.h"

namespace watched {

using namespace std::chrono_literals;

inline bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

inline int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

inline constexpr const char* last_words = "watchdog:   cure";  // of each report

// Of scenes that the watchdog may tell nothing about: far beyond what a busy machine keeps an OS
// thread from its CPU.
inline constexpr const char* patient = "500ms";
inline constexpr auto beyond_patience = 700ms;
inline constexpr const char* quick = "100ms";

inline int told = -1;  // in a scene: read end of a pipe that has a byte for each report that was seen

// Where a call was made to fail there may be no watchdog: then the scene ends all the same.
inline bool is_told_within(int limit_ms) {
  pollfd seen{told, POLLIN, 0};
  return poll(&seen, 1, std::getenv("WEFT_TEST_FAULT") != nullptr ? std::min(limit_ms, 1000) : limit_ms) == 1;
}

// Blocks the OS thread in poll() until so many more reports were seen.
inline void block_until_told(int times = 1) {
  char seen;
  while (times-- > 0 && is_told_within(60'000) && read(told, &seen, 1) == 1) {
  }
}

inline void compute_until_told() {
  for (int attempt = 0; attempt < 60'000'000 && !is_told_within(0); ++attempt) {
  }
}

// For ever: a thread of the only worker holds a std::mutex, and the worker runs another one, "rival",
// which asks for it. `ends` runs on an OS thread beside them.
template <class End>
void ask_for_held_mutex(End ends) {
  static std::mutex mutex;
  weft::thread owner({.name = "owner"}, [ends] {
    weft::thread rival({.name = "rival"}, [ends] {
      std::thread(ends).detach();
      mutex.lock();
    });
    mutex.lock();
    weft::this_thread::yield();
  });
  owner.join();
}

// What the child wrote to stderr while scene ran under the watchdog. A scene that cannot end calls
// _exit.
template <class Scene>
std::string report_of(unsigned workers, const char* limit, Scene scene) {
  int errors[2], seen[2];
  REQUIRE(pipe(errors) == 0);
  REQUIRE(pipe(seen) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(errors[1], STDERR_FILENO);
    for (int end : {errors[0], errors[1], seen[1]}) close(end);
    told = seen[0];
    setenv("WEFT_WATCHDOG", limit, 1);
    {
      const weft::runtime runtime({.workers = workers});
      scene();
    }
    _exit(0);
  }
  close(errors[1]);
  std::string text;
  int reports = 0;
  char piece[4096];
  for (ssize_t got; (got = read(errors[0], piece, sizeof piece)) > 0;) {
    text.append(piece, static_cast<std::size_t>(got));
    for (; reports < count(text, last_words); ++reports) REQUIRE(write(seen[1], "!", 1) == 1);
  }
  for (int end : {errors[0], seen[0], seen[1]}) close(end);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  tell_planned_fault_of_child(WIFSIGNALED(status) ? WTERMSIG(status) : 0, text.c_str());
  INFO(text);
  CHECK(status == 0);
  return text;
}

}  // namespace watched
