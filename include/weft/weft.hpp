// Weft for C++20: what programs use every day. The headers are inline code over weft.h and may be
// included one by one. channel.hpp, select.hpp and the headers of other topics are included by
// name, or all together by all.hpp.
//
// The text of each function says, in this order: what it does; what it takes; what it returns; what
// it throws; whether it may switch; where it may be called from; what is undefined. A function that
// is noexcept and says nothing of switching never switches, and is callable from any: from a ULT, a
// tasklet, or an OS thread outside. A function that returns an awaitable never waits itself: its
// text says what co_await does with it. Words such as "switch" are explained in weft.h.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/platform.h>
#include <weft/detail/cxx20.hpp>

#include <weft/version.h>
#include <weft/async.hpp>
#include <weft/atomic_wait.hpp>
#include <weft/blocking.hpp>
#include <weft/callable.hpp>
#include <weft/condition_variable.hpp>
#include <weft/error.hpp>
#include <weft/fork.hpp>
#include <weft/future.hpp>
#include <weft/mutex.hpp>
#include <weft/parallel.hpp>
#include <weft/promise.hpp>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>
