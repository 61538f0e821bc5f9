#include "cilksort.hpp"
#include "kernels/cilksort/by_value.hpp"

const bench::by_value_kernel cilksort_here = bench::cilksort::by_value<bench::values_as_forks>;
