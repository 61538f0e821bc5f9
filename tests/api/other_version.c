/* A libweft.so of another minor version in the process: weft_init names both, whatever file name it
 * was loaded by, and works once it is gone. The arguments are pairs: the path of a library, and the
 * name that it was linked with. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <weft/version.h>
#include <weft/weft.h>

#define NEED(condition)                                                        \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s is wrong\n", __FILE__, __LINE__, #condition); \
      return 1;                                                                \
    }                                                                          \
  } while (0)

int main(int count, char **arguments) {
  NEED(count > 2 && count % 2 == 1);
  for (int each = 1; each < count; each += 2) {
    void *const other = dlopen(arguments[each], RTLD_NOW | RTLD_LOCAL);
    if (other == NULL) fprintf(stderr, "%s\n", dlerror());
    NEED(other != NULL);
    NEED(weft_init(NULL) == WEFT_UNSUPPORTED);
    NEED(strstr(weft_last_error(), arguments[each + 1]) != NULL);
    NEED(strstr(weft_last_error(), "version " WEFT_VERSION) != NULL);
    NEED(!weft_is_initialized());
    NEED(dlclose(other) == 0);
    NEED(weft_init(NULL) == WEFT_OK);
    NEED(weft_finalize() == WEFT_OK);
  }
  return 0;
}
