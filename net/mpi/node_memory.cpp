// See node_memory.hpp.
#include "net/mpi/node_memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/align.hpp"
#include "base/assert.hpp"
#include "net/control.hpp"
#include "net/mpi/keeper.hpp"
#include "net/mpi/ranks.hpp"
#include "os/shared_memory.hpp"
#include "os/vm.hpp"

namespace weft::net {
namespace {

// With addresses that are not chosen at random, nothing lies there on any rank.
constexpr std::uintptr_t region_at = 0x500000000000;
constexpr std::uintptr_t shared_at = 0x510000000000;
constexpr std::uintptr_t aliases_at = 0x520000000000;

struct made_file {
  int process, descriptor;
};
made_file files[most_ranks];

// Where the parts of the n-th rank of a node lie in the file: the record, then each rank's parts.
struct layout {
  std::size_t record, rank;

  explicit layout(const job& all)
      : record(base::round_up(sizeof(control), os::page_bytes())), rank(all.shared_bytes + all.region_bytes) {}
  [[nodiscard]] std::size_t shared_of(int nth) const { return record + static_cast<std::size_t>(nth) * rank; }
};

status refuse(const job& all, const char* what) {
  base::report("rank %d of %d cannot start: %s: %s", all.rank, all.ranks, what, strerror(errno));
  return status::nomem;
}

void* hold(std::uintptr_t at, std::size_t bytes) { return os::hold_addresses(reinterpret_cast<void*>(at), bytes); }

int ranks_of(const int* nodes, const job& all, int node) {
  int count = 0;
  for (int rank = 0; rank < all.ranks; ++rank) count += nodes[rank] == node;
  return count;
}

control* map_record(int descriptor) {
  return static_cast<control*>(os::map_memory_file(nullptr, base::round_up(sizeof(control), os::page_bytes()), descriptor, 0));
}

int make_file(const int* nodes, job* all) {
  const int count = ranks_of(nodes, *all, all->rank);
  const int made = os::make_memory_file("weft-job", layout(*all).shared_of(count));
  all->common = made < 0 ? nullptr : map_record(made);
  if (all->common != nullptr) all->common->made_by = static_cast<std::uint64_t>(getpid());
  return made;
}

// -1: it is not there, or is another's.
int open_file(const made_file& of, job* all) {
  char path[64];
  (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", of.process, of.descriptor);
  const int opened = open(path, O_RDWR | O_CLOEXEC);
  if (opened < 0) return -1;
  char name[64] = "";
  (void)!readlink(path, name, sizeof name - 1);
  all->common = strstr(name, "memfd:weft-job") != nullptr ? map_record(opened) : nullptr;
  if (all->common != nullptr && all->common->made_by == static_cast<std::uint64_t>(of.process)) return opened;
  close(opened);
  return -1;
}

// What the ranks of this node share. Addresses are held for these ranks alone, so that they do not
// grow with the number of nodes. Null, or why not.
const char* map_parts(const int* nodes, int descriptor, const job& all, std::size_t* own) {
  const layout parts(all);
  int nth = 0;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(all.ranks); ++rank) {
    if (nodes[rank] != nodes[all.rank]) continue;
    const std::size_t at = parts.shared_of(nth++);
    if (hold(shared_at + rank * all.shared_bytes, all.shared_bytes) == nullptr ||
        hold(aliases_at + rank * all.region_bytes, all.region_bytes) == nullptr)
      return "no addresses for the memory of its node's ranks";
    if (os::map_memory_file(all.shared + rank * all.shared_bytes, all.shared_bytes, descriptor, at) == nullptr ||
        os::map_memory_file(all.aliases + rank * all.region_bytes, all.region_bytes, descriptor, at + all.shared_bytes) ==
            nullptr)
      return "the memory of its node cannot be mapped";
    if (static_cast<int>(rank) == all.rank) *own = at + all.shared_bytes;
  }
  return nullptr;
}

status map_ranks(const int* nodes, int descriptor, job* all) {
  all->shared = reinterpret_cast<std::byte*>(shared_at);
  all->aliases = reinterpret_cast<std::byte*>(aliases_at);
  std::size_t own = 0;
  if (const char* const failed = map_parts(nodes, descriptor, *all, &own); failed != nullptr) return refuse(*all, failed);
  if (os::map_memory_file(all->region, all->region_bytes, descriptor, own) == nullptr)
    return refuse(*all, "its stack region cannot be mapped");
  return status::ok;
}

}  // namespace

status hold_region(const job_request& request, job* all) {
  const std::uintptr_t at = request.region_at != 0 ? request.region_at : region_at;
  all->region = static_cast<std::byte*>(hold(at, all->region_bytes));
  if (all->region != nullptr) return status::ok;
  base::report(
      "a rank cannot start: something lies at the address %p of the stack region (%s); choose another by "
      "WEFT_LAUNCH_REGION_AT, the same for all ranks",
      reinterpret_cast<void*>(at), strerror(errno));
  return status::invalid;
}

status map_node_memory(int* nodes, job* all) {
  made_file mine = {getpid(), -1};
  int descriptor = -1;
  if (nodes[all->rank] == all->rank) mine.descriptor = descriptor = make_file(nodes, all);
  gather_by_mpi(*all, &mine, sizeof mine, files);
  if (nodes[all->rank] != all->rank) descriptor = open_file(files[nodes[all->rank]], all);
  int node = nodes[all->rank];
  if (descriptor < 0 && node != all->rank) {
    node = all->rank;
    nodes[all->rank] = node;
    descriptor = make_file(nodes, all);
  }
  if (descriptor < 0 || all->common == nullptr) {
    const status refused = refuse(*all, "no memory for its node");
    loaded_mpi->abort(1);
    return refused;
  }
  gather_by_mpi(*all, &node, sizeof node, nodes);
  const status mapped = map_ranks(nodes, descriptor, all);
  give_keeper_memory(descriptor);
  barrier_by_mpi();
  os::close_memory_file(descriptor);
  return mapped;
}

bool map_memory_for_report(const int* nodes, int descriptor, job* all) {
  std::size_t own = 0;
  return descriptor >= 0 && map_parts(nodes, descriptor, *all, &own) == nullptr;
}

}  // namespace weft::net
