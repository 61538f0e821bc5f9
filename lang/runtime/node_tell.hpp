// Broadcasts: a task that every node unpacks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "node.hpp"

namespace weft::tascell_runtime {

// A worker: unpacks a task on all other nodes, and waits until they have. False: it cannot go.
bool broadcast_far(worker* self, task* what);
void wait_for_ticket(worker* self);
bool take_publish(node* self, std::uint32_t from, const publish_body& head, std::byte* bytes, std::size_t offset,
                  std::size_t size);
bool take_broadcast(node* self, std::uint32_t from, const broadcast_body& head, std::byte* bytes, std::size_t offset,
                    std::size_t size);
bool take_heard(node* self, std::uint32_t from, std::uint64_t count);
bool take_published(node* self, std::uint32_t from, std::uint64_t ticket);
// The first node: sends on what its own workers broadcast.
void publish_own(node* self);
// The first node: a node has come, and gets what was broadcast before.
void tell_newcomer(node* self, member* to);
// The first node: tells publishers what all nodes have unpacked.
void settle_broadcasts(node* self);
void free_broadcasts(node* self);

}  // namespace weft::tascell_runtime
