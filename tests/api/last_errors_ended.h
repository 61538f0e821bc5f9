/* Failures of calls with threads whose runtime has ended. */

static weft_thread *survivor;
static void leave_one(void) {
  survivor = start(nothing, NULL);
  wait_for_state(survivor, WEFT_THREAD_ENDED);
}

static weft_event never = WEFT_EVENT_INIT;
static void wait_for_ever(void *argument) {
  (void)argument;
  OK(weft_event_wait(&never));
}

static void dropped(void) {
  init_with(1);
  weft_thread *const target = start(wait_for_ever, NULL);
  wait_for_state(target, WEFT_THREAD_BLOCKED);
  FAILS(WEFT_INVALID, "mode is no value of weft_finalize_mode", weft_finalize_with((weft_finalize_mode)7));
  OK(weft_finalize_with(WEFT_DROP));
  weft_thread *all[] = {target};
  static const char cause[] = "weft_finalize_with dropped the thread", it[] = "weft_finalize_with dropped it";
  FAILS(WEFT_ENDED, cause, weft_thread_join(target));
  FAILS(WEFT_ENDED, cause, weft_thread_join_until(target, WEFT_FOREVER));
  FAILS(WEFT_ENDED, it, weft_thread_try_join(target));
  FAILS(WEFT_ENDED, cause, weft_thread_join_many(all, 1));
  OK(weft_thread_detach(target));
}

static void outlived(void) {
  with_workers("one that stays", 1, leave_one);
  FAILS(WEFT_INVALID, "the thread's runtime has ended", weft_thread_set_name(survivor, "name"));
  OK(weft_thread_join(survivor));
}
