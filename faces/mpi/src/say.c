/* See say.h. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void write_line(const char *format, va_list arguments) {
  char line[1024];
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  if (length < 0) return;
  if ((size_t)length > sizeof line - 2) length = (int)sizeof line - 2;
  line[length] = '\n';
  const ssize_t written = write(STDERR_FILENO, line, (size_t)length + 1);
  (void)written; /* a program may have closed it */
}

void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void let_lines_pass(void) {
  const struct timespec pause = {.tv_sec = 0, .tv_nsec = 200000000};
  nanosleep(&pause, NULL);
}

void end_process(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
  _Exit(1);
}
