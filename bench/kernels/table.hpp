// All kernels, in the order in which they are shown.
#pragma once

#include <span>
#include <string_view>

#include "harness/kernel.hpp"

namespace bench {

std::span<const kernel* const> all_kernels();
const kernel* find_kernel(std::string_view name);  // null: no such kernel

}  // namespace bench
