/* The causes of the errors of syncvar.h. Included by last_errors.c, whose FAILS and out it uses. */
#ifndef WEFT_TESTS_LAST_ERRORS_VARIABLES_H
#define WEFT_TESTS_LAST_ERRORS_VARIABLES_H

static weft_syncvar full_var = WEFT_SYNCVAR_INIT(1), empty_var = WEFT_SYNCVAR_EMPTY_INIT;

static void variables(void) {
  static const char too_great[] = "value is greater than WEFT_SYNCVAR_MAX", is_empty[] = "the variable is empty";
  FAILS(WEFT_INVALID, too_great, weft_syncvar_write_ef(&empty_var, UINT64_MAX));
  FAILS(WEFT_INVALID, too_great, weft_syncvar_write_ff(&full_var, UINT64_MAX));
  FAILS(WEFT_INVALID, too_great, weft_syncvar_write_f(&full_var, UINT64_MAX));
  FAILS(WEFT_INVALID, too_great, weft_syncvar_write_ef_until(&empty_var, UINT64_MAX, 0));
  FAILS(WEFT_INVALID, too_great, weft_syncvar_write_ff_until(&full_var, UINT64_MAX, 0));
  FAILS(WEFT_INVALID, too_great, weft_syncvar_try_write_ef(&empty_var, UINT64_MAX));
  FAILS(WEFT_INVALID, too_great, weft_syncvar_try_write_ff(&full_var, UINT64_MAX));
  FAILS(WEFT_INVALID, too_great, weft_syncvar_purge_to(&full_var, UINT64_MAX));
  FAILS(WEFT_TIMEOUT, "", weft_syncvar_read_fe_until(&empty_var, 0, &out.word));
  FAILS(WEFT_TIMEOUT, "", weft_syncvar_read_ff_until(&empty_var, 0, &out.word));
  FAILS(WEFT_TIMEOUT, "", weft_syncvar_write_ef_until(&full_var, 1, 0));
  FAILS(WEFT_TIMEOUT, "", weft_syncvar_write_ff_until(&empty_var, 1, 0));
  FAILS(WEFT_BUSY, is_empty, weft_syncvar_try_read_fe(&empty_var, &out.word));
  FAILS(WEFT_BUSY, is_empty, weft_syncvar_try_read_ff(&empty_var, &out.word));
  FAILS(WEFT_BUSY, is_empty, weft_syncvar_try_write_ff(&empty_var, 1));
  FAILS(WEFT_BUSY, "the variable is full", weft_syncvar_try_write_ef(&full_var, 1));
}

/* In a tasklet. */
static void variables_that_wait(void) {
  FAILS(WEFT_CANNOT_BLOCK, "", weft_syncvar_read_fe(&empty_var, &out.word));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_syncvar_read_ff(&empty_var, &out.word));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_syncvar_write_ef(&full_var, 1));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_syncvar_write_ff(&empty_var, 1));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_syncvar_read_fe_until(&empty_var, WEFT_FOREVER, &out.word));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_syncvar_read_ff_until(&empty_var, WEFT_FOREVER, &out.word));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_syncvar_write_ef_until(&full_var, 1, WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_syncvar_write_ff_until(&empty_var, 1, WEFT_FOREVER));
}

#endif
