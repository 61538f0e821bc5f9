/* ext_cpu.h: the CPUs of a machine, and where workers are placed on it. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <weft/ext.h>

#include "check.h"

enum { MOST = 1024 };

static weft_ext_cpu cpus[MOST];

static unsigned list(void) {
  unsigned count = 0;
  OK(weft_ext_cpus(cpus, MOST, &count));
  CHECK(count >= 1 && count <= MOST);
  return count;
}

static cpu_set_t mask_now(void) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0);
  return mask;
}

/* Those of the mask, ascending; two CPUs of a core share everything else. */
static void of_this_machine(void) {
  if (getenv("WEFT_TOPOLOGY") != NULL) return;
  const cpu_set_t mask = mask_now();
  const unsigned count = list();
  CHECK(count <= (unsigned)CPU_COUNT(&mask));
  for (unsigned i = 0; i < count; ++i) {
    CHECK(CPU_ISSET(cpus[i].number, &mask) && (i == 0 || cpus[i - 1].number < cpus[i].number));
    for (unsigned j = 0; j < i; ++j) {
      if (cpus[i].core != cpus[j].core) continue;
      CHECK(cpus[i].package == cpus[j].package && cpus[i].numa == cpus[j].numa && cpus[i].cache == cpus[j].cache);
    }
  }
}

/* Two packages of two nodes, whose four CPUs are two cores; each package has one cache. */
static void of_a_text(void) {
  CHECK(setenv("WEFT_TOPOLOGY", "package:2 l3:1 numa:2 core:2 pu:2", 1) == 0);
  CHECK(list() == 16);
  for (unsigned i = 0; i < 16; ++i) {
    CHECK(cpus[i].number == i && cpus[i].core == i / 2 && cpus[i].numa == i / 4);
    CHECK(cpus[i].cache == i / 8 && cpus[i].package == i / 8);
    CHECK(cpus[i].around[0] == i / 2 && cpus[i].around[1] == i / 4 && cpus[i].around[2] == i / 8 && cpus[i].around[3] == i / 8);
  }
  unsigned count = 0;
  memset(cpus, 0, sizeof cpus);
  OK(weft_ext_cpus(cpus, 3, &count));
  CHECK(count == 16 && cpus[2].number == 2 && cpus[3].number == 0);
  OK(weft_ext_cpus(NULL, 0, &count));
  CHECK(count == 16);
}

static unsigned cpu_of_worker(unsigned worker) {
  weft_ext_cpu found;
  OK(weft_ext_worker_cpu(worker, &found));
  CHECK(found.core == found.number / 2 && found.numa == found.number / 4);
  return found.number;
}

static void start_workers(unsigned workers, bool bind) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.bind = bind;
  OK(weft_init(&config));
}

static void places_of_workers(void) {
  static const unsigned wanted[3] = {15, 4, 8};
  start_workers(3, false);
  for (unsigned i = 0; i < 3; ++i) CHECK(cpu_of_worker(i) == i);
  CHECK(list() == 16);
  IS(WEFT_BUSY, weft_ext_place_workers(wanted, 3));
  OK(weft_finalize());
  OK(weft_ext_place_workers(wanted, 3));
  for (int life = 0; life < 2; ++life) {
    start_workers(4, false);
    for (unsigned i = 0; i < 4; ++i) CHECK(cpu_of_worker(i) == wanted[i % 3]);
    OK(weft_finalize());
  }
  const unsigned bad[2] = {3, 16};
  IS(WEFT_INVALID, weft_ext_place_workers(bad, 2)); /* and nothing has changed */
  start_workers(1, false);
  CHECK(cpu_of_worker(0) == 15);
  OK(weft_finalize());
  OK(weft_ext_place_workers(NULL, 0));
  start_workers(1, false);
  CHECK(cpu_of_worker(0) == 0);
  OK(weft_finalize());
}

static void note_mask(void *argument) { *(cpu_set_t *)argument = mask_now(); }

/* All workers on the last CPU of the mask. */
static void bound_workers(void) {
  CHECK(unsetenv("WEFT_TOPOLOGY") == 0);
  const cpu_set_t before = mask_now();
  const unsigned last = cpus[list() - 1].number;
  OK(weft_ext_place_workers(&last, 1));
  start_workers(2, true);
  for (int worker = 0; worker < 2; ++worker) {
    cpu_set_t seen;
    OK(weft_thread_join(start_pinned(note_mask, &seen, worker)));
    CHECK(CPU_COUNT(&seen) == 1 && CPU_ISSET(last, &seen));
  }
  OK(weft_finalize());
  const cpu_set_t after = mask_now();
  CHECK(CPU_EQUAL(&before, &after));
  OK(weft_ext_place_workers(NULL, 0));
}

int main(void) {
  if (getenv("WEFT_SCHEDULE") != NULL || getenv("WEFT_BIND") != NULL) return 0; /* which place workers themselves */
  RUN(of_this_machine);
  RUN(of_a_text);
  RUN(places_of_workers);
  RUN(bound_workers);
  return 0;
}
