// What the files of far.hpp share.
#pragma once

#include "dist/far/far.hpp"
#include "dist/words/far_words.hpp"
#include "dist/words/probe_pace.hpp"
#include "net/network.hpp"

namespace weft::dist {

struct far_process {
  const net::network* net = nullptr;
  offering offers;
  far_pool records;
  const void* offered = nullptr;  // whose offer was not yet seen to be gone: a slot, or a fork's record
  offer fork{};                   // what was offered of it, but for the ticket
  bool polls = false;             // in forks
  bool is_assisted = false;       // the ticker makes progress
  probe_pace pace;
  std::uint64_t claim_began = 0;  // of the last claim, by the CPU's counter; for the trace
  int neighbours = 0;             // other ranks on this node
  int neighbour[net::most_ranks] = {};
};
extern far_process far;

[[nodiscard]] inline join_record* far_record_at(int rank, std::size_t offset) {
  return reinterpret_cast<join_record*>(far_records_at + static_cast<std::size_t>(rank) * all.job.words_bytes + offset);
}
[[nodiscard]] inline far_join join_of(const join_record* record) {
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(record) - far_records_at;
  return {*far.net->by, far.net->words, static_cast<int>(at / all.job.words_bytes), at % all.job.words_bytes};
}

// A put into that window of the rank that is not waited for: it leaves now, and poll_far ends it.
void note_put(const net::window& into, int rank);

// In a fork: helps operations, and looks whether the offer still stands. False: nothing is to be
// offered.
bool may_offer();
// The rank of another node that had asked in vain, or nothing; asked before the offer is made, and
// told behind it.
std::uint64_t take_wanted();
void call_wanting(std::uint64_t asked_by);
// The next fork of a rank whose offer was claimed is to take the rare way, and offer again: a 0 is
// put to its limit, unless its rank answers the network at ticks alone. One that is lost costs a
// tick.
bool ask_for_next(int victim);

}  // namespace weft::dist
