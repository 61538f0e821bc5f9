/* Versions, features, errors, attributes and CPUs; and what callers outside of tasks are told. */
#include <pthread.h>

#include "check.h"

static void nothing(void *argument) { (void)argument; }

static void versions_and_features(void) {
  int major = -1, minor = -1;
  OK(alpi_version_get(&major, &minor));
  CHECK(major == 1 && minor == 2);
  OK(alpi_version_check(1, 0));
  OK(alpi_version_check(1, 2));
  FAILS(ALPI_ERR_VERSION, alpi_version_check(1, 3), "1.2");
  FAILS(ALPI_ERR_VERSION, alpi_version_check(2, 0), "1.2");
  FAILS(ALPI_ERR_VERSION, alpi_version_check(0, 0), "1.2");
  FAILS(ALPI_ERR_PARAMETER, alpi_version_get(NULL, &minor), "argument major");
  FAILS(ALPI_ERR_PARAMETER, alpi_version_get(&major, NULL), "argument minor");

  OK(alpi_feature_check(0));
  OK(alpi_feature_check(ALPI_FEATURE_BLOCKING | ALPI_FEATURE_EVENTS | ALPI_FEATURE_RESOURCES | ALPI_FEATURE_SUSPEND));
  FAILS(ALPI_ERR_FEATURE_UNKNOWN, alpi_feature_check(ALPI_FEATURE_EVENTS | 1 << 4), "feature_bitmask");
}

static void texts(void) {
  for (int error = 0; error < ALPI_ERR_MAX; ++error) {
    CHECK(strlen(alpi_error_string(error)) > 3);
    for (int other = 0; other < error; ++other) CHECK(strcmp(alpi_error_string(error), alpi_error_string(other)) != 0);
  }
  CHECK(strcmp(alpi_error_string(ALPI_ERR_MAX), alpi_error_string(-1)) == 0);
  CHECK(strstr(alpi_error_string(-1), "not an error code") != NULL);

  char text[80];
  int length = 0;
  OK(alpi_info_get(ALPI_INFO_RUNTIME_NAME, text, sizeof text, &length));
  CHECK(strcmp(text, "Weft") == 0 && length == 4);
  OK(alpi_info_get(ALPI_INFO_RUNTIME_VENDOR, text, sizeof text, NULL));
  CHECK(strlen(text) > 4);
  OK(alpi_info_get(ALPI_INFO_VERSION, text, sizeof text, &length));
  CHECK(strstr(text, "ALPI 1.2") != NULL && strstr(text, WEFT_VERSION) != NULL && (size_t)length == strlen(text));
  OK(alpi_info_get(ALPI_INFO_RUNTIME_NAME, text, 3, &length));
  CHECK(strcmp(text, "We") == 0 && length == 4);
  FAILS(ALPI_ERR_PARAMETER, alpi_info_get(ALPI_INFO_VERSION, NULL, 3, NULL), "argument buffer");
  FAILS(ALPI_ERR_PARAMETER, alpi_info_get(ALPI_INFO_VERSION, text, 0, NULL), "max_length");
  FAILS(ALPI_ERR_PARAMETER, alpi_info_get((alpi_info_t)3, text, sizeof text, NULL), "query");
}

static void attributes(void) {
  struct alpi_attr *made = NULL;
  OK(alpi_attr_create(&made));
  CHECK(made != NULL);
  OK(alpi_attr_init(made));
  OK(alpi_attr_destroy(made));
  uint64_t bytes = 0;
  OK(alpi_attr_size(&bytes));
  void *const own = malloc(bytes);
  OK(alpi_attr_init(own));
  free(own);
  FAILS(ALPI_ERR_PARAMETER, alpi_attr_create(NULL), "argument attr");
  FAILS(ALPI_ERR_PARAMETER, alpi_attr_destroy(NULL), "argument attr");
  FAILS(ALPI_ERR_PARAMETER, alpi_attr_init(NULL), "argument attr");
  FAILS(ALPI_ERR_PARAMETER, alpi_attr_size(NULL), "argument attr_size");
}

static void *outside(void *task_of_main) {
  struct alpi_task *task = task_of_main;
  uint64_t number = 0;
  OK(alpi_task_self(&task));
  CHECK(task == NULL);
  FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_task_block(task_of_main), "not a task");
  FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_task_waitfor_ns(1, &number), "not a task");
  FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_task_events_increase(task_of_main, 1), "not a task");
  FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_task_events_test(task_of_main, &number), "not a task");
  FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_task_suspend(task_of_main), "not a task");
  FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_task_suspend_mode_set(task_of_main, ALPI_SUSPEND_NONE, 0), "not a task");
  FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_cpu_logical_id(&number), "not a task");
  FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_cpu_system_id(&number), "not a task");
  return NULL;
}

static void outside_in_a_tasklet(void *task_of_main) {
  struct alpi_task *task = task_of_main;
  OK(alpi_task_self(&task));
  CHECK(task == NULL);
  FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_task_block(task_of_main), "not a task");
  FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_task_waitfor_ns(1, NULL), "not a task");
}

static void outside_in_a_region(void *task_of_main) { outside(task_of_main); }

static void cpus(void) {
  uint64_t number = 77;
  OK(alpi_cpu_count(&number));
  CHECK(number == 2);
  OK(alpi_cpu_logical_id(&number));
  CHECK(number == (uint64_t)weft_worker_self());
  OK(alpi_cpu_system_id(&number));
  CHECK(number < 1 << 20);
  FAILS(ALPI_ERR_PARAMETER, alpi_cpu_count(NULL), "argument count");
  FAILS(ALPI_ERR_PARAMETER, alpi_cpu_logical_id(NULL), "argument logical_id");
  FAILS(ALPI_ERR_PARAMETER, alpi_cpu_system_id(NULL), "argument system_id");
}

int main(void) {
  versions_and_features();
  texts();
  attributes();
  outside(NULL);
  uint64_t count = 0;
  FAILS(ALPI_ERR_NOT_INITIALIZED, alpi_cpu_count(&count), "weft_init");
  FAILS(ALPI_ERR_NOT_INITIALIZED, alpi_task_spawn(nothing, NULL, nothing, NULL, NULL, NULL), "weft_init");

  start(2);
  cpus();
  struct alpi_task *const mine = self();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, outside, mine) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  weft_thread *tasklet = NULL;
  CHECK(weft_tasklet_create(outside_in_a_tasklet, mine, NULL, &tasklet) == WEFT_OK);
  CHECK(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(weft_blocking(outside_in_a_region, mine) == WEFT_OK);
  FAILS(ALPI_ERR_PARAMETER, alpi_task_self(NULL), "argument task");
  CHECK(weft_finalize() == WEFT_OK);
  return 0;
}
