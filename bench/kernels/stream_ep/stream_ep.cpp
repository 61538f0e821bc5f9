#include "kernels/stream_ep/stream_ep.hpp"

namespace bench::stream_ep {

const kernel stream_ep = {
    .name = "stream-ep",
    .title = "STREAM by a task of its own, which hands the loops out",
    .size_word = "elements",
    .unit = "element",
    .default_size = std::uint64_t{1} << 23,
    .quick_size = std::uint64_t{1} << 14,
    .max_size = std::uint64_t{1} << 40,
    .expected = stream::expected,
    .fit = stream::fit,
    .is_digest = true,
};

}  // namespace bench::stream_ep
