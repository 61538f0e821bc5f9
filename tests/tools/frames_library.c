// Functions whose frames have known sizes, in a library: what weft frames lists (frames_test.py).
#include <alloca.h>
#include <stddef.h>
#include <string.h>

void fill(volatile char* bytes, size_t count);

void fill(volatile char* bytes, size_t count) { memset((char*)bytes, 1, count); }

int wide_frame(int which);
int wider_frame(int which);
int chosen_frame(int which);

int wide_frame(int which) {
  volatile char bytes[100000];
  fill(bytes, sizeof bytes);
  return bytes[which];
}

int wider_frame(int which) {
  volatile char bytes[3000000];
  fill(bytes, sizeof bytes);
  return bytes[which];
}

int chosen_frame(int which) {
  volatile char* const bytes = alloca((size_t)which + 1);
  fill(bytes, (size_t)which + 1);
  return bytes[which];
}
