// What a rank maps for stacks, queues and the heap, windows included, after all ranks have taken
// part in a root: rank 0 prints the address space, and the memory that is used, in KiB. Both are
// those of its node: a test compares jobs of more and more nodes.
#include <weft/dist.hpp>

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace {

long count(long depth) {
  if (depth == 0) return 1;
  auto one = weft::fork([=] { return count(depth - 1); });
  return count(depth - 1) + one.join();
}

// Where ranks that an MPI starts have their memory; ranks of a launcher have it in a file of this
// name.
constexpr std::uint64_t first_address = 0x500000000000, end_of_addresses = 0x540000000000;
constexpr char file[] = "weft-job";

}  // namespace

int main() {
  if (weft::dist::root([] { return count(10); }) != 1024) return 1;
  std::FILE* const maps = std::fopen("/proc/self/smaps", "re");
  if (maps == nullptr) return 1;
  unsigned long long size = 0, used = 0;
  bool is_ours = false;
  for (char line[512]; std::fgets(line, sizeof line, maps) != nullptr;) {
    std::uint64_t from = 0, to = 0;
    unsigned long long kib = 0;
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2)
      is_ours = (from >= first_address && from < end_of_addresses) || std::strstr(line, file) != nullptr;
    else if (is_ours && std::sscanf(line, "Size: %llu", &kib) == 1)
      size += kib;
    else if (is_ours && std::sscanf(line, "Rss: %llu", &kib) == 1)
      used += kib;
  }
  std::fclose(maps);
  if (size == 0 || used == 0 || used > size) return 1;
  if (weft::dist::rank() == 0) std::printf("%llu KiB of addresses, %llu KiB used\n", size, used);
  return 0;
}
