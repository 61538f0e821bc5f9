// Requests of other nodes: tasks that this node gives, and their results.
#pragma once

#include <cstddef>
#include <cstdint>

#include "node.hpp"

namespace weft::tascell_runtime {

// The door: another node asks.
void serve_ask(node* self, std::uint32_t from, const ask_body& what);
// The door: looks after requests that victims do not answer. True: there are some.
bool look_after_requests(node* self);
// A victim, of a request from outside: whether descendants of one task are wanted.
bool wants_part_of_one(const node* self, unsigned thief);
// That task. Null: it does not run here any more. It may go as soon as this returns, unless the
// caller runs a descendant.
const task* find_wanted(node* self, unsigned thief);
// Answers it, with a task or with null.
void answer_outside(worker* self, unsigned thief, task* made);
void cancel_far(node* self, task* given);
// The door: a task that was given is done, or comes back. The bytes are the callee's. False: the
// message cannot be.
bool take_result(node* self, std::uint32_t from, const result_body& head, std::byte* bytes, std::size_t offset, std::size_t size);
void take_back(node* self, std::uint32_t from, std::uint64_t number);
// The door: a node has gone (0: all have). It is no member any more, and what it was given runs
// here.
void lose_member(node* self, std::uint32_t which);

}  // namespace weft::tascell_runtime
