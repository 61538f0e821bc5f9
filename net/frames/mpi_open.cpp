// See mpi.hpp: how a group begins and ends.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/frames/kept_node.hpp"
#include "net/frames/mpi.hpp"
#include "net/mpi/load.hpp"

namespace weft::net {
namespace {

constexpr std::uint64_t default_idle_sleep_ns = 1000000;
constexpr char module_variable[] = "WEFT_LAUNCH_MPI", ranks_variable[] = "WEFT_LAUNCH_RANKS";
constexpr char library_variable[] = "WEFT_LAUNCH_MPI_LIBRARY";

// What is equal in all nodes.
struct greeting {
  std::uint64_t program;
  std::uint32_t version, bytes_of_head;
};

mpi_group* refuse(const char* by, const char* why) {
  fprintf(stderr, "weft: transport %s: %s\n", by, why);
  return nullptr;
}

const weft_net_module* find_module(const char* by, const char** file) {
  *file = getenv(module_variable);
  if (*file == nullptr || **file == 0) *file = find_launcher().module;
  if (*file == nullptr) {
    refuse(by, "no MPI has started this program; start it by weft launch --mpi MPIRUN -n N");
    return nullptr;
  }
  const char* why = nullptr;
  const weft_net_module* const found = load_module(*file, getenv(library_variable), &why);
  if (found != nullptr) return found;
  char text[1024];
  snprintf(text, sizeof text, "%s=%s: %s", module_variable, *file, why);
  refuse(by, text);
  return nullptr;
}

bool start(const char* by, const weft_net_module& module, const char* file, weft_net_threads threads, weft_net_facts* facts) {
  char text[2048];
  const char* const asked = getenv(ranks_variable);
  const pairing both = {.module = &module, .file = file, .asked = asked != nullptr ? atoi(asked) : 0};
  describe_end_at_start(both, text, sizeof text);
  tell_node_keeper(text);
  const int code = module.start(threads, facts);
  tell_node_keeper("");
  if (code != 0) {
    module.error_text(code, text, sizeof text);
    return refuse(by, text) != nullptr;
  }
  if (expected_ranks(both, facts->ranks) != facts->ranks) {
    describe_misfit(both, facts->ranks, text, sizeof text);
    return facts->rank == 0 && both.by.is_first && refuse(by, text) != nullptr;
  }
  if (facts->threads != static_cast<int>(threads)) {
    const bool is_several = threads == WEFT_NET_MULTIPLE;
    snprintf(text, sizeof text, "%s does not let %s; take %s", facts->library,
             is_several ? "several threads call it (MPI_THREAD_MULTIPLE)" : "threads take turns (MPI_THREAD_SERIALIZED)",
             is_several ? "mpi-funneled" : "a server (--server)");
    if (facts->rank == 0) refuse(by, text);
    return false;
  }
  return true;
}

// Collective: the first node that differs from node 1 says so.
bool are_equal(const mpi_group& group, const frame_options& options) {
  const greeting mine = {options.program, frame_version, sizeof(frame_head)};
  auto* const all = static_cast<greeting*>(calloc(static_cast<std::size_t>(group.ranks), sizeof mine));
  bool is_equal = all != nullptr && group.module->gather(&mine, sizeof mine, all) == 0;
  for (int rank = 0; is_equal && rank < group.ranks; ++rank) {
    if (memcmp(&all[rank], &all[0], sizeof mine) == 0) continue;
    is_equal = false;
    char text[128];
    snprintf(text, sizeof text, "node %d runs another program than node 1; start the same file everywhere", rank + 1);
    if (group.rank == rank) refuse(group.by->name, text);
  }
  free(all);
  return is_equal;
}

void prepare(mpi_group* made, const frames& by, const frame_options& options, const weft_net_facts& facts) {
  made->by = &by;
  made->self = node_of(facts.rank);
  made->first = node_of(0);
  made->nodes = static_cast<std::uint32_t>(facts.ranks);
  made->rank = facts.rank;
  made->ranks = facts.ranks;
  made->idle_sleep_ns = options.idle_sleep_ns != 0 ? options.idle_sleep_ns : default_idle_sleep_ns;
  pthread_mutex_init(&made->lock, nullptr);
  pthread_condattr_t on_monotonic;
  pthread_condattr_init(&on_monotonic);
  pthread_condattr_setclock(&on_monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&made->changed, &on_monotonic);
  pthread_condattr_destroy(&on_monotonic);
}

}  // namespace

mpi_group* open_mpi(const frames& by, const frame_options& options, weft_net_threads threads, std::size_t bytes) {
  const char* file = nullptr;
  const weft_net_module* const module = find_module(by.name, &file);
  weft_net_facts facts = {};
  if (module == nullptr || !start(by.name, *module, file, threads, &facts)) return nullptr;
  auto* const made = static_cast<mpi_group*>(calloc(1, bytes));
  auto* const peers = static_cast<mpi_peer*>(calloc(static_cast<std::size_t>(facts.ranks), sizeof(mpi_peer)));
  if (made == nullptr || peers == nullptr) {
    free(made);
    free(peers);
    return refuse(by.name, "no memory");
  }
  made->module = module;
  made->peers = peers;
  prepare(made, by, options, facts);
  if (!are_equal(*made, options)) {
    module->end(1);
    free(peers);
    free(made);
    return nullptr;
  }
  for (int rank = 0; rank < made->ranks; ++rank) {
    incoming what;
    what.what = happening::joined;
    what.from = node_of(rank);
    if (rank != made->rank) tell(made, what);
  }
  return made;
}

namespace {

void end_at_exit(int status, void* module) { static_cast<const weft_net_module*>(module)->end(status); }

}  // namespace

void close_mpi(mpi_group* group) {
  if (group->is_over || group->module->barrier() != 0) group->module->abort(1);
  (void)on_exit(end_at_exit, const_cast<weft_net_module*>(group->module));
  incoming unread;
  while (take_arrival(group, &unread)) free(unread.bytes);
  for (int rank = 0; rank < group->ranks; ++rank) {
    if (group->peers[rank].partial == nullptr) continue;
    free(group->peers[rank].partial->what.bytes);
    free(group->peers[rank].partial);
  }
  while (departure* const of = group->departures.pop_front()) finish_departure(group, of);
  pthread_cond_destroy(&group->changed);
  pthread_mutex_destroy(&group->lock);
  free(group->peers);
  free(group);
}

}  // namespace weft::net
