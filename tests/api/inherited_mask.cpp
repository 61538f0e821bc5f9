// How many workers there are by default and where they may be bound follows from the affinity mask
// that the process inherited.
#include <doctest/doctest.h>

#include <sched.h>

#include <cstdlib>

#include <weft/weft.h>

#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace {

cpu_set_t mask_now() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  NEED(sched_getaffinity(0, sizeof mask, &mask) == 0);
  return mask;
}

// The last CPU of the mask: not the one that a wrong count from 0 would find.
int keep_to_one_cpu() {
  const cpu_set_t before = mask_now();
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &before)) --last;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  NEED(sched_setaffinity(0, sizeof one, &one) == 0);
  return last;
}

void look_at_mask(void* mask) { *static_cast<cpu_set_t*>(mask) = mask_now(); }

cpu_set_t mask_of_worker(int worker) {
  cpu_set_t mask;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = worker;
  weft_thread* made = nullptr;
  NEED(weft_thread_create(look_at_mask, &mask, &attr, &made) == WEFT_OK);
  NEED(weft_thread_join(made) == WEFT_OK);
  return mask;
}

}  // namespace

TEST_CASE("one CPU in the mask: one worker") {
  const child_end end = run_in_child([] {
    unsetenv("WEFT_WORKERS");
    keep_to_one_cpu();
    NEED(weft_init(nullptr) == WEFT_OK);
    NEED(weft_worker_count() == 1);
    NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("no more workers than CPUs in the mask") {
  const child_end end = run_in_child([] {
    unsetenv("WEFT_WORKERS");
    const cpu_set_t inherited = mask_now();
    NEED(weft_init(nullptr) == WEFT_OK);
    NEED(weft_worker_count() >= 1);
    NEED(weft_worker_count() <= static_cast<unsigned>(CPU_COUNT(&inherited)));
    NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
  CHECK(end.exit_code == 0);
}

TEST_CASE("WEFT_BIND binds each worker to one CPU of the mask") {
  for (const bool is_narrow : {false, true}) {
    const child_end end = run_in_child([is_narrow] {
      setenv("WEFT_BIND", "1", 1);
      setenv("WEFT_WORKERS", "3", 1);
      if (is_narrow) keep_to_one_cpu();
      const cpu_set_t inherited = mask_now();
      NEED(weft_init(nullptr) == WEFT_OK);
      for (int worker = 0; worker < 3; ++worker) {
        const cpu_set_t bound = mask_of_worker(worker);
        NEED(CPU_COUNT(&bound) == 1);
        cpu_set_t inside;
        CPU_AND(&inside, &bound, &inherited);
        NEED(CPU_EQUAL(&inside, &bound));
      }
      NEED(weft_finalize() == WEFT_OK);
      const cpu_set_t after = mask_now();
      NEED(CPU_EQUAL(&after, &inherited));
      return 0;
    });
    INFO("one CPU: ", is_narrow);
    CHECK(end.exit_code == 0);
    CHECK(end.errors == "");
  }
}
