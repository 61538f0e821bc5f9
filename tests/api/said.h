/* What the library says on stderr, for tests that run in one process and read it. A failed check,
 * and the last words of a process that aborts, go to stderr as it was. */
#ifndef WEFT_TESTS_SAID_H
#define WEFT_TESTS_SAID_H

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static FILE *said;

static void show_what_was_said(int unused) {
  (void)unused;
  char part[512];
  lseek(fileno(said), 0, SEEK_SET);
  for (ssize_t got; (got = read(fileno(said), part, sizeof part)) > 0;) {
    if (write(fileno(stderr), part, (size_t)got) != got) break;
  }
}

static void listen_to_library(void) {
  said = tmpfile();
  FILE *const stderr_before = fdopen(dup(STDERR_FILENO), "w");
  CHECK(said != NULL && stderr_before != NULL);
  CHECK(setvbuf(stderr_before, NULL, _IONBF, 0) == 0); /* a check that fails aborts */
  CHECK(dup2(fileno(said), STDERR_FILENO) >= 0);
  stderr = stderr_before;
  struct sigaction at_abort = {.sa_handler = show_what_was_said, .sa_flags = (int)SA_RESETHAND};
  CHECK(sigaction(SIGABRT, &at_abort, NULL) == 0);
}

/* Since the last question. */
static int lines_with(const char *text) {
  char line[1024];
  int count = 0;
  rewind(said);
  while (fgets(line, sizeof line, said) != NULL) count += strstr(line, text) != NULL;
  CHECK(ftruncate(fileno(said), 0) == 0);
  rewind(said);
  return count;
}

#endif
