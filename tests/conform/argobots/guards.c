/* ABT_STACK_OVERFLOW_CHECK=mprotect_strict, by which the lowest whole page of a program's own
 * stack cannot be written while a ULT runs on it. Run with and without. */
#include "check.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { stack_bytes = 1 << 17 };
static char stack[stack_bytes] __attribute__((aligned(1 << 16)));
static atomic_int refused_writes;

static bool is_strict(void) {
  const char *const check = getenv("ABT_STACK_OVERFLOW_CHECK");
  return IS_WEFT && check != NULL && strcmp(check, "mprotect_strict") == 0;
}

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static void let_it_be_written(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  const uintptr_t where = (uintptr_t)info->si_addr, low = (uintptr_t)stack;
  if (where < low || where >= low + page_bytes()) abort();
  atomic_fetch_add(&refused_writes, 1);
  if (mprotect(stack, page_bytes(), PROT_READ | PROT_WRITE) != 0) abort();
}

static void write_lowest(void *argument) {
  volatile char *const lowest = stack;
  add_one(argument);
  if (*lowest != 0) abort(); /* reading is allowed */
  *lowest = 1;
  stack[page_bytes()] = 1; /* and so is what lies above */
  *lowest = 0;
}

static void write_and_exit(void *argument) {
  write_lowest(argument);
  ABT_thread_exit();
}

static void yield_in_between(void *argument) {
  OK(ABT_self_yield());
  write_lowest(argument);
}

/* Runs it on that stack. How many writes were refused. */
static int refused_to(void (*function)(void *)) {
  atomic_int ran = 0;
  ABT_thread_attr attr;
  ABT_thread thread;
  atomic_store(&refused_writes, 0);
  OK(ABT_thread_attr_create(&attr));
  OK(ABT_thread_attr_set_stack(attr, stack, stack_bytes));
  for (int round = 1; round <= 2; ++round) {
    if (round == 1) {
      OK(ABT_thread_create(my_pool(), function, &ran, attr, &thread));
    } else {
      OK(ABT_thread_revive(my_pool(), function, &ran, &thread));
    }
    OK(ABT_thread_join(thread));
    CHECK(atomic_load(&ran) == round);
    stack[0] = 0; /* no unit runs there now */
  }
  OK(ABT_thread_attr_free(&attr));
  end(thread);
  return atomic_load(&refused_writes);
}

static void lowest_page(void) {
  struct sigaction mine = {.sa_sigaction = let_it_be_written, .sa_flags = SA_SIGINFO}, before;
  const int wanted = is_strict() ? 2 : 0;
  CHECK(sigaction(SIGSEGV, &mine, &before) == 0);
  CHECK(refused_to(write_lowest) == wanted);
  CHECK(refused_to(write_and_exit) == wanted);
  CHECK(refused_to(yield_in_between) == wanted);
  CHECK(sigaction(SIGSEGV, &before, NULL) == 0);
}

void check_guards(void) { RUN(lowest_page); }
