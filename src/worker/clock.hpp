// The clock of units: that of the machine, or the one of a schedule from a seed.
#pragma once

#include <cstdint>

namespace weft::sched {

struct runtime;
struct worker;

std::uint64_t now_ns();  // the caller's: of its worker, or the machine's
std::uint64_t now_ns(const worker* w);
std::uint64_t now_ns(const runtime* rt);  // that of its workers

}  // namespace weft::sched
