// See stack.hpp. A depot makes slots in chunks, guards and touches them a batch at a time outside
// its lock, and gives the memory of cold ones back to the kernel. Called from any OS thread; caches
// call it when they run empty or over.
#include "mem/stack.hpp"

#include <cstring>
#include <new>

#include "arch/valgrind.hpp"
#include "base/assert.hpp"

namespace weft::mem {

namespace {

unsigned long tell_valgrind(const char* base, std::size_t bytes) { return arch::valgrind::know_stack(base, base + bytes - 1); }

constexpr unsigned colours = 16;
constexpr std::size_t largest_frame_bytes = 64 * 1024;  // that a guard is sure to notice
constexpr std::size_t usual_depth_bytes = 64 * 1024;    // deeper than most stacks go
constexpr std::size_t chunk_bytes = std::size_t{64} << 20;
constexpr std::size_t most_slots_of_chunk = 64;
constexpr std::size_t most_bytes = std::size_t{1} << 56;  // more than any address space; sums below do not overflow

std::size_t slots_of_chunk(std::size_t slot_bytes) {
  const std::size_t fitting = chunk_bytes / slot_bytes;
  return fitting == 0 ? 1 : fitting < most_slots_of_chunk ? fitting : most_slots_of_chunk;
}

}  // namespace

std::size_t guard_bytes(os::guard_kind kind) {
  if (kind == os::guard_kind::none) return 0;
  return base::round_up(largest_frame_bytes, os::page_bytes()) + os::page_bytes();
}

void trim(const stack* one) {
  const std::size_t page = os::page_bytes();
  if (one->usable_bytes() < usual_depth_bytes + page) return;
  const auto low = reinterpret_cast<std::uintptr_t>(one->low);
  const auto header = reinterpret_cast<std::uintptr_t>(one);
  const std::uintptr_t end = (header - usual_depth_bytes) & ~(page - 1);
  if (!os::is_touched(one->low, end - low)) return;
  // Failure leaves the memory touched, which costs nothing but memory.
  static_cast<void>(os::discard(one->low, end - low));
}

void stack_depot::start(const stack_settings& settings) {
  const queue::guard hold(lock_);
  settings_ = settings;
}

void stack_depot::stop() {
  for (std::size_t index = 0; index < warm_.count(); ++index) arch::valgrind::forget_stack(warm_[index]->valgrind);
  for (std::size_t index = 0; index < cold_.count(); ++index) {
    if (cold_[index].is_guarded) arch::valgrind::forget_stack(cold_[index].valgrind);
  }
  for (std::size_t index = 0; index < chunks_.count(); ++index) {
    unmap(chunks_[index].base, chunks_[index].slots * slot_bytes());
  }
  chunks_.clear();
  warm_.clear();
  cold_.clear();
  slots_ = fresh_ = 0;
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
  made->low = base + mem::guard_bytes(guard);
  made->total_bytes = bytes;
  made->origin = origin;
  made->guard = guard;
  made->is_special = guard == os::guard_kind::canary;
  made->valgrind = valgrind;
  return made;
}

// Guards the low end.
bool stack_depot::install_guard(char* base, os::guard_kind* kind) const {
  *kind = settings_.guard;
  const bool is_mapping = settings_.guard == os::guard_kind::mprotect_page && settings_.guards != nullptr;
  if (is_mapping && !settings_.guards->take()) *kind = os::guard_kind::canary;
  if (os::install_guard(base, guard_bytes(*kind), *kind) == status::ok) return true;
  if (!is_mapping || *kind == os::guard_kind::canary) return false;
  settings_.guards->fail();
  *kind = os::guard_kind::canary;
  return os::install_guard(base, guard_bytes(*kind), *kind) == status::ok;
}

// With room for every slot to be free at once, warm or cold, so that giving back cannot fail.
bool stack_depot::add_chunk_of(std::size_t slots) {
  if (settings_.stack_bytes - 1 >= most_bytes) return false;  // 0: rounding it up has overflown
  const std::size_t all = slots_ + slots;
  if (!chunks_.make_room(chunks_.count() + 1)) return false;
  if (!warm_.make_room(all) || !cold_.make_room(all)) return false;
  char* base = map(slots * slot_bytes());
  if (base == nullptr) return false;
  chunks_.push({base, slots});
  slots_ = all;
  fresh_ = slots;
  return true;
}

// Where address space is short there may be room for a single slot.
bool stack_depot::add_chunk() {
  const std::size_t slots = slots_of_chunk(slot_bytes());
  if (add_chunk_of(slots)) return true;
  return slots != 1 && settings_.size_class != default_class && add_chunk_of(1);
}

stack* stack_depot::lay_out_slot(const cold_slot& slot) const {
  const auto colour = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(slot.base) / slot_bytes());
  constexpr stack_origin origin = stack_origin::slot;
  stack* made = lay_out(slot.base, slot_bytes(), origin, slot.guard, colour, slot.valgrind);
  made->size_class = settings_.size_class;
  made->is_special = made->is_special || settings_.size_class != default_class;
  return made;
}

// Inside the lock.
bool stack_depot::pick_cold(cold_batch* picked) {
  if (!cold_.is_empty()) {
    picked->slots[picked->count++] = cold_.pop();
    return true;
  }
  if (counts_.made >= settings_.most || (fresh_ == 0 && !add_chunk())) return false;
  char* base = chunks_.last().base + (chunks_.last().slots - fresh_) * slot_bytes();
  --fresh_;
  ++counts_.made;
  picked->slots[picked->count++] = {base, settings_.guard, false, 0};
  return true;
}

void stack_depot::guard_together(cold_batch* picked) const {
  os::span guards[os::most_spans];
  unsigned count = 0;
  for (unsigned index = 0; index < picked->count; ++index) {
    if (!picked->slots[index].is_guarded) guards[count++] = {picked->slots[index].base, guard_bytes(os::guard_kind::marker)};
  }
  if (count < 2 || !os::install_markers(guards, count)) return;
  for (unsigned index = 0; index < picked->count; ++index) {
    cold_slot* const slot = &picked->slots[index];
    if (slot->is_guarded) continue;
    slot->is_guarded = true;
    slot->valgrind = tell_valgrind(slot->base, slot_bytes());
  }
}

bool stack_depot::guard_slot(cold_slot* slot) const {
  if (slot->is_guarded) return true;
  if (!install_guard(slot->base, &slot->guard)) return false;
  slot->is_guarded = true;
  slot->valgrind = tell_valgrind(slot->base, slot_bytes());
  return true;
}

// The pages where their headers and first frames go.
void stack_depot::touch_tops(const cold_batch& picked) const {
  if (picked.count < 2) return;
  os::span tops[os::most_spans];
  for (unsigned index = 0; index < picked.count; ++index) {
    tops[index] = {picked.slots[index].base + slot_bytes() - os::page_bytes(), os::page_bytes()};
  }
  static_cast<void>(os::populate(tops, picked.count));
}

// Outside the lock. What cannot be guarded goes back.
unsigned stack_depot::prepare(cold_batch* picked, stack** out) {
  if (settings_.guard == os::guard_kind::marker && !arch::valgrind::is_running()) {
    guard_together(picked);
    touch_tops(*picked);
  }
  unsigned count = 0;
  for (; count < picked->count && guard_slot(&picked->slots[count]); ++count) out[count] = lay_out_slot(picked->slots[count]);
  if (count != picked->count) put_away(picked->slots + count, picked->count - count);
  return count;
}

unsigned stack_depot::take_batch(stack** out, unsigned wanted) {
  unsigned count = 0;
  cold_batch picked;
  {
    const queue::guard hold(lock_);
    while (count < wanted && !warm_.is_empty()) out[count++] = warm_.pop();
    while (count + picked.count < wanted && pick_cold(&picked)) {
    }
  }
  return picked.count == 0 ? count : count + prepare(&picked, out + count);
}

unsigned stack_depot::take(stack** out, unsigned wanted) {
  unsigned count = 0;
  while (count < wanted) {
    const unsigned asked = wanted - count < os::most_spans ? wanted - count : os::most_spans;
    const unsigned taken = take_batch(out + count, asked);
    count += taken;
    if (taken < asked) break;
  }
  return count;
}

void stack_depot::put_away(const cold_slot* those, unsigned count) {
  const queue::guard hold(lock_);
  cold_.push(those, count);
}

namespace {

void sort_by_address(stack** those, unsigned count) {
  for (unsigned next = 1; next < count; ++next) {
    stack* const one = those[next];
    unsigned at = next;
    for (; at > 0 && those[at - 1] > one; --at) those[at] = those[at - 1];
    those[at] = one;
  }
}

}  // namespace

// How many of the first slots lie side by side. A canary between them would be lost; other guards
// outlive a discard.
unsigned stack_depot::neighbours(const cold_slot* those, unsigned count) const {
  unsigned run = 1;
  if (those->guard == os::guard_kind::canary) return run;
  while (run < count && those[run].guard == those->guard && those[run].base == those->base + run * slot_bytes()) ++run;
  return run;
}

// Gives the memory beneath back, of neighbours in one call, which is a quarter of the time; the
// slots stay reserved. Outside the lock.
void stack_depot::cool(stack** those, unsigned count) {
  cold_slot slots[os::most_spans];
  sort_by_address(those, count);
  for (unsigned index = 0; index < count; ++index)
    slots[index] = {those[index]->base, those[index]->guard, true, those[index]->valgrind};
  for (unsigned first = 0; first < count;) {
    const unsigned run = neighbours(slots + first, count - first);
    char* const base = slots[first].base;
    const std::size_t guarded = mem::guard_bytes(slots[first].guard);
    // Failure leaves the memory touched, which costs nothing but memory.
    static_cast<void>(os::discard(base + guarded, run * slot_bytes() - guarded));
    // Of threads that were left by a jump: the next header may lie there.
    os::forget_frames(base, run * slot_bytes());
    first += run;
  }
  const queue::guard hold(lock_);
  cold_.push(slots, count);
  counts_.cooled += count;
}

void stack_depot::give_batch(stack* const* those, unsigned count) {
  stack* cold[os::most_spans];
  unsigned cold_count = 0;
  {
    const std::size_t keep = settings_.keep_bytes / os::page_bytes();
    const queue::guard hold(lock_);
    for (unsigned index = 0; index < count; ++index) {
      if (warm_.count() < keep || those[index]->sanitizer != nullptr) {
        warm_.push(those[index]);
      } else {
        cold[cold_count++] = those[index];
      }
    }
  }
  if (cold_count != 0) cool(cold, cold_count);
}

void stack_depot::give(stack* const* those, unsigned count) {
  if (count == 0) return;  // another thread may be starting it
  if (settings_.size_class != default_class) {
    for (unsigned index = 0; index < count; ++index) trim(those[index]);
  }
  for (unsigned done = 0; done < count; done += os::most_spans) {
    give_batch(those + done, count - done < os::most_spans ? count - done : os::most_spans);
  }
}

stack_depot::counts stack_depot::count() {
  const queue::guard hold(lock_);
  return counts_;
}

std::size_t stack_depot::lent() {
  const queue::guard hold(lock_);
  return slots_ - fresh_ - warm_.count() - cold_.count();
}

stack* stack_depot::make_mapping(std::size_t usable_bytes) {
  if (usable_bytes > most_bytes) return nullptr;
  const std::size_t page = os::page_bytes();
  const std::size_t guarded = mem::guard_bytes(settings_.guard);
  const std::size_t bytes = base::round_up(usable_bytes + sizeof(stack), page) + guarded;
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
  if (one->origin != stack_origin::mapping) return;
  if (one->guard == os::guard_kind::mprotect_page && settings_.guards != nullptr) settings_.guards->give_back();
  unmap(one->base, one->total_bytes);
}

template <unsigned Most, unsigned Batch>
bool stack_cache_of<Most, Batch>::refill() {
  cold_ = count_ = depot_->take(slots_, batch_);
  if (batch_ < Batch) batch_ *= 2;
  return count_ != 0;
}

template <unsigned Most, unsigned Batch>
void stack_cache_of<Most, Batch>::spill() {
  // The oldest go; the hot ones stay.
  depot_->give(slots_, Batch);
  count_ -= Batch;
  cold_ = cold_ > Batch ? cold_ - Batch : 0;
  std::memmove(slots_, slots_ + Batch, count_ * sizeof *slots_);
}

template <unsigned Most, unsigned Batch>
void stack_cache_of<Most, Batch>::stop() {
  depot_->give(slots_, count_);
  cold_ = count_ = 0;
}

template <unsigned Most, unsigned Batch>
void stack_cache_of<Most, Batch>::trim() {
  for (unsigned index = 0; index < count_; ++index) mem::trim(slots_[index]);
}

template class stack_cache_of<64, 32>;
template class stack_cache_of<8, 2>;

}  // namespace weft::mem
