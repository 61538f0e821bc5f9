// ABT_key_*, and the tables of key.hpp.
#include "key.hpp"

#include <weft/hot.h>

#include "environment.hpp"
#include "faces/common/object.hpp"
#include "runtime.hpp"

namespace weft::abt {

namespace {

constexpr int most_rounds = 4;  // destructors may set values again

atomic<std::uint32_t> last_key_id{0};

key_table* make_table(std::uint32_t lists) {
  key_table* const table = face::make_object<key_table>(lists * sizeof(atomic<keyed_value*>));
  if (table == nullptr) return nullptr;
  table->mask = lists - 1;
  for (std::uint32_t i = 0; i < lists; ++i) new (table->lists() + i) atomic<keyed_value*>{nullptr};
  return table;
}

// Null: no memory.
key_table* table_of(unit_fields* unit) {
  // [Z71] acquire: as [Z65]; pairs with [Z66]
  key_table* table = unit->keys.load(std::memory_order_acquire);
  if (table != nullptr) return table;
  key_table* const fresh = make_table(current_settings().key_table_size);
  if (fresh == nullptr) return nullptr;
  // [Z66] acq_rel: publishes the table; acquire where another was faster; pairs with [Z65] [Z66]
  // [Z71]
  if (unit->keys.compare_exchange_strong(table, fresh, std::memory_order_acq_rel, std::memory_order_acquire)) return fresh;
  face::free_object(fresh);
  return table;
}

keyed_value* find(keyed_value* one, std::uint32_t id, const keyed_value* before) {
  for (; one != before; one = one->next) {
    if (one->id == id) return one;
  }
  return nullptr;
}

keyed_value* make_entry(key_table* table) {
  if (table->used_places.load(std::memory_order_relaxed) < key_table::places) {
    const std::uint32_t place = table->used_places.fetch_add(1, std::memory_order_relaxed);
    if (place < key_table::places) return &table->place[place];
  }
  return face::make_object<keyed_value>(0);
}

void free_entry(key_table* table, keyed_value* one) {
  if (!table->has_place(one)) face::free_object(one);
}

// Another caller may add the same key meanwhile: then that entry is returned. Null: no memory.
keyed_value* add(key_table* table, const key* of, keyed_value* seen) {
  keyed_value* const mine = make_entry(table);
  if (mine == nullptr) return nullptr;
  mine->id = of->id;
  mine->destructor = of->destructor;
  mine->next = seen;
  // [Z68] acq_rel: publishes the entry; acquire where another came first; pairs with [Z67] [Z68]
  // [Z73]
  while (!table->list_of(of->id)->compare_exchange_weak(mine->next, mine, std::memory_order_acq_rel, std::memory_order_acquire)) {
    if (keyed_value* const same = find(mine->next, of->id, seen); same != nullptr) {
      free_entry(table, mine);
      return same;
    }
    seen = mine->next;
  }
  return mine;
}

// False: another key has it.
bool takes_first_place(unit_fields* unit, const key* of) {
  std::uint32_t there = unit->first_key.load(std::memory_order_relaxed);
  if (there == 0 && unit->first_key.compare_exchange_strong(there, of->id, std::memory_order_relaxed)) {
    unit->first_destructor.store(of->destructor, std::memory_order_relaxed);
    unit->kind.fetch_or(has_belongings, std::memory_order_relaxed);
    return true;
  }
  return there == of->id;
}

// ---- when the unit goes ----

// A value is not there any more when its destructor runs, which may set this one and others. False:
// there was none to call it for.
bool destroy(atomic<void*>* place, void (*destructor)(void* value)) {
  void* const value = place->load(std::memory_order_relaxed);
  if (value == nullptr || destructor == nullptr) return false;
  place->store(nullptr, std::memory_order_relaxed);
  destructor(value);
  return true;
}

bool destroy_values(key_table* table) {
  bool was_any = false;
  for (std::uint32_t i = 0; i <= table->mask; ++i) {
    for (keyed_value* one = table->lists()[i].load(std::memory_order_relaxed); one != nullptr; one = one->next) {
      if (destroy(&one->value, one->destructor)) was_any = true;
    }
  }
  return was_any;
}

// Each value that is there, once, and those that are set meanwhile in later places. False: there
// was none.
bool destroy_values(unit_fields* unit) {
  const bool had_first = destroy(&unit->first_value, unit->first_destructor.load(std::memory_order_relaxed));
  key_table* const table = unit->keys.load(std::memory_order_relaxed);
  const bool had_others = table != nullptr && destroy_values(table);
  return had_first || had_others;
}

void free_table(key_table* table) {
  for (std::uint32_t i = 0; i <= table->mask; ++i) {
    keyed_value* next;
    for (keyed_value* one = table->lists()[i].load(std::memory_order_relaxed); one != nullptr; one = next) {
      next = one->next;
      free_entry(table, one);
    }
  }
  face::free_object(table);
}

}  // namespace

int set_value(unit_fields* unit, const key* of, void* value) {
  if (takes_first_place(unit, of)) {
    // [Z77] release: as [Z70]; pairs with [Z78]
    unit->first_value.store(value, std::memory_order_release);
    return ABT_SUCCESS;
  }
  key_table* const table = table_of(unit);
  if (table == nullptr) return ABT_ERR_MEM;
  // [Z73] acquire: as [Z67]; pairs with [Z68]
  keyed_value* const first = table->list_of(of->id)->load(std::memory_order_acquire);
  keyed_value* entry = find(first, of->id, nullptr);
  if (entry == nullptr) entry = add(table, of, first);
  if (entry == nullptr) return ABT_ERR_MEM;
  // [Z70] release: publishes what the value points to; pairs with [Z69]
  entry->value.store(value, std::memory_order_release);
  return ABT_SUCCESS;
}

void free_values(unit_fields* unit) {
  for (int round = 0; round < most_rounds && destroy_values(unit); ++round) continue;
  unit->first_value.store(nullptr, std::memory_order_relaxed);
  unit->first_key.store(0, std::memory_order_relaxed);
  key_table* const table = unit->keys.exchange(nullptr, std::memory_order_relaxed);
  if (table != nullptr) free_table(table);
}

}  // namespace weft::abt

using namespace weft::abt;

namespace {

// ABT_SUCCESS: the caller is a work unit.
int find_caller(unit_fields** out) {
  weft_thread* const self = weft_hot_self();
  if (self == nullptr || !have_fields() || !fields_of(self)->is(is_unit))
    return is_initialized() ? ABT_ERR_INV_XSTREAM : ABT_ERR_UNINITIALIZED;
  *out = fields_of(self);
  return ABT_SUCCESS;
}

[[gnu::noinline]] int get_slowly(ABT_key handle, void** value) {
  unit_fields* self;
  const int problem = find_caller(&self);
  if (problem == ABT_SUCCESS) *value = value_of(self, key_of(handle));
  return problem;
}

}  // namespace

int ABT_key_create(void (*destructor)(void* value), ABT_key* newkey) {
  if (newkey == nullptr) return ABT_ERR_INV_ARG;
  key* const made = face::make_object<key>(0);
  if (made == nullptr) return ABT_ERR_MEM;
  made->id = last_key_id.fetch_add(1, std::memory_order_relaxed) + 1;
  made->destructor = destructor;
  *newkey = reinterpret_cast<ABT_key>(made);
  return ABT_SUCCESS;
}

int ABT_key_free(ABT_key* handle) {
  if (handle == nullptr || *handle == ABT_KEY_NULL) return ABT_ERR_INV_KEY;
  face::free_object(key_of(*handle));
  *handle = ABT_KEY_NULL;
  return ABT_SUCCESS;
}

int ABT_key_set(ABT_key handle, void* value) {
  if (handle == ABT_KEY_NULL) return ABT_ERR_INV_KEY;
  unit_fields* self;
  const int problem = find_caller(&self);
  return problem == ABT_SUCCESS ? set_value(self, key_of(handle), value) : problem;
}

int ABT_key_get(ABT_key handle, void** value) {
  if (handle == ABT_KEY_NULL) return ABT_ERR_INV_KEY;
  weft_thread* const running = *weft_hot_here()->self;
  if (running == nullptr || !have_fields()) [[unlikely]]
    return get_slowly(handle, value);
  const unit_fields* const its = fields_of(running);
  if (is_first(its, key_of(handle))) {
    *value = first_value_of(its);
    return ABT_SUCCESS;
  }
  const keyed_value* const one = entry_of(its, key_of(handle));
  if (one == nullptr) [[unlikely]]
    return get_slowly(handle, value);  // a fork (weft/hot.h) has no values in fields of its own
  *value = value_in(one);
  return ABT_SUCCESS;
}
