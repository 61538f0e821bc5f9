// Cilksort's text of values: on ranks over the global heap (cilksort_on_ranks.cpp), on threads over
// memory of the process.
#pragma once

#include "harness/by_value.hpp"

extern const bench::by_value_kernel cilksort_here;
