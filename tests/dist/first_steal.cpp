// The first steal of a rank finds its page tables filled: it has no page fault for the frames, the
// slots and the places of either rank. On two ranks; the first root has no forks, so that the way
// of an idle rank is known to the page tables, too.
#include <cstdio>
#include <cstring>

#include <sys/resource.h>

#include <weft/dist.h>
#include <weft/hot.h>

#include "shared_words.hpp"

namespace {

constexpr long most_faults = 2;  // four or five without
enum { went_on };

shared_words words;
long before = 0;  // of each rank

long faults() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

void do_nothing(void*) {}

void stay(void*) { words.wait_for(went_on, 1); }

void fork_once(void* result) {
  long nothing = 0;
  weft_forked* const forked = weft_fork(stay, &nothing, sizeof nothing);
  const long found = weft_dist_rank() == 0 ? -1 : faults() - before;
  words[went_on].store(1);
  weft_fork_join(forked, stay, &nothing, sizeof nothing);
  std::memcpy(result, &found, sizeof found);
}

}  // namespace

int main() {
  long found = 0;
  for (int i = 0; i < 10; ++i) {
    before = faults();
    if (weft_dist_root(do_nothing, nullptr, 0) != WEFT_OK) return 1;
  }
  before = faults();
  if (weft_dist_root(fork_once, &found, sizeof found) != WEFT_OK) return 1;
  if (found >= 0 && found <= most_faults) return 0;
  std::fprintf(stderr, "the first steal took %ld page faults; at most %ld are right\n", found, most_faults);
  return 1;
}
