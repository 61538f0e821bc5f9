/* Weft's own library under a file name that another version's would have: it starts. The argument is
 * the path of such a copy; this program is linked with no library of Weft's. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <weft/weft.h>

#define NEED(condition)                                                        \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s is wrong\n", __FILE__, __LINE__, #condition); \
      return 1;                                                                \
    }                                                                          \
  } while (0)

int main(int count, char **arguments) {
  NEED(count == 2);
  void *const copy = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (copy == NULL) fprintf(stderr, "%s\n", dlerror());
  NEED(copy != NULL);
  weft_status (*init)(const weft_config *);
  weft_status (*finalize)(void);
  void *found = dlsym(copy, "weft_init");
  NEED(found != NULL);
  memcpy(&init, &found, sizeof init);
  found = dlsym(copy, "weft_finalize");
  NEED(found != NULL);
  memcpy(&finalize, &found, sizeof finalize);
  NEED(init(NULL) == WEFT_OK);
  NEED(finalize() == WEFT_OK);
  return 0;
}
