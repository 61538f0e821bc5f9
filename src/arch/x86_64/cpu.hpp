#pragma once

#include <cstdint>

namespace weft::arch {

inline void pause() { __builtin_ia32_pause(); }
inline std::uint64_t cycles() { return __builtin_ia32_rdtsc(); }

}  // namespace weft::arch
