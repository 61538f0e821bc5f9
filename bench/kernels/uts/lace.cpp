#include <lace.h>

#include "kernels/lace.hpp"

namespace bench::uts {

TASK_3(std::uint64_t, count_below, const tree*, of, const node*, parent, std::uint32_t, index) {
  node const here = parent == nullptr ? root(*of) : child(*parent, index);
  std::uint32_t const children = count_children(*of, here);
  if (children == 0) return 1;
  for (std::uint32_t other = 1; other < children; ++other) SPAWN(count_below, of, &here, other);
  std::uint64_t nodes = 1 + CALL(count_below, of, &here, 0);
  for (std::uint32_t other = 1; other < children; ++other) nodes += SYNC(count_below);
  return nodes;
}

std::uint64_t count_lace(const tree& tree) { return RUN(count_below, &tree, nullptr, 0); }

}  // namespace bench::uts
