// See pool.hpp.
#include "dist/rank/pool.hpp"

#include "dist/rank/rank.hpp"

namespace weft::dist {

void record_pool::set_up(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) put_back(&records_[i]);
}

bool record_pool::are_all_back(std::uint32_t count) {
  for (std::uint64_t next = returned_.take_all(); next != 0;) {
    auto* const record = reinterpret_cast<join_record*>(next);
    next = record->link.load(base::relaxed);
    put_back(record);
  }
  std::uint32_t found = 0;
  for (std::uint64_t next = free_; next != 0 && found <= count; ++found) {
    next = reinterpret_cast<join_record*>(next)->link.load(base::relaxed);
  }
  return found == count;
}

join_record* record_pool::take() {
  if (free_ == 0) free_ = returned_.take_all();
  if (free_ == 0) return nullptr;
  auto* const record = reinterpret_cast<join_record*>(free_);
  free_ = record->link.load(base::relaxed);
  record->reset();
  return record;
}

void record_pool::put_back(join_record* record) {
  record->link.store(free_, base::relaxed);
  free_ = reinterpret_cast<std::uint64_t>(record);
}

void frame_pool::set_up(std::uint32_t most) { free_blocks_ = most; }

bool frame_pool::are_all_back(std::uint32_t most) {
  collect();
  collect_far();
  return free_blocks_ == most;
}

evacuated* frame_pool::take(std::size_t bytes) {
  const auto wanted = static_cast<std::uint32_t>((bytes + unit - 1) / unit);
  std::uint32_t at = 0;
  if (free_blocks_ == 0 || !find(wanted, &at)) {
    collect();
    collect_far();
    if (free_blocks_ == 0 || !find(wanted, &at)) return nullptr;
  }
  mark(at, wanted, true);
  --free_blocks_;
  auto* const block = reinterpret_cast<evacuated*>(bytes_ + std::size_t{at} * unit);
  block->units = wanted;
  block->freed.clear();
  if (all.is_far) far_[lent_++] = block;  // not more than there are blocks
  return block;
}

void frame_pool::put_back(evacuated* block) {
  const auto offset = static_cast<std::size_t>(reinterpret_cast<unsigned char*>(block) - bytes_);
  mark(static_cast<std::uint32_t>(offset / unit), block->units, false);
  ++free_blocks_;
}

void frame_pool::give(evacuated* block) { returned_.give(reinterpret_cast<std::uint64_t>(block), block->link); }

void frame_pool::collect() {
  std::uint64_t next = returned_.take_all();
  while (next != 0) {
    auto* const block = reinterpret_cast<evacuated*>(next);
    next = block->link.load(base::relaxed);
    put_back(block);
  }
}

void frame_pool::collect_far() {
  for (std::uint32_t i = 0; i < lent_;) {
    if (far_[i]->freed.value() == 0) {
      ++i;
      continue;
    }
    put_back(far_[i]);
    far_[i] = far_[--lent_];
  }
}

bool frame_pool::find(std::uint32_t wanted, std::uint32_t* at) const {
  std::uint32_t run = 0;
  for (std::uint32_t i = 0; i < units; ++i) {
    if (taken_[i / 64] == ~std::uint64_t{0} && i % 64 == 0) {
      run = 0;
      i += 63;
      continue;
    }
    run = (taken_[i / 64] >> (i % 64) & 1) == 0 ? run + 1 : 0;
    if (run < wanted) continue;
    *at = i + 1 - wanted;
    return true;
  }
  return false;
}

void frame_pool::mark(std::uint32_t at, std::uint32_t count, bool is_taken) {
  for (std::uint32_t i = at; i < at + count; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    taken_[i / 64] = is_taken ? taken_[i / 64] | bit : taken_[i / 64] & ~bit;
  }
}

}  // namespace weft::dist
