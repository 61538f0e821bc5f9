/* Where a test program notices that something is wrong, it says so here first: see
 * tests/fault/planned_fault.cpp. */
#ifndef WEFT_TESTS_PLANNED_FAULT_H
#define WEFT_TESTS_PLANNED_FAULT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does not return once a planned fault has fired; null in a program without planned faults.
 * what: the check that failed. got: what the failing call returned (a status's name or its
 * number) or threw; null where the check was about something else. */
void weft_test_check_failed(const char *what, const char *got) __attribute__((weak));

/* A child that the program forked has ended: by a signal, unless that is 0. What it wrote may
 * say which call failed. */
void weft_test_child_ended(int by_signal, const char *errors) __attribute__((weak));

#ifdef __cplusplus
}
#endif

static inline void tell_planned_fault(const char *what, const char *got) {
  if (weft_test_check_failed != NULL) weft_test_check_failed(what, got);
}

static inline void tell_planned_fault_of_child(int by_signal, const char *errors) {
  if (weft_test_child_ended != NULL) weft_test_child_ended(by_signal, errors);
}

#endif
