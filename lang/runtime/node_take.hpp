// Work from other nodes: tasks that this node takes, and runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "node.hpp"

namespace weft::tascell_runtime {

// An idle worker: takes a task that came; null: there is none, and other nodes were asked.
// *until_ns is lowered to when they can be asked again.
task* take_from_outside(worker* self, std::uint64_t* until_ns);
// A joiner, likewise: a descendant of the task, or the task itself if it came back.
task* take_for(worker* self, task* what, bool may_steal);
// The worker that a task which was taken ran on: tells the giver.
void give_result(worker* self, task* done, weft_tascell_reason reason, std::int64_t tag);
bool is_taken(const task* what);
// The door.
bool take_given(node* self, std::uint32_t from, const give_body& head, std::byte* bytes, std::size_t offset, std::size_t size);
void take_none(node* self, std::uint32_t from, const none_body& what);
void take_hint(node* self, std::uint32_t from);
void take_cancel(node* self, std::uint32_t from, std::uint64_t number);
// The giver of these has gone; 0: all.
void drop_taken(node* self, std::uint32_t from);
// Gives back what waits for a worker and finds none. True: something waits.
bool look_after_inbox(node* self, bool at_once);
// A task has begun here: tells nodes that found nothing.
void tell_nodes(run* all);

}  // namespace weft::tascell_runtime
