// Weft for programs written for Boost.Fiber: `boost` becomes `weft` in their text, and they run.
// docs/guide/boost-fiber.md says what differs and what is not there.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/fiber/algo/round_robin.hpp>
#include <weft/fiber/algo/work_stealing.hpp>
#include <weft/fiber/barrier.hpp>
#include <weft/fiber/buffered_channel.hpp>
#include <weft/fiber/channel_op_status.hpp>
#include <weft/fiber/condition_variable.hpp>
#include <weft/fiber/exceptions.hpp>
#include <weft/fiber/fiber.hpp>
#include <weft/fiber/fss.hpp>
#include <weft/fiber/future.hpp>
#include <weft/fiber/mutex.hpp>
#include <weft/fiber/operations.hpp>
#include <weft/fiber/policy.hpp>
#include <weft/fiber/recursive_mutex.hpp>
#include <weft/fiber/recursive_timed_mutex.hpp>
#include <weft/fiber/timed_mutex.hpp>
#include <weft/fiber/unbuffered_channel.hpp>
