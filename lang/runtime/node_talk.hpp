// Sending to other nodes, from workers and from the door, and what a node knows of each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "node.hpp"

namespace weft::tascell_runtime {

// Sends a head and what is behind it; release as in frames.hpp.
void say(node* from, std::uint32_t to, message what, const void* head, std::size_t head_bytes, const void* rest = nullptr,
         std::size_t rest_bytes = 0, void (*release)(void*) = nullptr, void* owner = nullptr);
// The door: sends what others left to it.
void send_waiting(node* from);
void drop_waiting(node* from);
member* find_member(node* in, std::uint32_t number);

}  // namespace weft::tascell_runtime
