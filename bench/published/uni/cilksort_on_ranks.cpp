#include "cilksort.hpp"
#include "kernels/cilksort/global.hpp"

const bench::by_value_kernel cilksort_here = bench::cilksort::over_global_heap<bench::values_as_forks>;
