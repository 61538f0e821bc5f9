// See network.hpp.
#include "net/network.hpp"

#include <stdio.h>
#include <sys/resource.h>

namespace weft::net {
namespace {

constinit job its;  // what the windows refer to
constinit network opened;
int own_nodes[most_ranks];

const char* yes_or_no(bool is) { return is ? "yes" : "no"; }

void print_operation(const char* name, const operations_found::one& found) {
  printf("  %-22s one-sided: %-3s  median %.2f us\n", name, yes_or_no(found.is_one_sided), found.median_ns / 1000.0);
}

void print_window(const char* kind, const operations_found& found) {
  printf("%s\n", kind);
  print_operation("get", found.get);
  print_operation("put, then flush", found.put);
  print_operation("fetch and add", found.add);
  print_operation("compare and swap", found.swap);
}

const char* progress_of(const network& found) {
  switch (found.chosen()) {
    case progress_by::polling: return "by polling, while a rank computes";
    case progress_by::assistant: return "by an assistant, an OS thread of each rank";
    default: return found.is_one_sided() ? "not needed" : "none, as WEFT_DIST_PROGRESS wants it";
  }
}

void print_locking(const job& all) {
  char text[160];
  if (describe_locking(all, text, sizeof text)) printf("locked memory: %s\n", text);
}

}  // namespace

bool describe_locking(const job& all, char* text, std::size_t bytes) {
  struct rlimit limit = {};
  const std::size_t wanted = all.region_bytes + all.shared_bytes + all.words_bytes;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur >= wanted) return false;
  (void)snprintf(text, bytes,
                 "the limit is %zu KiB, a rank's windows are %zu KiB: a network that registers memory needs ulimit -l",
                 static_cast<std::size_t>(limit.rlim_cur) >> 10, wanted >> 10);
  return true;
}

void set_nodes(const settings& wanted, job* all) {
  if (!wanted.are_apart) return;
  for (int rank = 0; rank < all->ranks; ++rank) own_nodes[rank] = rank;
  all->nodes = own_nodes;
}

network* opened_network() { return &opened; }

status open_network(const rma& by, progress_by progress, job* all) {
  if (all->words_bytes == 0) return status::ok;
  its = *all;
  opened.wanted = progress;
  opened.by = weft_net_wrap_transport != nullptr ? weft_net_wrap_transport(&by) : &by;
  const struct {
    part which;
    std::size_t bytes;
    window* into;
  } parts[] = {{part::words, all->words_bytes, &opened.words},
               {part::region, all->region_bytes, &opened.region},
               {part::shared, all->shared_bytes, &opened.shared}};
  for (const auto& each : parts) {
    if (each.bytes == 0) continue;
    if (const status made = opened.by->region_create(its, each.which, each.into); made != status::ok) return made;
  }
  its.network = all->network = &opened;
  return status::ok;
}

void describe_network(const network& found, char* text, std::size_t bytes) {
  (void)snprintf(text, bytes, "between nodes: %s, one-sided: %s, get %.2f us, compare and swap %.2f us; progress %s",
                 found.by->name, yes_or_no(found.is_one_sided()), found.created.get.median_ns / 1000.0,
                 found.allocated.swap.median_ns / 1000.0, progress_of(found));
}

void print_network(const job& all) {
  if (all.rank != 0 || all.network == nullptr) return;
  const network& found = *all.network;
  int nodes = 0;
  for (int rank = 0; rank < all.ranks; ++rank) nodes += all.nodes != nullptr && all.nodes[rank] == rank;
  printf("ranks: %d, nodes: %d\ntransport: %s%s%s\n", all.ranks, nodes == 0 ? 1 : nodes, found.by->name,
         found.library[0] != '\0' ? ", " : "", found.library);
  if (found.avoided[0] != '\0') printf("avoided: %s\n", found.avoided);
  if (found.is_tested) {
    print_window("window over own memory (stacks)", found.created);
    print_window("window of the transport's memory (words)", found.allocated);
    printf("progress: %s\n", progress_of(found));
    if (!found.is_watched) printf("watched: no: the ranks' machines do not reach each other by TCP, so a lost one is not told\n");
    print_locking(all);
  }
  (void)fflush(stdout);
}

}  // namespace weft::net
