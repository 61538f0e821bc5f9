/* The address space that stacks take in each rank, as /proc/self/maps has it: `weft launch -n P
 * uni-space`. Rank 0 prints two sizes: of the region, in which every thread's stack lies at an
 * address that is the same in all ranks, and of all that maps the job's memory, which has the
 * regions of the other ranks of the node, too. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <weft/dist.h>

#include "root.h"

struct space {
  uint64_t region, mapped;
};

struct mapping {
  uint64_t begin, end, offset;
};

enum { most_mappings = 70000 };
static struct mapping mappings[most_mappings];

static int read_mappings(void) {
  FILE *const file = fopen("/proc/self/maps", "r");
  if (file == NULL) return 0;
  char line[512];
  int count = 0;
  while (fgets(line, sizeof line, file) != NULL && count < most_mappings) {
    unsigned long begin, end, offset;
    if (strstr(line, "memfd:weft-job") == NULL || sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) != 3) continue;
    mappings[count++] = (struct mapping){begin, end, offset};
  }
  fclose(file);
  return count;
}

/* Whether the other goes on where one ends, in the file and in memory. */
static bool are_one(const struct mapping *one, const struct mapping *other) {
  return one->end == other->begin && one->offset + (one->end - one->begin) == other->offset;
}

static void measure(void *work) {
  struct space *const space = work;
  const int count = read_mappings();
  const uint64_t here = (uintptr_t)__builtin_frame_address(0);
  for (int i = 0; i < count; ++i) {
    space->mapped += mappings[i].end - mappings[i].begin;
    if (here < mappings[i].begin || here >= mappings[i].end) continue;
    int first = i, last = i;
    while (first > 0 && are_one(&mappings[first - 1], &mappings[first])) --first;
    while (last + 1 < count && are_one(&mappings[last], &mappings[last + 1])) ++last;
    space->region = mappings[last].end - mappings[first].begin;
  }
}

int main(void) {
  struct space space = {0, 0};
  if (!run_root(1, measure, &space, sizeof space)) return 0;
  printf(
      "{\"format\": \"weft-figures-1\", \"correct\": %s, \"figures\": {\"region_bytes\": %llu, \"mapped_bytes\": %llu}, "
      "\"facts\": {}}\n",
      space.region != 0 ? "true" : "false", (unsigned long long)space.region, (unsigned long long)space.mapped);
  return 0;
}
