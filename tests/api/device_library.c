/* Which library of a driver a wait finds, in a program that is linked with none. SCENE says what the
 * test's build has prepared: IS_ABSENT nothing; IS_LOADED a library that the program loads by its
 * path before it waits, beside one without functions on the dynamic linker's path; IS_ON_PATH one
 * on that path; IS_OLD one without functions. */
#include <dlfcn.h>
#include <string.h>
#include <weft/cuda.h>
#include <weft/hip.h>

#include "check.h"
#include "fake_device.h"

enum { IS_ABSENT, IS_LOADED, IS_ON_PATH, IS_OLD };

static bool says(const char *text) { return strstr(weft_last_error(), text) != NULL; }

static void works(void) {
  struct fake_context context;
  memset(&context, 0, sizeof context);
  struct fake_work streams[2];
  memset(streams, 0, sizeof streams);
  for (int each = 0; each < 2; ++each) {
    streams[each].left = 2;
    streams[each].error = FAKE_LAUNCH_FAILED + each;
    streams[each].context = &context;
  }
  int result = -1;
  IS(WEFT_INVALID, weft_cuda_stream_wait(&streams[0], WEFT_FOREVER, &result));
  CHECK(result == FAKE_LAUNCH_FAILED && streams[0].queries == 3);
  IS(WEFT_INVALID, weft_hip_stream_wait(&streams[1], WEFT_FOREVER, &result));
  CHECK(result == FAKE_LAUNCH_FAILED + 1 && streams[1].queries == 3);
}

static void fails(const char *about_cuda, const char *about_hip) {
  int result = -1;
  IS(WEFT_UNSUPPORTED, weft_cuda_stream_wait(NULL, WEFT_FOREVER, &result));
  CHECK(says("weft_cuda_stream_wait: ") && says(about_cuda));
  IS(WEFT_UNSUPPORTED, weft_cuda_event_wait(NULL, 0, NULL));
  CHECK(says("weft_cuda_event_wait: ") && says(about_cuda));
  IS(WEFT_UNSUPPORTED, weft_hip_stream_wait(NULL, WEFT_FOREVER, &result));
  CHECK(says("weft_hip_stream_wait: ") && says(about_hip));
  IS(WEFT_UNSUPPORTED, weft_hip_event_wait(NULL, 0, NULL));
  CHECK(says("weft_hip_event_wait: ") && says(about_hip));
  CHECK(result == -1);
}

static void body(void) {
  if (SCENE == IS_ABSENT) {
    fails("there is no libcuda.so.1; install NVIDIA's driver, or name",
          "there is no libamdhip64.so.7, .6, .5 nor libamdhip64.so;");
  } else if (SCENE == IS_OLD) {
    fails("libcuda.so.1 lacks a function", "libamdhip64.so lacks a function");
  } else {
    works();
  }
}

int main(void) {
  if (SCENE == IS_ABSENT && (dlopen("libcuda.so.1", RTLD_LAZY) != NULL || dlopen("libamdhip64.so", RTLD_LAZY) != NULL)) {
    printf("skipped: this machine has a driver\n");
    return 0;
  }
  if (SCENE == IS_LOADED || SCENE == IS_OLD) {
    CHECK(dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL) != NULL);
    CHECK(dlopen(HIP_LIBRARY, RTLD_NOW | RTLD_LOCAL) != NULL);
  }
  phase = "without a runtime";
  body();
  with_workers("one worker", 1, body);
  return 0;
}
