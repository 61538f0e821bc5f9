#include "affinity.hpp"

#include <abt.h>
#include <sched.h>

#include <cstdlib>

#include "affinity_list.hpp"
#include "environment.hpp"
#include "stream.hpp"
#include "waiting.hpp"

namespace weft::abt {

namespace {

bool binds_by_rank = false;
const char* list = nullptr;  // null: one CPU a stream
cpu_set_t inherited;
int inherited_count;

// As a program counts: any number means some CPU.
int wrap(long number, int count) {
  const long rest = number % count;
  return static_cast<int>(rest < 0 ? rest + count : rest);
}

// The index-th CPU of those that ABT_init was called with.
int inherited_cpu(long index) {
  int left = wrap(index, inherited_count);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &inherited) || left-- != 0) ++cpu;
  return cpu;
}

void add_inherited(void* to, long index) { CPU_SET(inherited_cpu(index), static_cast<cpu_set_t*>(to)); }

// Set before anything else that a stream does.
int os_thread_of(stream* one) {
  static_cast<void>(wait_anywhere([one] { return weft_event_wait(&one->started); }));
  return one->os_thread;
}

}  // namespace

void start_affinity(const settings& wanted) {
  binds_by_rank = false;
  if (sched_getaffinity(0, sizeof inherited, &inherited) != 0) CPU_ZERO(&inherited);
  inherited_count = CPU_COUNT(&inherited);
  if (!wanted.has_affinity || inherited_count == 0) return;
  binds_by_rank = true;
  list = wanted.affinity != nullptr && count_cpu_lists(wanted.affinity) != 0 ? wanted.affinity : nullptr;
  if (list == nullptr && wanted.affinity != nullptr) {
    report("ABT_SET_AFFINITY=%s: use yes, no, or CPUs as {0},{1}; each stream has a CPU of its own now", wanted.affinity);
  }
}

void end_affinity() {
  if (binds_by_rank) static_cast<void>(sched_setaffinity(0, sizeof inherited, &inherited));
}

namespace {

void bind_os_thread(int os_thread, const stream* one) {
  if (!binds_by_rank) return;
  const int rank = one->rank.load(std::memory_order_relaxed);
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (list == nullptr) {
    add_inherited(&cpus, rank);
  } else {
    walk_cpu_list(list, static_cast<unsigned>(rank), add_inherited, &cpus);
  }
  static_cast<void>(sched_setaffinity(os_thread, sizeof cpus, &cpus));
}

}  // namespace

void bind_by_rank(const stream* self) { bind_os_thread(0, self); }
void rebind_by_rank(stream* one) {
  if (binds_by_rank) bind_os_thread(os_thread_of(one), one);
}

int bind_to(stream* one, int count, const int* cpus) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (int index = 0; index < count; ++index) CPU_SET(wrap(cpus[index], CPU_SETSIZE), &wanted);
  const cpu_set_t* const chosen = count != 0 ? &wanted : &inherited;
  return sched_setaffinity(os_thread_of(one), sizeof *chosen, chosen) == 0 ? ABT_SUCCESS : ABT_ERR_SYS;
}

int read_cpus(stream* one, int most, int* cpus, int* count) {
  cpu_set_t now;
  if (sched_getaffinity(os_thread_of(one), sizeof now, &now) != 0) return ABT_ERR_SYS;
  int found = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &now)) continue;
    if (found < most) cpus[found] = cpu;
    ++found;
  }
  if (count != nullptr) *count = found;
  return ABT_SUCCESS;
}

}  // namespace weft::abt
