// See ranks.hpp.
#include "net/mpi/ranks.hpp"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "net/control.hpp"
#include "net/fingerprint.hpp"
#include "net/mpi/canary.hpp"
#include "net/mpi/keeper.hpp"
#include "net/mpi/load.hpp"
#include "net/mpi/node_memory.hpp"
#include "net/mpi/turn.hpp"
#include "net/network.hpp"
#include "os/clock.hpp"

namespace weft::net {
namespace {

int nodes[most_ranks];

constexpr std::uint64_t first_tells_within_ns = 10'000'000'000;
bool has_joined = false;  // the launcher knows, or will see, that this process ends

status refuse(const char* module, const char* why) {
  base::report("%s=%s: %s", mpi_module_variable, module, why);
  return status::invalid;
}

status load(const settings& wanted) {
  const char* why = nullptr;
  loaded_mpi = load_module(wanted.mpi_module, wanted.mpi_library, &why);
  return loaded_mpi != nullptr ? status::ok : refuse(wanted.mpi_module, why);
}

// Such a module takes itself for rank 0 in each process. The launcher's own number says which
// process tells: the first, whose end ends the others; or another, if the first has the right
// module.
status tell_misfit(const pairing& both, const weft_net_facts& facts) {
  char text[2048];
  if (!both.by.is_first) os::sleep_until(os::now_ns() + first_tells_within_ns);
  describe_misfit(both, facts.ranks, text, sizeof text);
  base::report("%s", text);
  return status::invalid;
}

status start(const settings& wanted, weft_net_facts* facts) {
  const pairing both = {.module = loaded_mpi, .file = wanted.mpi_module, .asked = wanted.is_launched ? wanted.ranks : 0};
  char text[2048];
  describe_end_at_start(both, text, sizeof text);
  tell_keeper_line(text);
  const int code = loaded_mpi->start(WEFT_NET_SERIALIZED, facts);
  tell_keeper_line("");
  if (code != 0) {
    loaded_mpi->error_text(code, text, sizeof text);
    return refuse(wanted.mpi_module, text);
  }
  if (facts->ranks > most_ranks) return refuse(wanted.mpi_module, "a job has at most 1024 ranks");
  if (expected_ranks(both, facts->ranks) != facts->ranks) return tell_misfit(both, *facts);
  has_joined = true;
  return status::ok;
}

void tell_refused(const job& all, const char* why) {
  base::report("rank %d of %d cannot start: %s", all.rank, all.ranks, why);
  let_launcher_read();
}

// The first rank that may not take part tells why, on all ranks' behalf. Builds come first: another
// build may know other fingerprints.
status compare_all(const job& all, const fingerprint& mine) {
  static fingerprint prints[most_ranks];
  static std::uint64_t builds[most_ranks];
  gather_by_mpi(all, &mine.build, sizeof mine.build, builds);
  bool are_alike = true;
  for (int rank = 0; rank < all.ranks; ++rank) {
    prints[rank] = mine;
    prints[rank].build = builds[rank];
    are_alike = are_alike && builds[rank] == builds[0];
  }
  if (are_alike) gather_by_mpi(all, &mine, sizeof mine, prints);
  for (int rank = 0; rank < all.ranks; ++rank) {
    const char* const why = objection(prints[rank], prints[0]);
    if (why == nullptr) continue;
    if (rank == all.rank) tell_refused(all, why);
    barrier_by_mpi();  // the line before the launcher's own
    return status::unsupported;
  }
  return status::ok;
}

// Collective, as the above.
status lock_all(const job& all) {
  static bool are_locked[most_ranks];
  const char* const why = lock_memory(all);
  const bool is_locked = why == nullptr;
  gather_by_mpi(all, &is_locked, sizeof is_locked, are_locked);
  for (int rank = 0; rank < all.ranks; ++rank) {
    if (are_locked[rank]) continue;
    if (rank == all.rank) tell_refused(all, why);
    barrier_by_mpi();
    return status::nomem;
  }
  return status::ok;
}

std::uint64_t canary_of_rank_0(const job& all) {
  static std::uint64_t canaries[most_ranks];
  const std::uint64_t mine = read_canary();
  gather_by_mpi(all, &mine, sizeof mine, canaries);
  return canaries[0];
}

status find_nodes(const settings& wanted, int node, job* all) {
  if (wanted.are_apart) node = all->rank;
  gather_by_mpi(*all, &node, sizeof node, nodes);
  all->nodes = nodes;
  return map_node_memory(nodes, all);
}

status open_transport(const job_request& request, const settings& wanted, const weft_net_facts& facts, bool is_watched,
                      job* all) {
  if (const status made = open_network(mpi, request.progress, all); made != status::ok) return made;
  if (all->network == nullptr) return status::ok;
  network* const found = opened_network();
  memcpy(found->library, facts.library, sizeof found->library);
  memcpy(found->avoided, facts.avoided, sizeof found->avoided);
  found->is_watched = is_watched;
  found->may_assist = request.may_assist && facts.threads >= WEFT_NET_SERIALIZED;
  test_network(*all, found);
  if (wanted.is_described) print_network(*all);
  return status::ok;
}

}  // namespace

void let_launcher_read() {
  constexpr unsigned us = 100'000;
  usleep(us);
}

void end_at_launcher() {
  // Hydra sees no end of a process that has not begun to speak with it (PMI 1, a line each).
  constexpr char aborts[] = "cmd=abort exitcode=1\n";
  const char* const number = getenv("PMI_FD");
  if (has_joined) return;
  has_joined = true;  // it hears of the end now
  let_launcher_read();
  if (number != nullptr && getenv("PMI_RANK") != nullptr) (void)!write(atoi(number), aborts, sizeof aborts - 1);
}

void end_failed(const job& all, const char* what, int rank, int code) {
  char text[256];
  loaded_mpi->error_text(code, text, sizeof text);
  let_keepers_tell();
  if (rank >= 0) fail(all, "rank %d of %d: %s of rank %d's memory failed: %s", all.rank, all.ranks, what, rank, text);
  fail(all, "rank %d of %d: %s failed: %s", all.rank, all.ranks, what, text);
}

void barrier_by_mpi() {
  const turn its_turn;
  (void)loaded_mpi->barrier();
}

void gather_by_mpi(const job& all, const void* mine, std::size_t bytes, void* into) {
  int code = 0;
  {
    const turn its_turn;
    code = loaded_mpi->gather(mine, bytes, into);
  }
  if (code != 0) end_failed(all, "MPI_Allgather", -1, code);
}

// Compiled without the stack protector, and called from net::start, which is, too: it changes the
// canary.
__attribute__((no_stack_protector)) status start_mpi(const job_request& request, const settings& wanted, job* all) {
  if (const status forked = fork_rank(request, wanted); forked != status::ok) return forked;
  if (const status held = hold_region(request, all); held != status::ok) return held;
  fingerprint print = take_fingerprint(*all);  // before the MPI loads plug-ins, on some ranks others
  if (const status loaded = load(wanted); loaded != status::ok) return loaded;
  weft_net_facts facts = {};
  if (const status started = start(wanted, &facts); started != status::ok) return started;
  if (request.region_bytes_a_rank != 0 && !wanted.is_launched)
    return refuse(wanted.mpi_module, "set WEFT_LAUNCH_RANKS, too: the policy needs to know the number of ranks");
  all->rank = facts.rank;
  all->ranks = facts.ranks;
  all->is_alone = false;
  print.library = fingerprint_of(facts.library);
  if (can_change_canary) print.canary = canary_of_rank_0(*all);
  if (const status compared = compare_all(*all, print); compared != status::ok) return compared;
  change_canary(print.canary);
  if (const status mapped = find_nodes(wanted, facts.node, all); mapped != status::ok) return mapped;
  if (wanted.locks) {
    if (const status locked = lock_all(*all); locked != status::ok) return locked;
  }
  const bool is_watched = brief_keeper(*all, facts.host, wanted.parent[0] != '\0' ? wanted.parent : nullptr);
  if (const status opened = open_transport(request, wanted, facts, is_watched, all); opened != status::ok) return opened;
  end_mpi_at_exit(*all, request);
  return status::ok;
}

}  // namespace weft::net
