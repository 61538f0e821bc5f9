#include <errno.h>
#include <gnu/libc-version.h>
#include <netdb.h>
#include <regex.h>
#include <string.h>
#include <time.h>

#include "calls.h"

static void printf_double(void *unused) {
  (void)unused;
  NEED(printf("%f\n", 2.5) > 0);
}

static void fprintf_stderr(void *unused) {
  (void)unused;
  NEED(fprintf(stderr, "%d\n", 1) > 0);
}

static void strtold_near_the_largest(void *unused) {
  (void)unused;
  NEED(strtold("1.1897314953572317650e+4932", NULL) > 1);
}

static void localtime_strftime(void *unused) {
  (void)unused;
  struct tm parts;
  char text[64];
  const time_t now = time(NULL);
  NEED(localtime_r(&now, &parts) != NULL && strftime(text, sizeof text, "%c", &parts) > 0);
}

static void getaddrinfo_localhost(void *unused) {
  (void)unused;
  struct addrinfo *found;
  if (getaddrinfo("localhost", NULL, NULL, &found) == 0) freeaddrinfo(found);
}

static void regcomp_regexec(void *unused) {
  (void)unused;
  regex_t expression;
  NEED(regcomp(&expression, "^(a|b)*c", REG_EXTENDED) == 0 && regexec(&expression, "ababc", 0, NULL, 0) == 0);
  regfree(&expression);
}

static int compare(const void *left, const void *right) {
  const int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

static void qsort_million(void *unused) {
  (void)unused;
  enum { count = 1000000 };
  int *const numbers = malloc(count * sizeof *numbers);
  NEED(numbers != NULL);
  for (int each = 0; each < count; ++each) numbers[each] = (int)(each * 2654435761u >> 8);
  qsort(numbers, count, sizeof *numbers, compare);
  free(numbers);
}

int main(void) {
  static const weft_function calls[] = {printf_double,      fprintf_stderr,        strtold_near_the_largest,
                                        localtime_strftime, getaddrinfo_localhost, regcomp_regexec,
                                        qsort_million};
  run_calls(gnu_get_libc_version(), calls, sizeof calls / sizeof *calls);
  return 0;
}
