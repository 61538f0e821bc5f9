// The nodes of UTS are hashed by code without the machine's hooks, and charged here. The linker puts
// this function in the place of bench::uts::child.
#include "kernels/uts/uts.hpp"
#include "many.h"

constexpr std::uint64_t node_ns = 150;

bench::uts::node real_child(const bench::uts::node& parent,
                            std::uint32_t index) __asm__("__real__ZN5bench3uts5childERKNS0_4nodeEj");
bench::uts::node wrapped_child(const bench::uts::node& parent,
                               std::uint32_t index) __asm__("__wrap__ZN5bench3uts5childERKNS0_4nodeEj");

bench::uts::node wrapped_child(const bench::uts::node& parent, std::uint32_t index) {
  many_work(node_ns);
  return real_child(parent, index);
}
