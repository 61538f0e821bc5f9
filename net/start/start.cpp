// See net/job.hpp: the start of a job whose ranks are forks of this process. It is the only file
// that knows all others of net/.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/align.hpp"
#include "base/assert.hpp"
#include "net/control.hpp"
#include "net/fingerprint.hpp"
#include "net/frames/standard_descriptors.hpp"
#include "net/job.hpp"
#include "net/launcher.hpp"
#include "net/mpi/ranks.hpp"
#include "net/network.hpp"
#include "net/settings.hpp"
#include "os/child.hpp"
#include "os/shared_memory.hpp"
#include "os/vm.hpp"

// A note in each program or library that holds this file: by it `weft launch` knows that the
// program starts ranks (tools/weft/elf_notes.hpp). Name "Weft", type 1, no content.
asm(R"(
  .pushsection .note.weft.launch, "a", %note
  .balign 4
  .long 5, 0, 1
  .asciz "Weft"
  .balign 4
  .popsection
)");

namespace weft::net {
namespace {

bool is_by_mpi = false;  // an MPI's launcher has started this process
constexpr char memory_name[] = "weft-job";

// One memory file: the record, the shared parts, the words, and the regions, in this order.
struct layout {
  std::size_t record_bytes, shared_bytes, words_bytes, region_bytes;  // the latter three of all ranks

  std::size_t common_bytes() const { return record_bytes + shared_bytes + words_bytes; }
  std::size_t bytes() const { return common_bytes() + region_bytes; }
};

struct memory {
  int descriptor = -1;
  bool is_locked = false;
  layout parts = {};
};

status refuse(int rank, const job& all, const char* what) {
  tell_failure(all, "rank %d of %d cannot start: %s: %s", rank, all.ranks, what, strerror(errno));
  return status::unsupported;
}

// False: the product of sizes from a request does not fit into a size.
bool lay_out(const job& all, layout* out) {
  const auto ranks = static_cast<std::size_t>(all.ranks);
  out->record_bytes = base::round_up(sizeof(control), os::page_bytes());
  const bool fits = !__builtin_mul_overflow(all.shared_bytes, ranks, &out->shared_bytes) &&
                    !__builtin_mul_overflow(all.words_bytes, ranks, &out->words_bytes) &&
                    !__builtin_mul_overflow(all.region_bytes, ranks, &out->region_bytes);
  constexpr std::size_t most = std::size_t{1} << 46;  // of the address space, a half
  return fits && out->shared_bytes < most && out->words_bytes < most && out->region_bytes < most;
}

status too_large(const job_request& request, const job& all) {
  base::report(
      "rank 0 of %d cannot start: no memory for %zu KiB of stacks and %zu KiB of queues for each rank (%s); start fewer "
      "ranks%s%s",
      all.ranks, all.region_bytes >> 10, all.shared_bytes >> 10, strerror(errno), request.smaller != nullptr ? ", or " : "",
      request.smaller != nullptr ? request.smaller : "");
  return status::nomem;
}

status no_address(const job_request& request, const job& all) {
  if (request.region_at == 0) return too_large(request, all);
  const char* const why = errno == EEXIST ? "something else lies" : "nothing can be mapped";
  base::report("rank 0 of %d cannot start: %s at the address %p of the stack region; set WEFT_LAUNCH_REGION_AT=0 for any",
               all.ranks, why, reinterpret_cast<void*>(request.region_at));
  return status::invalid;
}

void* at_offset(void* base, std::size_t offset) { return static_cast<std::byte*>(base) + offset; }

// All that the launcher and the ranks have in common.
status make_memory(const job_request& request, job* all, memory* made) {
  errno = ENOMEM;
  if (!lay_out(*all, &made->parts)) return too_large(request, *all);
  const layout& parts = made->parts;
  made->descriptor = os::make_memory_file(memory_name, parts.bytes());
  if (made->descriptor < 0) return too_large(request, *all);
  void* const common = os::map_memory_file(nullptr, parts.common_bytes(), made->descriptor, 0);
  if (common == nullptr) return too_large(request, *all);
  all->common = static_cast<control*>(common);
  all->shared = static_cast<std::byte*>(at_offset(common, parts.record_bytes));
  all->words = static_cast<std::byte*>(at_offset(all->shared, parts.shared_bytes));
  if (parts.region_bytes == 0) return status::ok;
  void* const aliases = os::map_memory_file(nullptr, parts.region_bytes, made->descriptor, parts.common_bytes());
  if (aliases == nullptr) return too_large(request, *all);
  all->aliases = static_cast<std::byte*>(aliases);
  void* const region = os::hold_addresses(reinterpret_cast<void*>(request.region_at), all->region_bytes);
  if (region == nullptr) return no_address(request, *all);
  all->region = static_cast<std::byte*>(region);
  return status::ok;
}

void drop_memory(const job& all, const memory& made) {
  if (all.region != nullptr) os::unmap_addresses(all.region, all.region_bytes);
  if (all.aliases != nullptr) os::unmap_addresses(all.aliases, made.parts.region_bytes);
  if (all.common != nullptr) os::unmap_addresses(all.common, made.parts.common_bytes());
  if (made.descriptor >= 0) os::close_memory_file(made.descriptor);
}

// The rank's own bytes at the region's address.
status map_region(const job& all, const memory& made) {
  const std::size_t offset = made.parts.common_bytes() + static_cast<std::size_t>(all.rank) * all.region_bytes;
  if (all.region != nullptr && os::map_memory_file(all.region, all.region_bytes, made.descriptor, offset) == nullptr)
    return refuse(all.rank, all, "its stack region cannot be mapped");
  return status::ok;
}

// What each rank does for itself, and the comparison of all.
status join_job(const job& all, const memory& made) {
  if (const status mapped = map_region(all, made); mapped != status::ok) return mapped;
  if (made.is_locked) {
    if (const char* const why = lock_memory(all); why != nullptr) {
      tell_failure(all, "rank %d of %d cannot start: %s", all.rank, all.ranks, why);
      return status::nomem;
    }
  }
  return compare_fingerprints(all, take_fingerprint(all));
}

status become_rank(job* all, int rank, const memory& made, int launcher_process) {
  all->rank = rank;
  if (!os::die_with_parent(launcher_process)) return refuse(rank, *all, "it would outlive its launcher");
  // Input that several ranks read would be torn between them.
  if (rank != 0 && !os::close_standard_input()) return refuse(rank, *all, "its standard input cannot be closed");
  return join_job(*all, made);
}

// In the ranks: returns. The launcher stays in here, and ends without the program's exit handlers,
// which are for processes that ran main.
status launch(const job_request& request, job* all, const memory& made) {
  const int launcher_process = getpid();
  launcher parent(request, *all);
  if (!parent.take_signals()) return refuse(0, *all, "signals cannot be waited for");
  if (!parent.adopt_orphans()) return refuse(0, *all, "processes that ranks start would outlive the job");
  const int rank = parent.fork_ranks();
  if (rank < 0) {
    os::close_memory_file(made.descriptor);  // the mappings stay
    _exit(parent.wait_for_ranks());
  }
  parent.give_signals_back();
  const status started = become_rank(all, rank, made, launcher_process);
  if (started != status::ok) {
    _exit(1);
  }
  return started;
}

status open_own_network(const job_request& request, const settings& wanted, job* all) {
  set_nodes(wanted, all);
  const status opened = open_network(shm, request.progress, all);
  if (wanted.is_described) print_network(*all);
  return opened;
}

}  // namespace

bool is_started_by_other() { return getenv(mpi_module_variable) != nullptr; }

void end_start() {
  if (is_by_mpi || is_started_by_other()) end_at_launcher();
  _exit(1);
}

__attribute__((no_stack_protector)) status start(const job_request& request, job* out) {
  is_by_mpi = getenv(mpi_module_variable) != nullptr;
  open_standard_descriptors();
  if (is_by_mpi) fix_addresses();
  settings wanted;
  if (const status read = read_settings(&wanted); read != status::ok) {
    if (is_by_mpi) end_at_launcher();
    return read;
  }
  job_request asked = request;
  if (wanted.has_address) asked.region_at = wanted.region_at;
  if (!wanted.has_table) asked.at_end = nullptr;
  job all;
  memory made;
  made.is_locked = wanted.locks;
  all.ranks = wanted.ranks;
  all.is_alone = !wanted.is_launched;
  all.alike = request.alike;
  const std::size_t all_ranks = request.region_bytes_a_rank * static_cast<std::size_t>(all.ranks);
  all.region_bytes = base::round_up(request.region_bytes + all_ranks, os::page_bytes());
  all.shared_bytes = base::round_up(request.shared_bytes, os::page_bytes());
  all.words_bytes = base::round_up(request.words_bytes, os::page_bytes());
  if (wanted.mpi_module[0] != '\0') {
    const status started = start_mpi(asked, wanted, &all);
    if (started != status::ok) end_at_launcher();
    *out = all;
    return started;
  }
  status started = make_memory(asked, &all, &made);
  if (started == status::ok) started = wanted.is_launched ? launch(asked, &all, made) : join_job(all, made);
  if (started == status::ok) started = open_own_network(asked, wanted, &all);
  if (started == status::ok) {
    os::close_memory_file(made.descriptor);
    *out = all;
  } else {
    drop_memory(all, made);
  }
  return started;
}

}  // namespace weft::net
