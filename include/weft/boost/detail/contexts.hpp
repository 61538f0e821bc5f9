// boost::context and boost::coroutines2: Weft's, whose names are Boost's. Contexts are for threads;
// in a program that does not start Weft, main is one from the first context on.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <weft/boost/detail/inside.hpp>
#include <weft/context.hpp>
#include <weft/coroutine2.hpp>
#include <weft/detail/context_stack.hpp>
#include <weft/fiber/detail/library.hpp>

namespace weft::detail {

// An OS thread that makes, resumes or destroys a context becomes a thread, until it ends or calls
// weft_worker_leave.
[[gnu::cold, gnu::noinline]] inline void adopt_for_contexts() {
  if (weft_is_initialized() && weft_worker_self() < 0) check(weft_worker_adopt(nullptr), "weft_worker_adopt");
}

// Called at each switch. Where the OS thread has a queue for fibers, or runs a thread, there is
// nothing to do; its queue is read more quickly.
inline void use_for_contexts() {
  if (fibers::detail::own_queue != nullptr || weft_self() != nullptr) [[likely]]
    return;
  fibers::detail::use();
  if (weft_self() == nullptr) adopt_for_contexts();
}

inline const bool contexts_start_library = (start_for_contexts = use_for_contexts, true);

}  // namespace weft::detail

namespace boost {
namespace context {

using namespace weft::context;

namespace detail {
using weft::forced_unwind;
}  // namespace detail

}  // namespace context
namespace coroutines2 {

using weft::asymmetric_coroutine;
using weft::coroutine;
using weft::context::default_stack;
using weft::context::fixedsize_stack;
using weft::context::pooled_fixedsize_stack;
using weft::context::protected_fixedsize_stack;
using weft::context::segmented_stack;

namespace detail {
using weft::forced_unwind;
}  // namespace detail

}  // namespace coroutines2
}  // namespace boost
