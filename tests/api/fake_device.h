/* A driver of CUDA, and a library of HIP, that do nothing (fake_device.c): libcuda.so.1 and
 * libamdhip64.so.6 for tests. A stream or an event is a fake_work of the test's own, and its handle
 * the address. */
#ifndef WEFT_TESTS_FAKE_DEVICE_H
#define WEFT_TESTS_FAKE_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
  FAKE_NOT_READY = 600,
  FAKE_INVALID_CONTEXT = 201,
  FAKE_LAUNCH_FAILED = 719,
  FAKE_NOT_SUPPORTED = 801,
  FAKE_DEVICES = 3,
  FAKE_UNTIL_TOLD = -1
};

struct fake_context;

/* All but context is atomic. */
struct fake_work {
  int left;                     /* queries that still find it not done; FAKE_UNTIL_TOLD: all of them */
  int error;                    /* what a query returns once it is done */
  int queries;                  /* so far */
  struct fake_context *context; /* CUDA: of a stream; null: of a green context */
};

/* A context of CUDA, or a device of HIP. */
struct fake_context {
  struct fake_work default_stream;
};

/* What a driver tells tests. Both fakes have these, by another prefix. */
#define FAKE_CONTROLS(prefix)                                                                  \
  /* The stream that is the calling OS thread's own. */                                        \
  struct fake_work *prefix##_own_stream(void);                                                 \
  /* What is current for the calling OS thread, and in which mode it calls. */                 \
  struct fake_context *prefix##_current(void);                                                 \
  int prefix##_capture_mode(void);                                                             \
  /* Sets it; null: none (CUDA). */                                                            \
  void prefix##_set_current(struct fake_context *context);                                     \
  /* The contexts of a program. */                                                             \
  struct fake_context *prefix##_context(int number);                                           \
  /* Events that were created and not destroyed. */                                            \
  int prefix##_events(void);                                                                   \
  /* What the next creation of an event returns, and the next record of one. */                \
  void prefix##_fail_event(int at_create, int at_record);                                      \
  /* Calls that a driver might refuse: in another context than the stream's, or in the mode */ \
  /* that disturbs a capture. */                                                               \
  int prefix##_wrong_calls(void);

FAKE_CONTROLS(fake_cuda)
FAKE_CONTROLS(fake_hip)

static inline int fake_get(const int *value) { return __atomic_load_n(value, __ATOMIC_SEQ_CST); }
static inline void fake_set(int *value, int to) { __atomic_store_n(value, to, __ATOMIC_SEQ_CST); }
static inline void fake_end(struct fake_work *work) { fake_set(&work->left, 0); }

#ifdef __cplusplus
}
#endif
#endif
