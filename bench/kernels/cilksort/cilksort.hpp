// Cilksort: mergesort of seeded 32-bit integers with merges that are parallel, too, as the Cilk
// project's program of that name, over memory that any rank reaches: by_value.hpp says what a
// Memory is. Programs of bench/published/uni run it, on threads and on ranks. units: pieces that
// are sorted or merged sequentially.
#pragma once

#include "harness/kernel.hpp"

namespace bench::cilksort {

extern const kernel cilksort;

}  // namespace bench::cilksort
