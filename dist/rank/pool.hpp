// The pools in a rank's shared part: records of joins, and memory for frames that leave their
// region.
//
// The owner alone takes; any rank gives back, through the owner's return_list. Both are bounded,
// and an empty pool is no error: a continuation without a record stays private, and a forker
// without memory for its frames waits in place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/cpu.hpp"
#include "dist/words/join_record.hpp"

namespace weft::dist {

struct evacuated;
struct debug_fields;

class record_pool {
 public:
  static constexpr std::uint32_t most = 1024;

  void set_up(std::uint32_t count);
  // By the owner, between roots: whether none is in use.
  [[nodiscard]] bool are_all_back(std::uint32_t count);
  join_record* take();
  // By the owner, once no other rank will touch the record.
  void put_back(join_record* record);
  // What take() will write.
  void prefetch() const { arch::prefetch_to_write(reinterpret_cast<const void*>(free_)); }
  // By any rank.
  void give(join_record* record) { returned_.give(reinterpret_cast<std::uint64_t>(record), record->link); }

 private:
  alignas(base::cache_line) return_list returned_;    // other ranks write it
  alignas(base::cache_line) std::uint64_t free_ = 0;  // the owner's
  join_record records_[most];
};

class frame_pool {
  friend struct debug_fields;

 public:
  static constexpr std::size_t unit = 512;
  static constexpr std::uint32_t units = 8192;

  void set_up(std::uint32_t most);
  // By the owner, between roots: whether none is in use.
  [[nodiscard]] bool are_all_back(std::uint32_t most);
  evacuated* take(std::size_t bytes);
  void put_back(evacuated* block);
  void give(evacuated* block);
  // In a job of several nodes: blocks that were taken come back by their word `freed`.
  void collect_far();
  // What give() will write besides the block.
  void prefetch_to_give() const { arch::prefetch_to_write(&returned_); }

 private:
  void collect();
  bool find(std::uint32_t wanted, std::uint32_t* at) const;
  void mark(std::uint32_t at, std::uint32_t count, bool is_taken);

  alignas(base::cache_line) return_list returned_;  // other ranks write it
  alignas(base::cache_line) std::uint32_t free_blocks_ = 0;
  std::uint32_t lent_ = 0;  // to collect_far
  evacuated* far_[record_pool::most] = {};
  std::uint64_t taken_[units / 64] = {};
  alignas(base::cache_line) unsigned char bytes_[units * unit];
};

}  // namespace weft::dist
