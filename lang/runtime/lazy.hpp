// Elements that tasks read lazily, fetched from other nodes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "node.hpp"

namespace weft::tascell_runtime {

// A run on several nodes begins. It ends, and its tasks are freed; the end of another run changes
// nothing.
void begin_lazies(node* self);
void end_lazies(const node* ended, bool tells_counts);
// The door: asks for what workers touched.
void send_fetches(node* self);
// The door: another node asks; elements have come; a node has gone (0: all have).
void serve_fetch(node* self, std::uint32_t from, const fetch_body& what);
bool take_data(node* self, std::uint32_t from, const data_body& head, std::byte* bytes, std::size_t offset, std::size_t size);
void lose_lazies(std::uint32_t home);

}  // namespace weft::tascell_runtime
