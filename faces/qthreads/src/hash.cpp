// qt_hash64 and qt_hash_bytes.
#include <qthread/hash.h>

namespace {

// The last steps of MurmurHash3 with the constants of Stafford's variant 13. Each step can be
// undone, so that different words stay different.
constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

constexpr std::uint64_t golden = static_cast<std::uint64_t>(GOLDEN_RATIO);

}  // namespace

uint64_t qt_hash64(uint64_t key) { return mix(key + golden); }

aligned_t qt_hash_bytes(void* key_ptr, size_t bytes, aligned_t state) {
  const char* from = static_cast<const char*>(key_ptr);
  std::uint64_t hash = state ^ mix(bytes + golden);
  for (std::size_t left = bytes; left > 0;) {
    std::uint64_t word = 0;
    const std::size_t taken = left < sizeof(word) ? left : sizeof(word);
    memcpy(&word, from, taken);
    hash = mix((hash ^ word) + golden);
    from += taken;
    left -= taken;
  }
  return mix(hash);
}
