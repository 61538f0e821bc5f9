// See stack_areas.hpp.
#include "see/stack_areas.hpp"

#include <cstdlib>
#include <iterator>

#include "os/heap.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

mem::stack_depot* depot_of(runtime* rt, unsigned size_class) {
  return size_class == mem::default_class ? &rt->stack_depot : &rt->sized_stacks[size_class - 1];
}

}  // namespace

void stack_areas::clear() {
  for (std::size_t index = 0; index < count_; ++index) std::free(areas_[index].standing);
  std::free(areas_);
  *this = {};
}

// Sorted by insertion: chunks that were mapped one after the other lie in order, or in reverse.
std::size_t stack_areas::list_new(runtime* rt) {
  std::size_t count = 0;
  for (unsigned size_class = 0; size_class < mem::stack_classes; ++size_class) {
    mem::stack_depot* const depot = depot_of(rt, size_class);
    mem::stack_depot::chunk chunks[16];
    std::size_t listed = std::size(chunks);
    while (listed == std::size(chunks) && count + listed <= most_new) {
      listed = depot->list_chunks(known_[size_class], chunks, std::size(chunks));
      known_[size_class] += listed;
      for (std::size_t index = 0; index < listed; ++index) {
        const auto low = reinterpret_cast<std::uintptr_t>(chunks[index].base);
        const std::size_t slot = chunks[index].slot_bytes;
        std::size_t at = count++;
        for (; at != 0 && fresh_[at - 1].low > low; --at) fresh_[at] = fresh_[at - 1];
        fresh_[at] = {low, low + chunks[index].slots * slot, slot, chunks[index].guard_bytes, nullptr};
      }
    }
  }
  return count;
}

// There is room. From the high end, so that each moves once.
void stack_areas::merge(std::size_t count) {
  std::size_t old = count_;
  count_ += count;
  for (std::size_t to = count_; count != 0;) {
    const bool is_old = old != 0 && areas_[old - 1].low > fresh_[count - 1].low;
    areas_[--to] = is_old ? areas_[--old] : fresh_[--count];
  }
}

bool stack_areas::take_note(runtime* rt) {
  // Room first: what was listed must not be lost.
  if (room_ - count_ < most_new) {
    const std::size_t room = room_ + room_ / 2 + most_new;
    auto* const more = static_cast<area*>(os::reallocate(areas_, room * sizeof(area)));
    if (more == nullptr) return false;
    areas_ = more;
    room_ = room;
  }
  const std::size_t count = list_new(rt);
  merge(count);
  return count != 0;
}

stack_areas::area* stack_areas::area_of(std::uintptr_t address) const {
  std::size_t first = 0, last = count_;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (areas_[middle].low <= address) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first != 0 && address < areas_[first - 1].high ? &areas_[first - 1] : nullptr;
}

bool stack_areas::hold(const void* first, std::size_t bytes) const {
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const area* found = area_of(address);
  if (found == nullptr) return false;
  const std::size_t offset = (address - found->low) % found->slot_bytes;
  return offset >= found->guard_bytes && bytes <= found->slot_bytes - offset;
}

const unit* stack_areas::standing_at(std::uintptr_t address) const {
  const area* found = area_of(address);
  if (found == nullptr || found->standing == nullptr) return nullptr;
  return found->standing[(address - found->low) / found->slot_bytes];
}

bool stack_areas::note_standing(std::uintptr_t address, const unit* one) {
  area* found = area_of(address);
  if (found == nullptr) return false;
  if (found->standing == nullptr) {
    const std::size_t slots = (found->high - found->low) / found->slot_bytes;
    found->standing = static_cast<const unit**>(os::allocate(slots * sizeof(const unit*)));
    if (found->standing == nullptr) return false;
  }
  found->standing[(address - found->low) / found->slot_bytes] = one;
  return true;
}

bool stack_areas::is_same_slot(std::uintptr_t one, std::uintptr_t other) const {
  const area* found = area_of(one);
  return found != nullptr && found == area_of(other) &&
         (one - found->low) / found->slot_bytes == (other - found->low) / found->slot_bytes;
}

}  // namespace weft::sched
