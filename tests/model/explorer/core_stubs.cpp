// What shipping files call from the layers base and os: a panic or a failed check fails the
// execution, giving the CPU away is a pause, and each thread has a clock of its own that moves when
// it is read.
#include <cstdarg>
#include <cstdio>

#include "base/assert.hpp"
#include "explorer/execution.hpp"
#include "os/clock.hpp"
#include "os/thread.hpp"

namespace weft::base {

void panic(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  explorer::fail("panic", text);
}

void report(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  explorer::note(text);
}

void check_failed(const char* condition, const char* message, const char* file, int line) {
  explorer::fail("assertion", std::string(message) + " (" + condition + ", " + file + ":" + std::to_string(line) + ")");
}

}  // namespace weft::base

namespace weft::os {

void yield_cpu() { explorer::pause(explorer::site{}); }
std::uint64_t now_ns() { return explorer::now_ns(); }
std::uint64_t coarse_ns() { return explorer::now_ns(); }

}  // namespace weft::os
