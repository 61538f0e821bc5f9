// Which pool a unit belongs to, and what it is called there.

#include "pool.hpp"
#include "unit_map.hpp"

namespace weft::abt {

weft_thread* thread_of_user_unit(ABT_unit unit) { return find_unit(unit); }

namespace {

// Makes the unit's ABT_unit in a pool that it is about to enter.
int name_in(pool* one, weft_thread* thread, ABT_unit* out) {
  if (one->is_built_in()) {
    *out = built_in_unit(thread);
    return ABT_SUCCESS;
  }
  ABT_unit const made = one->user.create_unit(handle_of(one), handle_of(thread));
  if (made == ABT_UNIT_NULL) return ABT_ERR_OTHER;
  if (const int error = map_unit(made, thread); error != ABT_SUCCESS) {
    one->user.free_unit(handle_of(one), made);
    return error;
  }
  one->names.fetch_add(1, std::memory_order_relaxed);
  *out = made;
  fields_of(thread)->kind.fetch_or(has_belongings, std::memory_order_relaxed);
  return ABT_SUCCESS;
}

void free_name(pool* one, ABT_unit unit) {
  if (unit == ABT_UNIT_NULL || is_built_in_unit(unit)) return;
  unmap_unit(unit);
  one->user.free_unit(handle_of(one), unit);
  // [Z79] release: done with the pool; pairs with [Z80]
  one->names.fetch_sub(1, std::memory_order_release);
}

}  // namespace

int associate_new_with_user_pool(weft_thread* thread, pool* one) {
  unit_fields* const fields = fields_of(thread);
  const int error = name_in(one, thread, &fields->unit);
  if (error == ABT_SUCCESS) fields->home = one;
  return error;
}

int rebind_elsewhere(weft_thread* thread, pool* one) {
  unit_fields* const fields = fields_of(thread);
  ABT_unit name = ABT_UNIT_NULL;
  if (const int error = name_in(one, thread, &name); error != ABT_SUCCESS) return error;
  free_name(fields->home, fields->unit);
  fields->unit = name;
  fields->home = one;
  return ABT_SUCCESS;
}

int associate(weft_thread* thread, pool* one) {
  if (const int error = rebind(thread, one); error != ABT_SUCCESS) return error;
  return weft_ext_thread_set_pool(thread, one->queue) == WEFT_OK ? ABT_SUCCESS : ABT_ERR_OTHER;
}

void dissociate(weft_thread* thread) {
  unit_fields* const fields = fields_of(thread);
  free_name(fields->home, fields->unit);
  fields->unit = ABT_UNIT_NULL;
  fields->home = nullptr;
}

}  // namespace weft::abt
