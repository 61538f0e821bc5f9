/* A program for ALPI, installed: 42 steps by a task that is called again. */
#include <stdio.h>

#include <alpi.h>
#include <weft/weft.h>

static int steps;

static void step(void *argument) {
  struct alpi_task *task = NULL;
  (void)argument;
  if (++steps == 42) return;
  if (alpi_task_self(&task) != ALPI_SUCCESS || alpi_task_suspend_mode_set(task, ALPI_SUSPEND_SUBMIT, 0) != ALPI_SUCCESS) return;
  (void)alpi_task_suspend(task);
}

static void end(void *event) { weft_event_set(event); }

int main(void) {
  weft_event has_ended = WEFT_EVENT_INIT;
  if (weft_init(NULL) != WEFT_OK) return 1;
  if (alpi_task_spawn(step, NULL, end, &has_ended, NULL, NULL) != ALPI_SUCCESS) return 1;
  if (weft_event_wait(&has_ended) != WEFT_OK) return 1;
  printf("ALPI %d.%d: %d\n", ALPI_VERSION_MAJOR, ALPI_VERSION_MINOR, steps);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
