#include "trail.h"

static char trail[32];
static int trail_length;

void mark(char letter) {
  CHECK(trail_length < (int)sizeof trail - 1);
  trail[trail_length++] = letter;
}

void mark_and_end(void *letter) { mark(*(const char *)letter); }

void check_trail(const char *wanted) {
  trail[trail_length] = 0;
  if (strcmp(trail, wanted) != 0) fprintf(stderr, "ran %s, wanted %s\n", trail, wanted);
  CHECK(strcmp(trail, wanted) == 0);
  trail_length = 0;
}
