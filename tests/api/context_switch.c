/* context.h from C: what create refuses, rooms, memory of the caller's, and what a switch
 * passes. */
#include <weft/context.h>

#include <string.h>

#include "check.h"

static weft_context *count(weft_context *caller, void *passed, void *room) {
  CHECK(passed == &phase);
  for (long number = *(long *)room; number < 5; number++) caller = weft_context_switch(caller, &number).from;
  return caller;
}

static void values_are_passed(void) {
  weft_context_attr attr = WEFT_CONTEXT_ATTR_INIT;
  attr.room_bytes = sizeof(long);
  weft_context_arrival now = {NULL, NULL};
  void *room = NULL;
  OK(weft_context_create(count, &attr, &now.from, &room));
  CHECK((uintptr_t)room % 16 == 0);
  *(long *)room = 2;
  long wanted = 2;
  for (now = weft_context_switch(now.from, &phase); now.from != NULL; now = weft_context_switch(now.from, NULL))
    CHECK(*(long *)now.passed == wanted++);
  CHECK(wanted == 5 && now.passed == NULL);
}

static weft_context *return_at_once(weft_context *caller, void *passed, void *room) {
  (void)passed, (void)room;
  return caller;
}

static void stacks_come_back(void) {
  /* Far more than could live at once. */
  for (int round = 0; round < (IS_SLOW ? 1000 : 100000); round++) {
    weft_context *made = NULL;
    OK(weft_context_create(return_at_once, NULL, &made, NULL));
    if (round % 2 == 0) {
      weft_context_destroy(made);
    } else {
      CHECK(weft_context_switch(made, NULL).from == NULL);
    }
  }
  weft_context_destroy(NULL);
}

static int released;
static void note_release(void *room) {
  CHECK(strcmp(room, "kept") == 0);
  released++;
}

static void memory_of_the_callers(void) {
  enum { bytes = 65536 };
  char *memory = malloc(bytes);
  CHECK(memory != NULL);
  weft_context_attr attr = WEFT_CONTEXT_ATTR_INIT;
  attr.stack = memory;
  attr.stack_bytes = bytes;
  attr.room_bytes = 5;
  attr.release = note_release;
  for (int round = 0; round < 3; round++) {
    weft_context *made = NULL;
    void *room = NULL;
    OK(weft_context_create(return_at_once, &attr, &made, &room));
    CHECK((char *)room >= memory && (char *)room < memory + bytes);
    memcpy(room, "kept", 5);
    CHECK(released == round);
    if (round == 1) {
      weft_context_destroy(made);
    } else {
      CHECK(weft_context_switch(made, NULL).from == NULL);
    }
    CHECK(released == round + 1);
    memset(memory, 0x55, bytes);
  }
  released = 0;
  free(memory);
}

static void wrong_arguments(void) {
  weft_context *const untouched = (weft_context *)&phase;
  weft_context *made = untouched;
  weft_context_attr attr = WEFT_CONTEXT_ATTR_INIT;
  IS(WEFT_INVALID, weft_context_create(NULL, NULL, &made, NULL));
  IS(WEFT_INVALID, weft_context_create(count, NULL, NULL, NULL));
  attr.size = 1;
  IS(WEFT_INVALID, weft_context_create(count, &attr, &made, NULL));
  attr.size = sizeof attr;
  attr.room_bytes = WEFT_CONTEXT_ROOM_MAX + 1;
  IS(WEFT_INVALID, weft_context_create(count, &attr, &made, NULL));
  attr.room_bytes = 0;
  attr.stack_bytes = WEFT_STACK_MIN - 1;
  IS(WEFT_INVALID, weft_context_create(count, &attr, &made, NULL));
  attr.stack_bytes = 0;
  attr.stack = &attr;
  IS(WEFT_INVALID, weft_context_create(count, &attr, &made, NULL));
  CHECK(made == untouched);
}

static weft_context *refuse_in_callback_made;
static weft_status in_callback;
static bool try_in_callback(weft_thread *self, void *what) {
  (void)self, (void)what;
  in_callback = weft_context_create(count, NULL, &refuse_in_callback_made, NULL);
  return false;
}

static void callbacks_are_refused(void) {
  OK(weft_ext_park(try_in_callback, NULL, "a test"));
  CHECK(in_callback == WEFT_CANNOT_BLOCK);
}

static void everything(void *nothing) {
  (void)nothing;
  RUN(values_are_passed);
  RUN(stacks_come_back);
  RUN(memory_of_the_callers);
  RUN(wrong_arguments);
}

int main(void) {
  phase = "before weft_init";
  weft_context *made = NULL;
  IS(WEFT_NOT_INITIALIZED, weft_context_create(count, NULL, &made, NULL));
  for (unsigned workers = 1; workers <= 2; workers++) {
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = workers;
    OK(weft_init(&config));
    weft_thread *thread = NULL;
    phase = "main";
    everything(NULL);
    RUN(callbacks_are_refused);
    phase = "a thread";
    OK(weft_thread_create(everything, NULL, NULL, &thread));
    OK(weft_thread_join(thread));
    phase = "a tasklet";
    OK(weft_tasklet_create(everything, NULL, NULL, &thread));
    OK(weft_thread_join(thread));
    OK(weft_finalize());
  }
  return 0;
}
