/* ABT_init and ABT_finalize: what is refused outside of them; several libraries of one program that do not know of each other. */
#include "check.h"

static void is_not_there(void) {
  IS(ABT_ERR_UNINITIALIZED, ABT_initialized());
  IS(ABT_ERR_UNINITIALIZED, ABT_finalize());
  void *value;
  int number;
  ABT_bool truth;
  ABT_xstream stream;
  ABT_thread thread;
  ABT_unit_type type;
  IS(ABT_ERR_UNINITIALIZED, ABT_xstream_self(&stream));
  IS(ABT_ERR_UNINITIALIZED, ABT_xstream_self_rank(&number));
  IS(ABT_ERR_UNINITIALIZED, ABT_xstream_get_num(&number));
  IS(ABT_ERR_UNINITIALIZED, ABT_xstream_exit());
  IS(ABT_ERR_UNINITIALIZED, ABT_thread_self(&thread));
  IS(ABT_ERR_UNINITIALIZED, ABT_thread_exit());
  IS(ABT_ERR_UNINITIALIZED, ABT_task_self(&thread));
  IS(ABT_ERR_UNINITIALIZED, ABT_self_get_type(&type));
  CHECK(type == ABT_UNIT_TYPE_EXT);
  IS(ABT_ERR_UNINITIALIZED, ABT_self_is_primary(&truth));
  IS(ABT_ERR_UNINITIALIZED, ABT_self_get_last_pool_id(&number));
  IS(ABT_ERR_UNINITIALIZED, ABT_self_get_arg(&value));
  IS(ABT_ERR_UNINITIALIZED, ABT_self_set_arg(NULL));
  ABT_key key = ABT_KEY_NULL;
  OK(ABT_key_create(NULL, &key));
  IS(ABT_ERR_UNINITIALIZED, ABT_key_set(key, &value));
  IS(ABT_ERR_UNINITIALIZED, ABT_key_get(key, &value));
  OK(ABT_key_free(&key));
}

static void works(void) {
  atomic_int count = 0;
  ABT_thread threads[8];
  for (int i = 0; i < 8; ++i) threads[i] = start(my_pool(), add_one, &count);
  for (int i = 0; i < 8; ++i) end(threads[i]);
  CHECK(atomic_load(&count) == 8);
}

/* A library that starts what it needs and ends it again, called from anywhere. */
static void use_library(void *argument) {
  atomic_int *count = argument;
  OK(ABT_init(0, NULL));
  OK(ABT_initialized());
  ABT_xstream stream = start_stream();
  end(start(pool_of(stream), add_one, count));
  end_stream(stream);
  OK(ABT_finalize());
}

static void *use_library_outside(void *argument) {
  use_library(argument);
  return NULL;
}

static void several_libraries(void) {
  atomic_int count = 0;
  OK(ABT_init(0, NULL));
  OK(ABT_init(0, NULL));
  works();
  use_library(&count);
  OK(ABT_finalize());
  OK(ABT_initialized());
  works();
  end(start(my_pool(), use_library, &count));
  pthread_t libraries[3];
  for (int i = 0; i < 3; ++i) CHECK(pthread_create(&libraries[i], NULL, use_library_outside, &count) == 0);
  for (int i = 0; i < 3; ++i) CHECK(pthread_join(libraries[i], NULL) == 0);
  CHECK(atomic_load(&count) == 5);
  OK(ABT_initialized());
  works();
  OK(ABT_finalize());
}

static void finalize_of_another(void *unused) {
  (void)unused;
  IS(ABT_ERR_INV_XSTREAM, ABT_finalize());
}

/* Argobots forgets one of its calls here. */
static void only_the_primary_ends_it(void) {
  OK(ABT_init(0, NULL));
  run_outside(finalize_of_another, NULL);
  ABT_xstream stream = start_stream();
  end_stream(stream);
  OK(ABT_initialized());
  OK(ABT_finalize());
}

void check_life(void) {
  RUN(is_not_there);
  for (int round = 0; round < 3; ++round) {
    RUN(several_libraries);
    RUN(is_not_there);
  }
  if (IS_WEFT) RUN(only_the_primary_ends_it);
  RUN(is_not_there);
}
