// The threads interface compiled for one implementation, whose name is WEFT_THREADS_INLINED: its
// calls are inlined.
#include "runtimes/threads.hpp"

namespace bench {

namespace {

constexpr bool is_fifo = std::string_view(WEFT_THREADS_INLINED) == "fifo";
constexpr threads::recipe adopted{WEFT_THREADS_INLINED, false, is_fifo};
constexpr threads::recipe outside{WEFT_THREADS_INLINED, true, is_fifo};

constexpr runtime runtimes[] = {
    threads::runtime_for<adopted>("threads-" WEFT_THREADS_INLINED "-inlined", "the threads interface, inlined"),
    threads::runtime_for<outside>("threads-" WEFT_THREADS_INLINED "-inlined-outside",
                                  "the threads interface, inlined; caller outside"),
};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
