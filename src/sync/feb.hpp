// Full/empty bits on any aligned word (B. Smith, HEP, 1981; the operations are those of Wheeler,
// Murphy, Thain, 2008, doi:10.1109/IPDPS.2008.4536359). The state lives in a table beside the
// words: feb_table.hpp.
//
// When a word becomes full all that wait to overwrite it are served, then all that wait to read it,
// then the first that waits to take it, which empties it again; when it becomes empty the first
// that waits to write it is. So it goes on until no waiter can be served; each kind is served first
// come first served, by the caller that changed the word, which does the copying. A waiter that is
// served finds its operation done.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "sync/waiters.hpp"

namespace weft::sync::feb {

// Each tells its failures as those of the call of the C ABI that waits for ever, until a deadline,
// tries, or changes the word.

// Errors: nomem, cannot_block, timeout. A deadline of `immediately` never waits: busy. out may be
// null, or the word itself.
status read_full(std::uint64_t* word, std::uint64_t deadline_ns, std::uint64_t* out);
status take_full(std::uint64_t* word, std::uint64_t deadline_ns, std::uint64_t* out);
status write_empty(std::uint64_t* word, std::uint64_t value, std::uint64_t deadline_ns);
status overwrite_full(std::uint64_t* word, std::uint64_t value, std::uint64_t deadline_ns);

// As these, by an awaiter's record, whose value is what is written, or was read. Errors: nomem.
enum class operation { read, overwrite, take, write };
status await(sched::await_record* one, std::uint64_t* word, operation what, sched::armed_as* result);

status write_and_fill(std::uint64_t* word, std::uint64_t value);
status fill(std::uint64_t* word);
// Errors of these: nomem. A writer that waits for empty then writes at once, and the word is full
// again.
status empty(std::uint64_t* word);
status purge(std::uint64_t* word);  // writes 0 before
status purge_to(std::uint64_t* word, std::uint64_t value);

// The words that lie in those bytes, which may pass no end of the address space, lose their state.
// Errors: busy (a caller waits at one, which keeps its state). Leaves the cause.
status forget(const void* base, std::size_t bytes);
// WEFT_DROP: those waits are not kept any more.
void forget_waits(const sched::dropped_waits& dropped);

bool is_full(const std::uint64_t* word);
std::uint64_t read_whatever(const std::uint64_t* word);

}  // namespace weft::sync::feb
