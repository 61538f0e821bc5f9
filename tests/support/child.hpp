// Runs a body in a child process and tells how it ended and what it wrote to stderr: for messages,
// aborts, and changed environments. The body must leave no OS threads behind in the parent before
// the fork.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "planned_fault.h"

// In a body: what the scene needs. The exit code tells the line, roughly.
#define NEED(condition)                                                                                         \
  do {                                                                                                          \
    if (!(condition)) {                                                                                         \
      tell_planned_fault(#condition, std::strstr(#condition, "== WEFT_OK") ? "another than WEFT_OK" : nullptr); \
      _exit(__LINE__ % 200 + 1);                                                                                \
    }                                                                                                           \
  } while (false)

namespace weft::test {

struct child_end {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string errors;  // what it wrote to stderr

  bool says(const char* text) const { return errors.find(text) != std::string::npos; }
  // Whether the line that has text goes on with ", for " and a time.
  bool says_for_how_long(const char* text) const {
    const std::size_t at = errors.find(text);
    const std::size_t since = errors.find(", for ", at);
    if (at == std::string::npos || since == std::string::npos || since > errors.find('\n', at)) return false;
    return std::isdigit(static_cast<unsigned char>(errors[since + 6])) != 0;
  }
  // The KiB or MiB that stand behind the words; 0: none do.
  unsigned long kib_behind(const char* words) const {
    const std::size_t at = errors.find(words);
    if (at == std::string::npos) return 0;
    char* unit = nullptr;
    const unsigned long number = std::strtoul(errors.c_str() + at + std::strlen(words), &unit, 10);
    return std::strncmp(unit, " MiB", 4) == 0 ? number * 1024 : number;
  }
  int lines() const {
    int count = 0;
    for (char each : errors) count += each == '\n';
    return count;
  }
};

namespace detail {

// A test framework's or a sanitizer's handlers would turn the signal that we want to see into
// something else.
inline void die_plainly() {
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

inline std::string read_to_end(int descriptor) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(descriptor, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

}  // namespace detail

struct running_child {
  pid_t process;
  int errors;  // read end of its stderr
};

// body's int becomes the exit code.
template <class Body>
running_child start_child(Body body) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = ::fork();
  if (child < 0) std::abort();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    detail::die_plainly();
    _exit(body());
  }
  close(ends[1]);
  return {child, ends[0]};
}

namespace detail {

inline void take_end(const running_child& child, child_end* end) {
  close(child.errors);
  int status = 0;
  waitpid(child.process, &status, 0);
  if (WIFEXITED(status)) end->exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end->signal = WTERMSIG(status);
  tell_planned_fault_of_child(end->signal, end->errors.c_str());
}

}  // namespace detail

inline child_end wait_for(const running_child& child) {
  child_end result;
  result.errors = detail::read_to_end(child.errors);
  detail::take_end(child, &result);
  return result;
}

// Kills the child as soon as it has written `last`, unless it ends by itself.
inline child_end end_when_told(const running_child& child, const char* last) {
  child_end end;
  char piece[4096];
  ssize_t got;
  while (!end.says(last) && (got = read(child.errors, piece, sizeof piece)) > 0) {
    end.errors.append(piece, static_cast<std::size_t>(got));
  }
  kill(child.process, SIGKILL);
  detail::take_end(child, &end);
  return end;
}

// As end_when_told, but the child goes on for `quiet_ms` after it has written `last`, in which it
// may say more, or the same again.
inline child_end end_after_told(const running_child& child, const char* last, unsigned quiet_ms) {
  child_end end;
  char piece[4096];
  ssize_t got;
  while (!end.says(last) && (got = read(child.errors, piece, sizeof piece)) > 0) {
    end.errors.append(piece, static_cast<std::size_t>(got));
  }
  usleep(quiet_ms * 1000);
  kill(child.process, SIGKILL);
  end.errors += detail::read_to_end(child.errors);
  detail::take_end(child, &end);
  return end;
}

template <class Body>
child_end run_in_child(Body body) {
  return wait_for(start_child(body));
}

}  // namespace weft::test
