// See stack.hpp. A depot makes slots in chunks, guards and touches them a batch at a time outside
// its lock, and gives the memory of cold ones back to the kernel. Called from any OS thread; caches
// call it when they run empty or over.
#include "mem/stack.hpp"

#include <cstring>
#include <new>

#include "arch/valgrind.hpp"
#include "base/assert.hpp"
#include "base/config.hpp"
#include "mem/guard_layout.hpp"

namespace weft::mem {

namespace {

unsigned long tell_valgrind(const char* base, std::size_t bytes) { return arch::valgrind::know_stack(base, base + bytes - 1); }

constexpr unsigned colours = 16;
constexpr std::size_t usual_depth_bytes = 64 * K;    // deeper than most stacks go
constexpr std::size_t small_stack_bytes = 64 * K;    // where address space is short
constexpr std::size_t large_stack_bytes = 2048 * K;  // beside which a wide guard is nothing
constexpr std::size_t chunk_bytes = std::size_t{64} << 20;
constexpr std::size_t most_slots_of_chunk = 64;
constexpr std::size_t floor_of_decay = 1024;              // stacks that stay warm, however long they were not needed
constexpr std::size_t most_bytes = std::size_t{1} << 56;  // more than any address space; sums below do not overflow

constinit base::atomic<bool> has_told_small{false};

std::size_t slots_of_chunk(std::size_t slot_bytes) {
  const std::size_t fitting = chunk_bytes / slot_bytes;
  return fitting == 0 ? 1 : fitting < most_slots_of_chunk ? fitting : most_slots_of_chunk;
}

}  // namespace

std::size_t guard_bytes(std::size_t stack_bytes, os::guard_kind kind, spread how, std::size_t asked_bytes) {
  if (kind == os::guard_kind::none) return 0;
  if (asked_bytes != 0) return base::round_up(asked_bytes, os::page_bytes());
  const bool is_wide = how == spread::wide || (how == spread::dense && stack_bytes >= large_stack_bytes);
  return guard_for(stack_bytes, is_wide ? any_frame_bytes : masses_frame_bytes);
}

std::size_t stack::gap_bytes() const {
  const std::size_t guarded = guard_bytes();
  switch (guard) {
    case os::guard_kind::marker: return guarded - marked_of(guarded, total_bytes - guarded);
    case os::guard_kind::canary: return guarded - os::page_bytes();
    case os::guard_kind::mprotect_page:
    case os::guard_kind::none: break;
  }
  return 0;
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
  most_warm_.store(settings.keep_bytes / os::page_bytes(), base::relaxed);
  has_asked_for_more_.store(false, base::relaxed);
  for (unsigned index = 0; index < spreads; ++index) {
    const auto how = static_cast<spread>(index);
    const bool is_small = how == spread::small && settings.may_shrink && settings.stack_bytes > small_stack_bytes;
    const std::size_t stack_bytes = is_small ? base::round_up(small_stack_bytes, os::page_bytes()) : settings.stack_bytes;
    const std::size_t guard = mem::guard_bytes(stack_bytes, settings.guard, how, settings.guard_bytes);
    shapes_[index] = {stack_bytes + guard, guard};
  }
}

void stack_depot::stop() {
  for (std::size_t index = 0; index < warm_.count(); ++index) arch::valgrind::forget_stack(warm_[index]->valgrind);
  for (std::size_t index = 0; index < cold_.count(); ++index) {
    if (cold_[index].is_guarded) arch::valgrind::forget_stack(cold_[index].valgrind);
  }
  const bool are_all_back = slots_ == fresh_ + warm_.count() + cold_.count();
  for (std::size_t index = 0; index < chunks_.count(); ++index) {
    const chunk& each = chunks_[index];
    if (are_all_back) {
      unmap(each.base, each.slots * each.slot_bytes);
    } else {
      unmap_but_lent(each, index + 1 == chunks_.count());
    }
  }
  chunks_.clear();
  warm_.clear();
  cold_.clear();
  slots_ = fresh_ = mapped_bytes_ = 0;
  surplus_ = {};
  decay_due_ns_.store(surplus::never, base::relaxed);
}

// Each slot that is lent becomes a mapping of its own. Memory that is not Weft's can only be given
// back as a whole.
void stack_depot::unmap_but_lent(const chunk& all, bool is_newest) {
  static_assert(most_slots_of_chunk <= 64);
  const std::size_t slot_bytes = all.slot_bytes;
  std::uint64_t back = 0;  // a bit for each slot
  const auto note = [&](const char* place) {
    const auto offset = static_cast<std::size_t>(place - all.base);
    if (place >= all.base && offset < all.slots * slot_bytes) back |= std::uint64_t{1} << offset / slot_bytes;
  };
  // Their own addresses: with an earlier chunk their headers may be gone.
  for (std::size_t index = 0; index < warm_.count(); ++index) note(warm_[index]->top());
  for (std::size_t index = 0; index < cold_.count(); ++index) note(cold_[index].base);
  const std::size_t used = is_newest ? all.slots - fresh_ : all.slots;
  for (std::size_t slot = used; slot < all.slots; ++slot) note(all.base + slot * slot_bytes);
  const std::uint64_t whole = ~std::uint64_t{0} >> (64 - all.slots);
  if (back == whole) return unmap(all.base, all.slots * slot_bytes);
  if (settings_.memory.map != nullptr) return;
  for (std::size_t slot = 0; slot < all.slots; ++slot) {
    if ((back >> slot & 1) != 0) unmap(all.base + slot * slot_bytes, slot_bytes);
  }
}

char* stack_depot::map(std::size_t bytes) {
  const stack_memory& memory = settings_.memory;
  auto* base = static_cast<char*>(memory.map != nullptr ? memory.map(memory.state, bytes) : os::reserve_unfilled(bytes));
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

stack* stack_depot::lay_out(char* base, const shape& of, stack_origin origin, os::guard_kind guard, unsigned colour,
                            unsigned long valgrind) {
  char* header = base + of.slot_bytes - sizeof(stack) - colour % colours * base::cache_line;
  auto* made = new (header) stack{};
  made->base = base;
  made->low = base + of.guard_bytes;
  made->total_bytes = of.slot_bytes;
  made->origin = origin;
  made->guard = guard;
  made->is_special = guard == os::guard_kind::canary;
  made->valgrind = valgrind;
  return made;
}

// Guards the low end. Locked memory takes no markers.
bool stack_depot::install_guard(char* base, std::size_t bytes, std::size_t stack_bytes, os::guard_kind* kind) const {
  *kind = settings_.guard;
  if (*kind == os::guard_kind::marker) {
    const std::size_t marked = marked_of(bytes, stack_bytes);
    const status result = os::install_guard(base + bytes - marked, marked, *kind);
    if (result != status::unsupported) return result == status::ok;
    *kind = os::guard_kind::mprotect_page;
  }
  const bool is_mapping = *kind == os::guard_kind::mprotect_page && settings_.guards != nullptr;
  if (is_mapping && !settings_.guards->take()) *kind = os::guard_kind::canary;
  if (os::install_guard(base, bytes, *kind) == status::ok) return true;
  if (!is_mapping || *kind == os::guard_kind::canary) return false;
  settings_.guards->fail();
  *kind = os::guard_kind::canary;
  return os::install_guard(base, bytes, *kind) == status::ok;
}

std::size_t stack_depot::list_chunks(std::size_t first, chunk* out, std::size_t capacity) {
  const queue::guard hold(lock_);
  std::size_t count = 0;
  for (; count < capacity && first + count < chunks_.count(); ++count) out[count] = chunks_[first + count];
  return count;
}

// With room for every slot to be free at once, warm or cold, so that giving back cannot fail.
bool stack_depot::add_chunk_of(spread how, std::size_t slots) {
  const shape& of = shape_of(how);
  const std::size_t all = slots_ + slots;
  if (!chunks_.make_room(chunks_.count() + 1)) return false;
  if (!warm_.make_room(all) || !cold_.make_room(all)) return false;
  char* base = map(slots * of.slot_bytes);
  if (base == nullptr) return false;
  chunks_.push({base, slots, of.slot_bytes, of.guard_bytes, how});
  slots_ = all;
  fresh_ = slots;
  mapped_bytes_ += slots * of.slot_bytes;
  return true;
}

bool stack_depot::has_address_space(spread how) const {
  const std::size_t bytes = shape_of(how).slot_bytes * slots_of_chunk(shape_of(how).slot_bytes);
  return mapped_bytes_ + bytes <= settings_.address_bytes;
}

// Told once a process: a program that lives within a limit is to know what that costs.
bool stack_depot::add_small_chunk() {
  const std::size_t bytes = shape_of(spread::small).slot_bytes;
  if (!add_chunk_of(spread::small, slots_of_chunk(bytes))) return false;
  if (has_told_small.exchange(true, base::relaxed)) return true;
  base::report(
      "warning: address space is short (RLIMIT_AS, ulimit -v): further threads get stacks of %zu KiB, not of %zu KiB; raise "
      "that limit, or set WEFT_STACK_SIZE",
      small_stack_bytes / K, settings_.stack_bytes / K);
  return true;
}

// Where address space is short there may be room for a single slot.
bool stack_depot::add_chunk() {
  if (settings_.stack_bytes - 1 >= most_bytes) return false;  // 0: rounding it up has overflown
  const auto whole = [this](spread how) { return add_chunk_of(how, slots_of_chunk(shape_of(how).slot_bytes)); };
  const bool is_limited = settings_.address_bytes != SIZE_MAX;
  if (!is_limited && slots_ < settings_.wide_slots && whole(spread::wide)) return true;
  if ((!settings_.may_shrink || has_address_space(spread::dense)) && whole(spread::dense)) return true;
  if (settings_.may_shrink) return add_small_chunk();
  return settings_.size_class != default_class && add_chunk_of(spread::dense, 1);
}

stack* stack_depot::lay_out_slot(const cold_slot& slot) const {
  const shape& of = shape_of(slot.how);
  const auto colour = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(slot.base) / of.slot_bytes);
  stack* made = lay_out(slot.base, of, stack_origin::slot, slot.guard, colour, slot.valgrind);
  made->how = slot.how;
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
  const chunk& newest = chunks_.last();
  char* base = newest.base + (newest.slots - fresh_) * newest.slot_bytes;
  --fresh_;
  ++counts_.made;
  picked->slots[picked->count++] = {base, settings_.guard, false, newest.how, 0};
  return true;
}

void stack_depot::guard_together(cold_batch* picked) const {
  os::span guards[os::most_spans];
  unsigned count = 0;
  for (unsigned index = 0; index < picked->count; ++index) {
    const cold_slot& slot = picked->slots[index];
    if (slot.is_guarded) continue;
    const shape& of = shape_of(slot.how);
    const std::size_t marked = marked_of(of.guard_bytes, of.slot_bytes - of.guard_bytes);
    guards[count++] = {slot.base + of.guard_bytes - marked, marked};
  }
  if (count < 2 || !os::install_markers(guards, count)) return;
  for (unsigned index = 0; index < picked->count; ++index) {
    cold_slot* const slot = &picked->slots[index];
    if (slot->is_guarded) continue;
    slot->is_guarded = true;
    slot->valgrind = tell_valgrind(slot->base, shape_of(slot->how).slot_bytes);
  }
}

bool stack_depot::guard_slot(cold_slot* slot) const {
  if (slot->is_guarded) return true;
  const shape& of = shape_of(slot->how);
  if (!install_guard(slot->base, of.guard_bytes, of.slot_bytes - of.guard_bytes, &slot->guard)) return false;
  slot->is_guarded = true;
  slot->valgrind = tell_valgrind(slot->base, of.slot_bytes);
  return true;
}

// The pages where their headers and first frames go.
void stack_depot::touch_tops(const cold_batch& picked) const {
  if (picked.count < 2) return;
  os::span tops[os::most_spans];
  for (unsigned index = 0; index < picked.count; ++index) {
    const cold_slot& slot = picked.slots[index];
    tops[index] = {slot.base + shape_of(slot.how).slot_bytes - os::page_bytes(), os::page_bytes()};
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
    surplus_.taken_to(warm_.count());
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
  const std::size_t bytes = shape_of(those->how).slot_bytes;
  const auto follows = [&](const cold_slot& next) {
    return next.guard == those->guard && next.how == those->how && next.base == those->base + run * bytes;
  };
  while (run < count && follows(those[run])) ++run;
  return run;
}

// The gap of a guard may hold something, too. A canary would be lost.
void stack_depot::discard(const cold_slot& first, unsigned run) const {
  const shape& of = shape_of(first.how);
  const std::size_t kept = first.guard == os::guard_kind::canary ? of.guard_bytes : 0;
  // Failure leaves the memory touched, which costs nothing but memory.
  static_cast<void>(os::discard(first.base + kept, run * of.slot_bytes - kept));
  // Of threads that were left by a jump: the next header may lie there.
  os::forget_frames(first.base, run * of.slot_bytes);
}

// Markers keep page tables alive, which take a sixth of the memory of a crowd of stacks. Where the
// kernel gives empty ones back (Linux 6.14), slots that are not needed for long lose theirs; the
// next use guards many in one call. True: those slots have no guards.
bool stack_depot::unguard(const cold_slot& first, unsigned run) const {
  if (run < 2 || first.guard != os::guard_kind::marker || arch::valgrind::is_running()) return false;
  return os::remove_guard(first.base, run * shape_of(first.how).slot_bytes, first.guard) == status::ok;
}

// Gives the memory beneath back, of neighbours in one call, which is a quarter of the time; the
// slots stay reserved. Outside the lock.
void stack_depot::cool(stack** those, unsigned count, bool for_long) {
  cold_slot slots[os::most_spans];
  sort_by_address(those, count);
  for (unsigned index = 0; index < count; ++index)
    slots[index] = {those[index]->base, those[index]->guard, true, those[index]->how, those[index]->valgrind};
  for (unsigned first = 0; first < count;) {
    const unsigned run = neighbours(slots + first, count - first);
    const bool is_guarded = !for_long || !unguard(slots[first], run);
    for (unsigned index = first; index < first + run; ++index) slots[index].is_guarded = is_guarded;
    discard(slots[first], run);
    first += run;
  }
  const queue::guard hold(lock_);
  cold_.push(slots, count);
  counts_.cooled += count;
}

// Those for which there is no room go into cold, which may be the same array; returns how many.
unsigned stack_depot::keep_warm(stack* const* those, unsigned count, stack** cold) {
  unsigned cold_count = 0;
  const std::size_t most = most_warm_.load(base::relaxed);
  const queue::guard hold(lock_);
  for (unsigned index = 0; index < count; ++index) {
    if (warm_.count() < most || those[index]->sanitizer != nullptr) {
      warm_.push(those[index]);
    } else {
      cold[cold_count++] = those[index];
    }
  }
  // TSan's contexts stand on their stacks, as above.
  const bool may_cool = !config::thread_sanitizer && warm_.count() > floor_of_decay;
  if (may_cool && decay_due_ns() == surplus::never) decay_due_ns_.store(0, base::relaxed);
  return cold_count;
}

// Outside the lock. While one asks, others find no room.
bool stack_depot::may_keep_more() {
  if (settings_.more_keep_bytes == nullptr || has_asked_for_more_.exchange(true, base::relaxed)) return false;
  most_warm_.store(settings_.more_keep_bytes() / os::page_bytes(), base::relaxed);
  return true;
}

void stack_depot::give_batch(stack* const* those, unsigned count) {
  stack* cold[os::most_spans];
  unsigned cold_count = keep_warm(those, count, cold);
  if (cold_count != 0 && may_keep_more()) cold_count = keep_warm(cold, cold_count, cold);
  if (cold_count != 0) cool(cold, cold_count, false);
}

bool stack_depot::decay(std::uint64_t now_ns) {
  constexpr unsigned most = 16 * os::most_spans;  // in one step: some 0.2 ms
  stack* those[most];
  unsigned count = 0;
  {
    const queue::guard hold(lock_);
    if (now_ns < decay_due_ns()) return false;  // another worker was here
    std::uint64_t next_ns;
    const std::size_t going = surplus_.ask(now_ns, warm_.count(), floor_of_decay, most, &next_ns);
    while (count < going) those[count++] = warm_.pop();
    decay_due_ns_.store(next_ns, base::relaxed);
  }
  for (unsigned first = 0; first < count; first += os::most_spans) {
    cool(those + first, count - first < os::most_spans ? count - first : os::most_spans, true);
  }
  return count != 0;
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
  const std::size_t stack_bytes = base::round_up(usable_bytes + sizeof(stack), page);
  const spread how = settings_.address_bytes == SIZE_MAX ? spread::wide : spread::small;
  const std::size_t guarded = mem::guard_bytes(stack_bytes, settings_.guard, how, settings_.guard_bytes);
  const shape of = {stack_bytes + guarded, guarded};
  char* base = map(of.slot_bytes);
  if (base == nullptr) return nullptr;
  os::guard_kind guard{};
  bool is_guarded = false;
  {
    const queue::guard hold(lock_);
    is_guarded = install_guard(base, guarded, stack_bytes, &guard);
    if (is_guarded) ++counts_.made;
  }
  if (is_guarded) return lay_out(base, of, stack_origin::mapping, guard, 0, tell_valgrind(base, of.slot_bytes));
  unmap(base, of.slot_bytes);
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

void stack_depot::destroy_left(stack* one, const stack_memory& memory) {
  arch::valgrind::forget_stack(one->valgrind);
  if (one->origin == stack_origin::user) return;
  char* const base = one->base;
  const std::size_t bytes = one->total_bytes;
  os::forget_frames(base, bytes);
  if (memory.map == nullptr) {
    os::release(base, bytes);
  } else if (one->origin == stack_origin::mapping && memory.unmap != nullptr) {
    memory.unmap(memory.state, base, bytes);
  }
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
