// weft::fibers::unbuffered_channel: Boost.Fiber's is weft::unbuffered_channel. A push to a fiber
// that waits already returns without a wait.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/channel.hpp>
#include <weft/fiber/channel_op_status.hpp>
#include <weft/fiber/exceptions.hpp>

namespace weft::fibers {

using weft::unbuffered_channel;

}  // namespace weft::fibers
