// Waiting at words of the program: protocol W, docs/protocols/W.md. A futex for ULTs, OS threads
// and awaiters alike.
//
// The words are spread over stripes by their addresses; a stripe has one queue, in the order of
// coming, for all its words. Nothing is known of a word but its address: when its waiters are
// woken, its memory may be gone. Stripes stay for the life of the process, as those of full/empty
// bits do, and for the same reason.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "sync/waiters.hpp"

namespace weft::sync {

// Waits while the word is `expected`. Errors: again (it is not), cannot_block, timeout.
status wait_at_word(const void* word, bool is_wide, std::uint64_t expected, std::uint64_t deadline_ns);
// over: the word is not `expected`.
sched::armed_as await_word(sched::await_record* one, const void* word, bool is_wide, std::uint64_t expected);
// Returns how many were woken: those that came first.
std::size_t wake_at_word(const void* word, std::size_t count);
// WEFT_DROP: those waits are not kept any more.
void forget_waits_at_words(const sched::dropped_waits& dropped);

}  // namespace weft::sync
