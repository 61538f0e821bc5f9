/* Joins a thread twice, which only a library with checks names. */
#include <weft/weft.h>

static void nothing(void *unused) { (void)unused; }

int main(void) {
  weft_thread *thread;
  if (weft_init(NULL) != WEFT_OK) return 1;
  if (weft_thread_create(nothing, NULL, NULL, &thread) != WEFT_OK) return 1;
  if (weft_thread_join(thread) != WEFT_OK) return 1;
  return weft_thread_join(thread) == WEFT_OK ? 0 : 1;
}
