// What a unit has beside its record: details, an id, a stack, extension bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unit/details.hpp"
#include "unit/unit.hpp"

namespace weft::sched {

void free_details(unit* one);
details* details_of(unit* one);         // made when first asked for; null: no memory
std::uint64_t id_of(unit* one);         // likewise
mem::stack* stack_of(const unit* one);  // null: it has none now
void* extension_of(unit* one, std::size_t offset);

}  // namespace weft::sched
