// What shipping headers call from the core's own sources: here a panic or a failed check fails the execution.
#include <cstdarg>
#include <cstdio>

#include "base/assert.hpp"
#include "explorer/execution.hpp"

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
