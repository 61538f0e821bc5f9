// As it would be written for Qthreads.
#include <qthread/qthread.h>
#include <qthread/sinc.h>
#include <stdio.h>

static aligned_t add_two(void *argument) { return *(int *)argument + 2; }

int main(void) {
  int number = 40;
  aligned_t sum = 0;
  if (qthread_initialize() != QTHREAD_SUCCESS) return 1;
  if (qthread_fork(add_two, &number, &sum) != QTHREAD_SUCCESS) return 2;
  if (qthread_readFF(NULL, &sum) != QTHREAD_SUCCESS) return 3;
  qt_sinc_t nothing_to_come;
  qt_sinc_init(&nothing_to_come, 0, NULL, NULL, 0);
  qt_sinc_wait(&nothing_to_come, NULL);
  qthread_finalize();
  printf("Qthreads %s: %d\n", QTHREAD_VERSION, (int)sum);
  return 0;
}
