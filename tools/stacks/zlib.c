#include <zlib.h>

#include "calls.h"

enum { plain_bytes = 1 << 20 };
static unsigned char plain[plain_bytes], packed[plain_bytes], again[plain_bytes];
static uLongf packed_bytes = plain_bytes;

static void compress_at_level_9(void *unused) {
  (void)unused;
  for (int each = 0; each < plain_bytes; ++each) plain[each] = (unsigned char)(each >> 6);
  NEED(compress2(packed, &packed_bytes, plain, plain_bytes, 9) == Z_OK);
}

static void uncompress_it(void *unused) {
  (void)unused;
  uLongf bytes = plain_bytes;
  NEED(uncompress(again, &bytes, packed, packed_bytes) == Z_OK && bytes == plain_bytes);
}

int main(void) {
  static const weft_function calls[] = {compress_at_level_9, uncompress_it};
  run_calls(zlibVersion(), calls, sizeof calls / sizeof *calls);
  return 0;
}
