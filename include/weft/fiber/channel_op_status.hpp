// weft::fibers::channel_op_status: what an operation of a channel came to, as Boost.Fiber's.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/channel.hpp>

namespace weft::fibers {

using weft::channel_op_status;

}  // namespace weft::fibers
