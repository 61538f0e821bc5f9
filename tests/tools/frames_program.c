// Linked with the library of frames_library.c, and never run.
int wide_frame(int which);

static int own_frame(int which) {
  volatile int numbers[5000];
  for (int each = 0; each < 5000; ++each) numbers[each] = which;
  return numbers[which];
}

int main(int count, char** words) {
  (void)words;
  return wide_frame(count) + own_frame(count);
}
