// The facts without which a figure means nothing: the processor, what of it this process may use,
// the kernel, the compiler.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct machine {
  std::string processor;
  std::string architecture;
  unsigned processors_online = 0;
  unsigned processors_usable = 0;  // that the affinity mask allows
  std::uint64_t memory_bytes = 0;
  std::string system;    // "Linux 6.1.0"
  std::string compiler;  // of the kernels
  std::string flags;     // and how it was called
};

machine read_machine();

}  // namespace bench
