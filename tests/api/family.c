/* The main program of a family of C tests, which the build links into one program: runs the test
 * that the first argument names, and fails if the test leaves more descriptors open than it found.
 * The tests are compiled with main defined as api_NAME. FAMILY_TESTS names a file with a line
 * TEST(NAME) for each. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEST(name) int api_##name(void);
#include FAMILY_TESTS
#undef TEST

static const struct {
  const char *name;
  int (*run)(void);
} tests[] = {
#define TEST(name) {#name, api_##name},
#include FAMILY_TESTS
};

static int open_descriptors(void) {
  DIR *const all = opendir("/proc/self/fd");
  if (all == NULL) return 0;
  int count = 0;
  while (readdir(all) != NULL) ++count;
  closedir(all);
  return count;
}

static int run_balanced(int (*run)(void)) {
  const int before = open_descriptors();
  const int result = run();
  const int of_said = fileno(stderr) != STDERR_FILENO ? 2 : 0; /* said.h has a file, and keeps stderr elsewhere */
  const int after = open_descriptors() - of_said;
  if (after > before) fprintf(stderr, "%d descriptors are open that were not when the test began\n", after - before);
  return result != 0 ? result : after > before;
}

int main(int count, char **words) {
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    if (count == 2 && strcmp(words[1], tests[i].name) == 0) return run_balanced(tests[i].run);
  }
  fprintf(stderr, "usage: %s TEST, where TEST is one of", words[0]);
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) fprintf(stderr, " %s", tests[i].name);
  fprintf(stderr, "\n");
  return 2;
}
