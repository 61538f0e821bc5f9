// The variables WEFT_DIST_*, which libweft-dist reads and `weft info` tells. They are no part of a
// runtime's settings, so the table in env.cpp has none of them.
#pragma once

#include "os/env.hpp"

namespace weft::os {

inline constexpr variable_info dist_stack_info = {
    variable::stack_size,
    "WEFT_DIST_STACK",
    value_type::bytes,
    64 * 1024,
    32 * 1024 * 1024,
    "64K to 32M",
    "8M",
    "Stack of a rank, in which the thread that runs and all its forkers lie. Reserved, not used."};
inline constexpr variable_info dist_pool_info = {
    variable::workers,
    "WEFT_DIST_POOL",
    value_type::count,
    2,
    1'000'000'000,
    "2 to 1000000000",
    "1000000000",
    "The most records of joins, evacuated threads and open forks of a rank, for tests: a program ends rightly with 2."};
inline constexpr variable_info dist_check_info = {
    variable::deadlock,
    "WEFT_DIST_CHECK",
    value_type::choice,
    0,
    0,
    "off|first|all",
    "first",
    "Look for addresses of the heap in the continuations that move between ranks. first: in 64 of each function. all: every "
    "fork moves its forker, and what it leaves is overwritten."};

inline constexpr variable_info dist_poll_info = {variable::workers,
                                                 "WEFT_DIST_POLL",
                                                 value_type::count,
                                                 0,
                                                 1'000'000,
                                                 "0 to 1000000",
                                                 "200",
                                                 "Between nodes: after so many microseconds a rank that computes helps the "
                                                 "operations of others, in its next fork. 0: in each fork."};

inline constexpr variable_info dist_progress_info = {
    variable::deadlock,
    "WEFT_DIST_PROGRESS",
    value_type::choice,
    0,
    0,
    "auto|none|polling|assistant",
    "auto",
    "Between nodes: what lets operations on a rank's memory go on while it computes. polling: the rank itself, in forks "
    "(WEFT_DIST_POLL). assistant: another OS thread of the rank, as often. none: the network. auto: an assistant where the start "
    "finds that the network is not one-sided, polling where its library allows no second OS thread."};

inline constexpr variable_info dist_policy_info = {
    variable::deadlock,
    "WEFT_DIST_POLICY",
    value_type::choice,
    0,
    0,
    "optimised|basic|iso-address|child|stalling|run-to-completion",
    "optimised",
    "Where stacks lie, and what another rank takes. optimised: a fork runs its child below its forker; frames are copied "
    "when they move. basic: each switch copies frames. iso-address: each child has its own stack. child: forkers go on, and "
    "functions with their bytes move. stalling: as optimised, but a thread that waits stays on its rank. run-to-completion: as "
    "child, but a thread that waits runs others above it."};

inline constexpr variable_info dist_heap_info = {
    variable::stack_size,
    "WEFT_DIST_HEAP",
    value_type::bytes,
    64 * 1024,
    std::uint64_t{1} << 40,
    "64K to 1024G",
    "64M",
    "Each rank's part of the global heap (weft/global.h). Reserved, and used as far as the program writes to it."};

inline constexpr const variable_info* variables_of_ranks[] = {&dist_stack_info,   &dist_pool_info, &dist_check_info,
                                                              &dist_policy_info,  &dist_poll_info, &dist_heap_info,
                                                              &dist_progress_info};

}  // namespace weft::os
