// See assert.hpp.
#include "base/assert.hpp"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

namespace weft::base {
namespace {

constexpr size_t line_bytes = 1024;

// A message longer than a line is cut: what matters stands at its start.
void write_line(const char* prefix, const char* format, va_list arguments) {
  char line[line_bytes];
  int used = snprintf(line, sizeof line - 1, "%s", prefix);
  int more = vsnprintf(line + used, sizeof line - 1 - static_cast<size_t>(used), format, arguments);
  size_t length = static_cast<size_t>(used) + static_cast<size_t>(more < 0 ? 0 : more);
  if (length > sizeof line - 2) length = sizeof line - 2;
  line[length++] = '\n';
  // There is no other place to report that stderr is closed.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line, length);
}

}  // namespace

void panic(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line("weft: fatal: ", format, arguments);
  va_end(arguments);
  abort();
}

void report(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line("weft: ", format, arguments);
  va_end(arguments);
}

void check_failed(const char* condition, const char* message, const char* file, int line) {
  panic("%s (%s, %s:%d)", message, condition, file, line);
}

}  // namespace weft::base
