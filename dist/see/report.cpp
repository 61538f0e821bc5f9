// See report.hpp.
#include "dist/see/report.hpp"

#include <stdio.h>

#include "base/assert.hpp"
#include "dist/rank/rank.hpp"
#include "dist/see/check.hpp"
#include "net/network.hpp"
#include "net/table.hpp"

namespace weft::dist {
namespace {

const shared_part& part_in(const net::job& job, int rank) {
  return *reinterpret_cast<const shared_part*>(job.shared + static_cast<std::size_t>(rank) * job.shared_bytes);
}

// What the table tells of a rank.
struct told {
  counters count;
  kept_forks kept[most_kept];
};
told gathered[net::most_ranks];
bool is_gathered = false;

const counters& counts_in(const net::job& job, int rank) { return is_gathered ? gathered[rank].count : part_in(job, rank).count; }
const kept_forks (&kept_in(const net::job& job, int rank))[most_kept] {
  return is_gathered ? gathered[rank].kept : part_in(job, rank).kept;
}

const control& control_in(const net::job& job, int rank) {
  return *reinterpret_cast<const control*>(job.aliases + static_cast<std::size_t>(rank) * job.region_bytes);
}

template <std::uint64_t counters::* Which>
std::uint64_t count_of(const net::job& job, int rank) {
  return counts_in(job, rank).*Which;
}

constexpr net::table_column columns[] = {
    {"steals", net::unit_of_value::count, count_of<&counters::steals>},
    {"bytes", net::unit_of_value::bytes, count_of<&counters::stolen_bytes>},
    {"evacuated", net::unit_of_value::count, count_of<&counters::evacuations>},
    {"resumed", net::unit_of_value::count, count_of<&counters::resumed>},
    {"in place", net::unit_of_value::count, count_of<&counters::kept>},
    {"full", net::unit_of_value::count, count_of<&counters::full>},
    {"idle", net::unit_of_value::ns, count_of<&counters::idle_ns>},
};

// The forks of one function that stayed in place on all ranks.
std::uint64_t kept_in_all(const net::job& job, void (*run)(void* work)) {
  std::uint64_t sum = 0;
  for (int rank = 0; rank < job.ranks; ++rank) {
    for (const kept_forks& each : kept_in(job, rank)) sum += each.run == run ? each.count : 0;
  }
  return sum;
}

bool is_named_before(const net::job& job, int rank, void (*run)(void* work)) {
  for (int before = 0; before < rank; ++before) {
    for (const kept_forks& each : kept_in(job, before)) {
      if (each.run == run) return true;
    }
  }
  return false;
}

// Forks that stayed in place, of functions for which a rank had no more room.
void print_unnamed(const net::job& job) {
  std::uint64_t unnamed = 0;
  for (int rank = 0; rank < job.ranks; ++rank) {
    unnamed += counts_in(job, rank).kept;
    for (const kept_forks& each : kept_in(job, rank)) unnamed -= each.count;
  }
  if (unnamed == 0) return;
  base::report("%llu forks of more functions stayed in place for the same reason; a rank names %u functions",
               static_cast<unsigned long long>(unnamed), most_kept);
}

void print_kept(const net::job& job) {
  for (int rank = 0; rank < job.ranks; ++rank) {
    for (const kept_forks& each : kept_in(job, rank)) {
      if (each.run == nullptr || is_named_before(job, rank, each.run)) continue;
      char name[256];
      name_fork(each.run, name, sizeof name);
      const std::uint64_t count = kept_in_all(job, each.run);
      base::report("%llu fork%s of %s stayed in place: the bytes hold an address of the stack",
                   static_cast<unsigned long long>(count), count == 1 ? "" : "s", name);
    }
  }
  print_unnamed(job);
}

void print_full(const net::job& job) {
  unsigned long long full = 0;
  for (int rank = 0; rank < job.ranks; ++rank) full += counts_in(job, rank).full;
  if (full == 0 || all.set.pool < record_pool::most) return;  // a small WEFT_DIST_POOL is meant so
  const char* const plural = full == 1 ? "" : "s";
  if (all.set.policy == way::iso_address)
    base::report(
        "%llu fork%s ran in their joins because all stacks were taken: iso-address has %u a rank; unset WEFT_DIST_POLICY", full,
        plural, own_stacks::most);
  else
    base::report("%llu fork%s ran in their joins because there was no place for more; join sooner, or set WEFT_DIST_STACK higher",
                 full, plural);
}

}  // namespace

void gather_counts(const net::job& job) {
  told mine;
  mine.count = all.part->count;
  __builtin_memcpy(mine.kept, all.part->kept, sizeof mine.kept);
  net::gather(job, &mine, sizeof mine, gathered);
  is_gathered = true;
}

void print_ranks(const net::job& job) {
  net::print_table(job, columns, sizeof columns / sizeof *columns);
  if (all.is_far) {
    char line[200];
    net::describe_network(*job.network, line, sizeof line);
    (void)fprintf(stderr, "%s\n", line);
  }
  print_kept(job);
  print_full(job);
}

void describe_rank(const net::job& job, int rank, char* text, std::size_t bytes) {
  const control& its = control_in(job, rank);
  const std::uint32_t robbed = part_in(job, rank).robbed.load(base::relaxed);
  const long open = its.top - its.base;
  if (robbed != 0) {
    (void)snprintf(text, bytes, "a claim of a continuation of rank %u", robbed - 1);
  } else if (its.is_serving) {
    (void)snprintf(text, bytes, "a thread at depth %u, with %ld suspended forker%s", its.index_of(its.top), open,
                   open == 1 ? "" : "s");
  }
}

}  // namespace weft::dist
