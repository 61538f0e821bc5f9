// What a job's ranks reach each other's memory by where they do not share it: a transport, a window
// on each part of all ranks' memory, and what was found out about them at the start.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "net/job.hpp"
#include "net/rma.hpp"
#include "net/settings.hpp"

namespace weft::net {

// Of the operations on one kind of window, between two ranks.
struct operations_found {
  struct one {
    bool is_one_sided;        // it ended while its target computed
    std::uint32_t median_ns;  // with a target that makes progress; 0: not tried
  };
  one get, put, add, swap;

  [[nodiscard]] bool are_one_sided() const {
    return get.is_one_sided && put.is_one_sided && add.is_one_sided && swap.is_one_sided;
  }
};

struct network {
  const rma* by = nullptr;
  window region, shared, words;
  bool is_tested = false;                         // more ranks than one, and a transport that may differ
  operations_found created = {}, allocated = {};  // region, words
  bool may_assist = false;                        // an assistant may call the transport
  bool is_watched = true;                         // a node that does not answer ends the job
  char library[128] = "";                         // that is loaded; empty: none
  char avoided[160] = "";

  progress_by wanted = progress_by::any;

  [[nodiscard]] bool is_one_sided() const { return !is_tested || (created.get.is_one_sided && allocated.are_one_sided()); }
  // Which of them it is: not `any`.
  [[nodiscard]] progress_by chosen() const {
    if (wanted != progress_by::any) return wanted;
    if (is_one_sided()) return progress_by::network;
    return may_assist ? progress_by::assistant : progress_by::polling;
  }
};

// In a job whose ranks share memory: each rank is a node of its own, if that is wanted.
void set_nodes(const settings& wanted, job* all);

// Collective, once a process. Where the job asked for no words there is no network. Errors: those
// of region_create.
status open_network(const rma& by, progress_by progress, job* all);
// The network just opened, for what the start finds out.
network* opened_network();

// Collective: finds out how the operations behave. Rank 0 tries those on the memory of a rank of
// another node, or of the last one.
void test_network(const job& all, network* found);

// False: the limit of locked memory is above what a rank's windows take.
bool describe_locking(const job& all, char* text, std::size_t bytes);

// Rank 0: what was found out, in lines on stdout.
void print_network(const job& all);
// The same in one line of `bytes` at most, for the end of a job: transport, one-sided or not,
// progress.
void describe_network(const network& found, char* text, std::size_t bytes);

}  // namespace weft::net
