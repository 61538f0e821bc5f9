/* What a program with raised privileges took of its environment; privileges_test.py runs it so. */
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>

#include <weft/weft.h>

static bool may_run(weft_status status) { return status == WEFT_OK; }

int main(void) {
  printf("privileges: %s\n", getauxval(AT_SECURE) != 0 ? "raised" : "ordinary");
  for (int run = 0; run < 2; ++run) { /* the second says nothing again */
    struct sigaction action;
    if (!may_run(weft_init(NULL)) || sigaction(SIGUSR1, NULL, &action) != 0) return 1;
    printf("workers: %u, SIGUSR1: %s\n", weft_worker_count(), action.sa_handler == SIG_DFL ? "default" : "handled");
    if (!may_run(weft_finalize())) return 1;
  }
  return 0;
}
