// See key.hpp. The table of keys belongs to the process; values lie with their unit or OS thread,
// which alone reads and writes them. Forks share their forker's values, under a lock.
#include "thread/key.hpp"

#include <cstdlib>
#include <cstring>

#include "base/atomic.hpp"
#include "os/heap.hpp"
#include "queue/spinlock.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "run/left_behind.hpp"
#include "thread/thread.hpp"
#include "unit/unit.hpp"
#include "worker/extras.hpp"
#include "worker/local.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

constexpr int most_rounds = 4;

// An odd generation is a live key. Only the generation decides, so a stale key is harmless.
struct key_slot {
  base::atomic<std::uint32_t> generation{0};
  base::atomic<void (*)(void*)> destructor{nullptr};
};

constinit key_slot slots[most_keys];
constinit queue::spinlock slots_lock;
constinit queue::spinlock shared_lock;  // guards the values of forkers, which their forks use too

bool is_live(weft_key key) {
  return key.index < most_keys && key.generation % 2 != 0 && slots[key.index].generation.load(base::relaxed) == key.generation;
}

bool grow(key_value** values, std::uint32_t* capacity, std::uint32_t needed) {
  if (needed <= *capacity) return true;
  std::uint32_t wanted = *capacity == 0 ? 8 : *capacity * 2;
  if (wanted < needed) wanted = needed;
  auto* larger = static_cast<key_value*>(os::reallocate(*values, wanted * sizeof(key_value)));
  if (larger == nullptr) return false;
  std::memset(larger + *capacity, 0, (wanted - *capacity) * sizeof(key_value));
  *values = larger;
  *capacity = wanted;
  return true;
}

struct table {
  key_value** values;
  std::uint32_t* capacity;
};

// Keeps others of the caller's identity out, if there can be any.
class sharing {
 public:
  sharing() : is_needed_(has_company()) {
    if (is_needed_) [[unlikely]]
      shared_lock.lock();
  }
  ~sharing() {
    if (is_needed_) [[unlikely]]
      shared_lock.unlock();
  }
  sharing(const sharing&) = delete;
  sharing& operator=(const sharing&) = delete;

 private:
  static bool has_company() {
    const worker* w = local::current_worker();
    return w != nullptr && w->current != nullptr && shares_identity(w);
  }
  const bool is_needed_;
};

// The caller's values; with `make`, a place for them is made. values null: there is none.
table table_of_caller(bool make) {
  if (unit* self = identity_of(local::current_unit()); self != nullptr) {
    details* extra = make ? details_of(self) : details_if_any(self);
    return extra != nullptr ? table{&extra->keys, &extra->key_capacity} : table{nullptr, nullptr};
  }
  outside* record = local::this_outside();
  if (record != nullptr && make) record->end_keys = run_key_destructors;
  return record != nullptr ? table{&record->keys, &record->key_capacity} : table{nullptr, nullptr};
}

// One round over a table that destructors may grow. False: no value was left.
bool run_round(key_value** values, const std::uint32_t* capacity) {
  bool any = false;
  for (std::uint32_t index = 0; index < *capacity; ++index) {
    const key_value entry = (*values)[index];
    if (entry.value == nullptr || !is_live({index, entry.generation})) continue;
    (*values)[index].value = nullptr;
    const auto destructor = slots[index].destructor.load(base::relaxed);
    if (destructor == nullptr) continue;
    destructor(entry.value);
    any = true;
  }
  return any;
}

}  // namespace

status create_key(void (*destructor)(void* value), weft_key* out) {
  const queue::guard hold(slots_lock);
  for (std::uint32_t index = 0; index < most_keys; ++index) {
    key_slot& slot = slots[index];
    const std::uint32_t generation = slot.generation.load(base::relaxed);
    if (generation % 2 != 0) continue;
    slot.destructor.store(destructor, base::relaxed);
    slot.generation.store(generation + 1, base::relaxed);
    *out = {index, generation + 1};
    return status::ok;
  }
  return status::again;
}

status delete_key(weft_key key) {
  const queue::guard hold(slots_lock);
  if (!is_live(key)) return status::invalid;
  slots[key.index].generation.store(key.generation + 1, base::relaxed);
  return status::ok;
}

namespace {

void* value_in(const key_value& entry, weft_key key) {
  return entry.generation == key.generation && is_live(key) ? entry.value : nullptr;
}

// The place of the value, where the caller is a unit that no other shares its values with and there
// is one; else null.
[[gnu::always_inline]] inline key_value* own_place(weft_key key) {
  const worker* const w = local::current_worker();
  if (w == nullptr || w->current == nullptr || shares_identity(w)) [[unlikely]]
    return nullptr;
  const details* const extra = details_if_any(w->current);
  return extra != nullptr && key.index < extra->key_capacity ? &extra->keys[key.index] : nullptr;
}

[[gnu::noinline]] status set_shared_value(weft_key key, void* value) {
  const sharing hold;
  const table place = table_of_caller(true);
  if (place.values == nullptr || !grow(place.values, place.capacity, key.index + 1)) return tell(status::nomem, setting_value);
  (*place.values)[key.index] = {value, key.generation};
  return status::ok;
}

[[gnu::noinline]] void* get_shared_value(weft_key key) {
  const sharing hold;
  const table place = table_of_caller(false);
  if (place.values == nullptr || key.index >= *place.capacity) return nullptr;
  return value_in((*place.values)[key.index], key);
}

}  // namespace

status set_value(weft_key key, void* value) {
  if (!is_live(key)) [[unlikely]]
    return tell(status::invalid, setting_value, nullptr, key.index);
  key_value* const place = own_place(key);
  if (place == nullptr) [[unlikely]]
    return set_shared_value(key, value);
  *place = {value, key.generation};
  return status::ok;
}

void* get_value(weft_key key) {
  const key_value* const place = own_place(key);
  return place != nullptr ? value_in(*place, key) : get_shared_value(key);
}

void run_key_destructors(key_value** values, std::uint32_t* capacity) {
  for (int round = 0; round < most_rounds && run_round(values, capacity); ++round) {
  }
  std::free(*values);
  *values = nullptr;
  *capacity = 0;
}

void run_key_destructors(unit* one) {
  refuse_if_left_behind("the end of a thread");
  if (details* extra = details_if_any(one); extra != nullptr) run_key_destructors(&extra->keys, &extra->key_capacity);
  refuse_if_left_behind("the end of a thread");  // a destructor may have forked
}

}  // namespace weft::sched
