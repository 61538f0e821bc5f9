/* A program of -fsplit-stack is refused by a line, and goes on without Weft. */
#include "said.h"

int main(void) {
  listen_to_library();
  IS(WEFT_UNSUPPORTED, weft_init(NULL));
  CHECK(lines_with("cannot start: this program is compiled with -fsplit-stack") == 1);
  return 0;
}
