// Continuations that go to ranks of other nodes, and joins between nodes: what the engine does over
// the steps of far_words.hpp. A job whose ranks are all on one node uses nothing of this.
//
// A rank's public continuations are either those of its steal_queue, for ranks of its node, or one
// offer, for all ranks. So what was claimed is always the oldest part of what the rank had. A rank
// whose node has no other ranks offers; else it offers when a rank of another node has asked.
//
// A *far* record is named by an address at which nothing lies, the same in all ranks. Before frames
// may leave the node, the near records that they name are exchanged for far ones (make_far).
#pragma once

#include <cstddef>
#include <cstdint>

#include "dist/rank/rank.hpp"

namespace weft::dist {

// ---- any thread ----

// Far records only in a job of several nodes.
inline constexpr std::uintptr_t far_records_at = 0x530000000000;
[[nodiscard]] inline bool is_far(const join_record* record) {
  return reinterpret_cast<std::uintptr_t>(record) - far_records_at <
         static_cast<std::size_t>(net::most_ranks) * all.job.words_bytes;
}

void start_far();
// At a root's begin and end.
void begin_far_root(control* mine);
void end_far_root(control* mine);

// Helps the operations of other ranks, and ends those that this rank did not wait for. In every
// loop that waits.
void poll_far();
// Changes when it is time to poll.
[[nodiscard]] std::uint32_t ticks();

// True: what may be public is (an offer stands). False: the engine publishes for the node.
bool publish_far(control* from);
// Where forkers go on: offers the oldest fork, if it may be taken, unless an offer stands. In forks
// that begin after a tick.
void offer_fork(control* from, bool (*may_take)(const weft_forked& place));
// A join. True: the fork was offered, and is this rank's again.
bool take_back_fork(control* from, weft_forked* forked);
// The forker was offered: whether it is this rank's again.
bool take_back_offer(control* from, const slot* forker);
[[nodiscard]] bool is_offered(const slot* forker);

// The child's end, over a far record. The code of frames to be resumed, or 0.
std::uint64_t end_far_child(join_record* record, const void* cargo);
[[nodiscard]] bool has_far_child_ended(const join_record* record);
// Null: there is none. put_back: no other rank knows it.
join_record* take_far_record();
void put_back_far_record(join_record* record);
void take_far_cargo(join_record* record, void* into);
// The forker will never join. False: the child has ended.
bool discard_far(join_record* record);

// ---- the scheduler ----

bool steal_far(control* mine, int victim);
// After a claim of what is not copied.
void ask_for_next_fork(int victim);
// As policy::take_offer has it, of a continuation.
void take_continuation(control* mine, int victim, const offer& claimed);
// Takes up a fork that this rank has offered, and whose forker has left.
bool take_own_fork(control* mine);
// When the last claim of an offer began, by the CPU's counter; for the trace.
[[nodiscard]] std::uint64_t when_claim_began();
// Of a thread's forks that other ranks took, before its frames leave. end: behind the newest of
// them.
bool make_forks_far(control* mine, weft_forked* end);
// An idle rank tries a rank of another node now and then. round: of its idling.
bool try_far(control* mine, unsigned round);
[[nodiscard]] bool are_far_copied();
// The forker's frames, which make_far has been called for, lie in `frames` from now on. False: the
// child has ended.
bool wait_far(join_record* record, const evacuated* frames);
// Of the thread that runs: exchanges the near records that its frames name. False: no memory.
bool make_far(const continuation& what, join_record** parent);
// Of the thread that runs alone, before its frames leave.
bool make_thread_far(control* mine);
// A near record's child has ended, and its forker waits; or a far one's.
void bring_back_far(control* mine, std::uint64_t code);
// An evacuated thread, as ranks of all nodes name it.
std::uint64_t code_of(const evacuated* frames);

// Of a rank's shared part: `from` and `into` are addresses as the part's owner has them. The put of
// a 1 is not waited for.
void get_far_part(int rank, const void* from, void* into, std::size_t bytes);
void put_far_word(int rank, const put_word* into);

// The root has ended on this rank, with its bytes at that address.
void tell_root_end(const void* bytes);
// Where the root has ended: the rank; -1: not yet.
int far_root_end();
void take_root_bytes(int rank, void* into, std::size_t bytes);

}  // namespace weft::dist
