// All of Weft's C++ headers whose functions lie in libweft. Headers of other libraries are included
// by name: those of GPUs (cuda.hpp, hip.hpp), MPI (mpi.hpp), ranks (dist.hpp, global.hpp),
// Tascell (tascell.hpp) and Boost.Asio (asio.hpp). A C++ library without std::stop_token (libc++
// before 20) has neither jthread.hpp nor what tasks.hpp declares.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/platform.h>
#include <weft/detail/cxx20.hpp>

#include <weft/algorithm.hpp>
#include <weft/async_select.hpp>
#include <weft/async_sync.hpp>
#include <weft/barrier.hpp>
#include <weft/channel.hpp>
#include <weft/condition_variable_any.hpp>
#include <weft/context.hpp>
#include <weft/coroutine2.hpp>
#include <weft/dropped_exceptions.hpp>
#include <weft/execution.hpp>
#include <weft/generator.hpp>
#include <weft/launch.hpp>
#include <weft/numeric.hpp>
#include <weft/polled.hpp>
#include <weft/scheduling.hpp>
#include <weft/select.hpp>
#include <weft/specific.hpp>
#include <weft/task.hpp>
#include <weft/task_group.hpp>
#include <weft/tasks.hpp>
#include <weft/weft.hpp>
#include <weft/when.hpp>

#include <version>
#if defined(__cpp_lib_jthread)
#include <weft/jthread.hpp>
#endif
