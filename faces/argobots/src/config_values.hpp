// What ABT_pool_config and ABT_sched_config are: values by key. ABT_POOL_CONFIG_INT and
// ABT_SCHED_CONFIG_INT are face::value_type::integer, and so are the other two types.
#pragma once

#include <abt.h>

#include "faces/common/config_values.hpp"
#include "handle.hpp"

namespace weft::abt {

using face::config_value;
using face::config_values;
using face::value_type;

inline config_values* values_of(ABT_pool_config handle) { return face::object_of<config_values>(handle); }
inline config_values* values_of(ABT_sched_config handle) { return face::object_of<config_values>(handle); }

inline int code_of(face::config_result result) {
  switch (result) {
    case face::config_result::done: return ABT_SUCCESS;
    case face::config_result::no_memory: return ABT_ERR_MEM;
    case face::config_result::invalid: break;
  }
  return ABT_ERR_INV_ARG;
}

// Of the interface's two types; *type stays where there is no such key.
template <class Type>
int get_value(const config_values* all, int key, Type* type, void* value) {
  int found = 0;
  if (!all->get(key, &found, value)) return ABT_ERR_INV_ARG;
  if (type != nullptr) *type = static_cast<Type>(found);
  return ABT_SUCCESS;
}

// An int that may not be there, from a config that may be null: then *out stays.
template <class Handle>
void read_config(Handle handle, int key, int* out) {
  if (const config_values* const all = values_of(handle); all != nullptr) static_cast<void>(all->get(key, nullptr, out));
}

}  // namespace weft::abt
