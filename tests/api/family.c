/* The main program of a family of C tests, which the build links into one program: runs the test
 * that the first argument names. The tests are compiled with main defined as api_NAME. FAMILY_TESTS
 * names a file with a line TEST(NAME) for each. */
#include <stdio.h>
#include <string.h>

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

int main(int count, char **words) {
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    if (count == 2 && strcmp(words[1], tests[i].name) == 0) return tests[i].run();
  }
  fprintf(stderr, "usage: %s TEST, where TEST is one of", words[0]);
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) fprintf(stderr, " %s", tests[i].name);
  fprintf(stderr, "\n");
  return 2;
}
