// What ABT_pool_config and ABT_sched_config are: values by key.
#pragma once

#include <abt.h>

#include <cstddef>

namespace weft::abt {

// ABT_POOL_CONFIG_INT and ABT_SCHED_CONFIG_INT have one value, and so the other two.
enum class value_type : int { integer = 0, real = 1, pointer = 2 };

struct config_value {
  int key;
  value_type type;
  union {
    int integer;
    double real;
    void* pointer;
  } value;
};

struct config_values {
  config_value* entries;
  std::size_t count;
  std::size_t room;
};

// ABT_ codes: ABT_ERR_MEM; ABT_ERR_INV_ARG: no such type, or no such key.
int create_config(config_values** out);
void free_config(config_values* all);
int put_value(config_values* all, const config_value& one);
// A null value removes it.
int put_value_from(config_values* all, int key, int type, const void* value);
// type and value may be null.
int get_value(const config_values* all, int key, int* type, void* value);

inline config_values* values_of(ABT_pool_config handle) { return reinterpret_cast<config_values*>(handle); }
inline config_values* values_of(ABT_sched_config handle) { return reinterpret_cast<config_values*>(handle); }

// An int that may not be there, from a config that may be null: then *out stays.
template <class Handle>
void read_config(Handle handle, int key, int* out) {
  if (const config_values* const all = values_of(handle); all != nullptr) static_cast<void>(get_value(all, key, nullptr, out));
}

}  // namespace weft::abt
