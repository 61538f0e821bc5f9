// Values of work units by key, which any caller may read and write. The value that is set first has
// its place in the unit's fields; the others are in a table that the unit gets with its second one.
//
// A unit has few values, looked up far more often than added: short lists, which only grow, with
// the newest in front. Keys count up and are never used twice, so values of a key that was freed
// stay unseen until the unit goes; then their destructors run, too.
#pragma once

#include <abt.h>

#include <cstddef>
#include <cstdint>

#include <weft_abt/atomic.hpp>

#include "handle.hpp"
#include "unit.hpp"

namespace weft::abt {

struct key {
  std::uint32_t id;                 // from 1 on
  void (*destructor)(void* value);  // null: none
};

inline key* key_of(ABT_key handle) { return face::object_of<key>(handle); }

struct keyed_value {
  // written before it is published
  keyed_value* next;
  void (*destructor)(void* value);
  std::uint32_t id;

  atomic<void*> value;
};

struct key_table {
  static constexpr std::uint32_t places = 4;  // for values that need no memory of their own

  std::uint32_t mask;  // how many lists there are, a power of two, less one
  atomic<std::uint32_t> used_places;
  keyed_value place[places];

  atomic<keyed_value*>* lists() { return reinterpret_cast<atomic<keyed_value*>*>(this + 1); }
  atomic<keyed_value*>* list_of(std::uint32_t id) { return lists() + (id & mask); }
  bool has_place(const keyed_value* one) const { return one >= place && one < place + places; }
};

inline bool is_first(const unit_fields* unit, const key* of) { return unit->first_key.load(std::memory_order_relaxed) == of->id; }
inline void* first_value_of(const unit_fields* unit) {
  // [Z78] acquire: as [Z69]; pairs with [Z77]
  return unit->first_value.load(std::memory_order_acquire);
}

// Of the unit's table; null: there is none.
inline const keyed_value* entry_of(const unit_fields* unit, const key* of) {
  // [Z65] acquire: the table is as it was made; pairs with [Z66]
  key_table* const table = unit->keys.load(std::memory_order_acquire);
  if (table == nullptr) return nullptr;
  const std::uint32_t id = of->id;
  // [Z67] acquire: an entry is as it was made; pairs with [Z68]
  const keyed_value* one = table->list_of(id)->load(std::memory_order_acquire);
  while (one != nullptr && one->id != id) one = one->next;
  return one;
}
inline void* value_in(const keyed_value* one) {
  // [Z69] acquire: what the value points to is as it was when it was set; pairs with [Z70]
  return one->value.load(std::memory_order_acquire);
}

// Null: none was set.
inline void* value_of(const unit_fields* unit, const key* of) {
  if (is_first(unit, of)) return first_value_of(unit);
  const keyed_value* const one = entry_of(unit, of);
  return one != nullptr ? value_in(one) : nullptr;
}

// ABT_SUCCESS or ABT_ERR_MEM.
int set_value(unit_fields* unit, const key* of, void* value);

inline bool has_values(const unit_fields* unit) {
  return unit->first_key.load(std::memory_order_relaxed) != 0 || unit->keys.load(std::memory_order_relaxed) != nullptr;
}
// Calls the destructors and frees the table. The unit has ended, or does so; no other caller uses
// its values.
void free_values(unit_fields* unit);

}  // namespace weft::abt
