#include "kernels/ping_pong/ping_pong.hpp"

namespace bench::ping_pong {

namespace {

std::uint64_t expected_locks(const kernel_input& input) { return input.size; }
std::uint64_t expected_passes(const kernel_input& input) { return 2 * input.size; }

}  // namespace

const kernel mutex_handover = {
    .name = "mutex-handover",
    .title = "two threads a worker that hand one mutex to each other",
    .size_word = "locks",
    .unit = "lock",
    .default_size = 1'000'000,
    .quick_size = 1'000,
    .max_size = 100'000'000'000,
    .expected = expected_locks,
};

const kernel condition = {
    .name = "condition-ping-pong",
    .title = "pairs of threads that pass a turn by condition variables",
    .size_word = "round trips",
    .unit = "turn",
    .default_size = 500'000,
    .quick_size = 500,
    .max_size = 100'000'000'000,
    .expected = expected_passes,
};

const kernel channel = {
    .name = "channel-ping-pong",
    .title = "pairs of threads that pass numbers by channels with room for one",
    .size_word = "round trips",
    .unit = "message",
    .default_size = 500'000,
    .quick_size = 500,
    .max_size = 100'000'000'000,
    .expected = expected_passes,
};

}  // namespace bench::ping_pong
