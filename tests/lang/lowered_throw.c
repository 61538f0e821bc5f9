/* worker void dig(int depth, int bottom) {
 *   if (depth == bottom) { while (!condition()) check_request; throw 5; }
 *   wind { open++; }
 *        { do_two dig(depth + 1, bottom); share () for (;;) check_request; }
 *        { open--; }
 * }
 * worker int try_to_dig(int bottom) { catch (tag) { dig(0, bottom); return 0; } return 1; } */
#include "lowered.h"

struct dig_two {
  weft_tascell_choice choice;
};

static void endless_run(weft_tascell_task *task, weft_tascell_worker *worker, weft_tascell_record *up) {
  (void)task;
  for (;;) weft_tascell_poll(worker, up);
}
static const weft_tascell_kind endless_kind = {"endless",
                                               sizeof(weft_tascell_task),
                                               _Alignof(weft_tascell_task),
                                               {"dig.tc", "dig", 3},
                                               endless_run,
                                               NULL,
                                               NULL,
                                               NULL,
                                               NULL,
                                               NULL,
                                               0};

static weft_tascell_task *dig_divide(weft_tascell_record *record, weft_tascell_worker *worker) {
  struct dig_two *two = (struct dig_two *)record;
  return two->choice.given != NULL ? NULL : weft_tascell_task_make(worker, &endless_kind);
}
static const weft_tascell_operations dig_two_operations = {
    WEFT_TASCELL_CHOICE, {"dig.tc", "dig", 3}, NULL, NULL, dig_divide, NULL, NULL, NULL, NULL};

struct dig_wind {
  weft_tascell_wind wind;
  int *open;
};
static void dig_undo(weft_tascell_record *record, weft_tascell_worker *worker) {
  (void)worker;
  --*((struct dig_wind *)record)->open;
}
static void dig_redo(weft_tascell_record *record, weft_tascell_worker *worker) {
  (void)worker;
  ++*((struct dig_wind *)record)->open;
}
static const weft_tascell_operations dig_wind_operations = {
    WEFT_TASCELL_WIND, {"dig.tc", "dig", 3}, dig_undo, dig_redo, NULL, NULL, NULL, NULL, NULL};

static void dig(weft_tascell_worker *worker, weft_tascell_record *up, int depth, int bottom, int *open, dig_condition condition,
                void *argument) {
  if (depth == bottom) {
    while (!condition(argument)) weft_tascell_poll(worker, up);
    if (bottom != 0) weft_tascell_throw(worker, up, 5);
    return;
  }
  ++*open;
  struct dig_wind wind;
  weft_tascell_wind_begin(&wind.wind, up, &dig_wind_operations);
  wind.open = open;
  struct dig_two two;
  weft_tascell_choice_begin(&two.choice, &wind.wind.record, &dig_two_operations);
  weft_tascell_poll(worker, &two.choice.record);
  dig(worker, &two.choice.record, depth + 1, bottom, open, condition, argument);
  while (two.choice.given != NULL) weft_tascell_task_free(weft_tascell_join(worker, &two.choice));
  --*open;
}

int try_to_dig(weft_tascell_worker *worker, weft_tascell_record *up, int bottom, int64_t tag, int *open, dig_condition condition,
               void *argument) {
  weft_tascell_catch record;
  weft_tascell_catch_begin(&record, up, tag);
  if (setjmp(record.buffer) == 0) {
    dig(worker, &record.record, 0, bottom, open, condition, argument);
    return 0;
  }
  return 1;
}
