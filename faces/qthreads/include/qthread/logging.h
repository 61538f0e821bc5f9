/* Qthreads on Weft: lines of a log, in groups that the compiler leaves out. */
#ifndef WEFT_QTHREADS_LOGGING_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_LOGGING_H

#include <stdio.h>

#define INNERSTRING(x) #x
#define STRING(x) INNERSTRING(x)

/* Two groups. Each may be defined as 0 or 1 before, as may others of the program. */
#ifndef LOGERR
#define LOGERR 1
#endif
#ifndef LOGWARN
#define LOGWARN 1
#endif

/* Print a line on stdout if the group is not 0: the group, the place, and s, a literal that is a
 * format of printf and, in qtlog, has no arguments. */
#define qtlogargs(group, s, ...)                                                               \
  do {                                                                                         \
    if (group) printf("(" #group ") " __FILE__ ":" STRING(__LINE__) ": " s "\n", __VA_ARGS__); \
  } while (0)
#define qtlog(group, s)                                                           \
  do {                                                                            \
    if (group) printf("(" #group ") " __FILE__ ":" STRING(__LINE__) ": " s "\n"); \
  } while (0)

#endif
