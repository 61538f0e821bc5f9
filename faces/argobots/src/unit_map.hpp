// From the ABT_unit of a user's pool to its thread. Any caller, with or without identity.
#pragma once

#include <abt.h>

#include <weft/weft.h>

namespace weft::abt {

// An ABT_ code: ABT_ERR_MEM.
int map_unit(ABT_unit unit, weft_thread* thread);
void unmap_unit(ABT_unit unit);
// Null: no pool made it.
weft_thread* find_unit(ABT_unit unit);
// At the last ABT_finalize: what is left of units that the program did not free.
void end_unit_map();

}  // namespace weft::abt
