#include "mem/stack.hpp"

#include <cstring>
#include <new>

#include "arch/valgrind.hpp"
#include "base/assert.hpp"

namespace weft::mem {

namespace {

unsigned long tell_valgrind(const char* base, std::size_t bytes) { return arch::valgrind::know_stack(base, base + bytes - 1); }

constexpr unsigned colours = 16;
constexpr std::size_t most_bytes = std::size_t{1} << 56;  // more than any address space; sums below do not overflow

}  // namespace

void stack_depot::stop() {
  for (std::size_t index = 0; index < warm_.count(); ++index) arch::valgrind::forget_stack(warm_[index]->valgrind);
  for (std::size_t index = 0; index < cold_.count(); ++index) arch::valgrind::forget_stack(cold_[index].valgrind);
  for (std::size_t index = 0; index < chunks_.count(); ++index) unmap(chunks_[index], slots_per_chunk * settings_.slot_bytes);
  chunks_.clear();
  warm_.clear();
  cold_.clear();
  fresh_ = 0;
}

char* stack_depot::map(std::size_t bytes) {
  const stack_memory& memory = settings_.memory;
  auto* base = static_cast<char*>(memory.map != nullptr ? memory.map(memory.state, bytes) : os::reserve(bytes, os::page_bytes()));
  if (base != nullptr) os::no_huge_pages(base, bytes);
  return base;
}

void stack_depot::unmap(void* base, std::size_t bytes) {
  os::forget_frames(base, bytes);
  const stack_memory& memory = settings_.memory;
  if (memory.map == nullptr) {
    os::release(base, bytes);
  } else if (memory.unmap != nullptr) {
    memory.unmap(memory.state, base, bytes);
  }
}

stack* stack_depot::lay_out(char* base, std::size_t bytes, stack_origin origin, os::guard_kind guard, unsigned colour,
                            unsigned long valgrind) {
  char* header = base + bytes - sizeof(stack) - colour % colours * base::cache_line;
  auto* made = new (header) stack{};
  made->base = base;
  made->low = base + (guard == os::guard_kind::none ? 0 : os::page_bytes());
  made->total_bytes = bytes;
  made->origin = origin;
  made->guard = guard;
  made->valgrind = valgrind;
  return made;
}

// Guards the lowest page. Where each guard is a mapping of its own the kernel's limit on mappings ends them: from then on overflows are
// found by a pattern, late but still.
bool stack_depot::install_guard(char* base, os::guard_kind* kind) {
  if (os::install_guard(base, os::page_bytes(), settings_.guard) == status::ok) {
    *kind = settings_.guard;
    return true;
  }
  if (settings_.guard != os::guard_kind::mprotect_page) return false;
  base::report("no more guard pages (vm.max_map_count?): further stacks are guarded by a pattern that is checked when they end");
  settings_.guard = os::guard_kind::canary;
  *kind = os::guard_kind::canary;
  return os::install_guard(base, os::page_bytes(), settings_.guard) == status::ok;
}

// With room for every slot to be free at once, warm or cold, so that giving back cannot fail.
bool stack_depot::add_chunk() {
  const std::size_t chunks = chunks_.count() + 1, slots = chunks * slots_per_chunk;
  if (!chunks_.make_room(chunks) || !warm_.make_room(slots) || !cold_.make_room(slots)) return false;
  char* base = map(slots_per_chunk * settings_.slot_bytes);
  if (base == nullptr) return false;
  chunks_.push(base);
  fresh_ = slots_per_chunk;
  return true;
}

stack* stack_depot::take_one() {
  if (!warm_.is_empty()) return warm_.pop();
  if (!cold_.is_empty()) {
    const cold_slot one = cold_.pop();
    const auto colour = static_cast<unsigned>(cold_.count());
    return lay_out(one.base, settings_.slot_bytes, stack_origin::slot, one.guard, colour, one.valgrind);
  }
  if (fresh_ == 0 && !add_chunk()) return nullptr;
  char* base = chunks_.last() + (slots_per_chunk - fresh_) * settings_.slot_bytes;
  os::guard_kind guard{};
  if (!install_guard(base, &guard)) return nullptr;
  --fresh_;
  ++counts_.made;
  return lay_out(base, settings_.slot_bytes, stack_origin::slot, guard, fresh_, tell_valgrind(base, settings_.slot_bytes));
}

unsigned stack_depot::take(stack** out, unsigned wanted) {
  const queue::guard hold(lock_);
  unsigned count = 0;
  for (; count < wanted; ++count) {
    out[count] = take_one();
    if (out[count] == nullptr) break;
  }
  return count;
}

// Gives the memory beneath back; the slot stays reserved.
void stack_depot::cool(stack* one) {
  const cold_slot slot{one->base, one->guard, one->valgrind};
  const std::size_t guard_bytes = one->guard_bytes();
  // Failure leaves the memory touched, which costs nothing but memory.
  static_cast<void>(os::discard(slot.base + guard_bytes, settings_.slot_bytes - guard_bytes));
  cold_.push(slot);
  ++counts_.cooled;
}

void stack_depot::give(stack* const* those, unsigned count) {
  const std::size_t keep = settings_.keep_bytes / os::page_bytes();
  const queue::guard hold(lock_);
  for (unsigned index = 0; index < count; ++index) {
    if (warm_.count() < keep || those[index]->sanitizer != nullptr) {
      warm_.push(those[index]);
    } else {
      cool(those[index]);
    }
  }
}

stack_depot::counts stack_depot::count() {
  const queue::guard hold(lock_);
  return counts_;
}

stack* stack_depot::make_mapping(std::size_t usable_bytes) {
  if (usable_bytes > most_bytes) return nullptr;
  const std::size_t page = os::page_bytes();
  const std::size_t bytes = base::round_up(usable_bytes + sizeof(stack), page) + page;
  char* base = map(bytes);
  if (base == nullptr) return nullptr;
  os::guard_kind guard{};
  bool is_guarded = false;
  {
    const queue::guard hold(lock_);
    is_guarded = install_guard(base, &guard);
    if (is_guarded) ++counts_.made;
  }
  if (is_guarded) return lay_out(base, bytes, stack_origin::mapping, guard, 0, tell_valgrind(base, bytes));
  unmap(base, bytes);
  return nullptr;
}

stack* stack_depot::adopt(void* memory, std::size_t bytes) {
  auto* base = static_cast<char*>(memory);
  const auto end = (reinterpret_cast<std::uintptr_t>(base) + bytes) & ~(base::cache_line - 1);
  auto* made = new (reinterpret_cast<void*>(end - sizeof(stack))) stack{};
  made->base = made->low = base;
  made->total_bytes = bytes;
  made->origin = stack_origin::user;
  made->guard = os::guard_kind::none;
  made->valgrind = tell_valgrind(base, bytes);
  return made;
}

void stack_depot::destroy(stack* one) {
  arch::valgrind::forget_stack(one->valgrind);
  if (one->origin == stack_origin::mapping) unmap(one->base, one->total_bytes);
}

bool stack_cache::refill() {
  cold_ = count_ = depot_->take(slots_, batch);
  return count_ != 0;
}

void stack_cache::spill() {
  // The older half goes; the hot ones stay.
  depot_->give(slots_, batch);
  count_ -= batch;
  cold_ = cold_ > batch ? cold_ - batch : 0;
  std::memmove(slots_, slots_ + batch, count_ * sizeof *slots_);
}

void stack_cache::stop() {
  depot_->give(slots_, count_);
  cold_ = count_ = 0;
}

}  // namespace weft::mem
