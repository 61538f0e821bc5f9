// weft::fibers::buffered_channel: Boost.Fiber's is weft::buffered_channel. Its capacity may be any
// number from 1, and is the number of values that fit.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/channel.hpp>
#include <weft/fiber/channel_op_status.hpp>
#include <weft/fiber/exceptions.hpp>

namespace weft::fibers {

using weft::buffered_channel;

}  // namespace weft::fibers
