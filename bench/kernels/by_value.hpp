// The kernels whose texts are over values: kernels/<kernel>/by_value.hpp.
#pragma once

#include <array>

#include "kernels/comp/by_value.hpp"
#include "kernels/pentomino/by_value.hpp"
#include "kernels/queens/by_value.hpp"
#include "kernels/queens_array/by_value.hpp"
#include "kernels/uts/by_value.hpp"

namespace bench {

template <class Way>
constexpr std::array kernels_by_value = {
    queens::by_value<Way>, queens_array::by_value<Way>, uts::t1_by_value<Way>,
    uts::t3_by_value<Way>, pentomino::by_value<Way>,    comp::by_value<Way>,
};

}  // namespace bench
