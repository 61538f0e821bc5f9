// ABT_sched_config_*

#include <abt.h>

#include <cstdarg>

#include "config_values.hpp"

using namespace weft::abt;

namespace {

constexpr int key_of_end = -1;

// The value that follows a variable's name in the list.
int take_value(va_list& values, const ABT_sched_config_var& name, config_value* out) {
  *out = {name.idx, static_cast<value_type>(name.type), {}};
  switch (name.type) {
    case ABT_SCHED_CONFIG_INT: out->value.integer = va_arg(values, int); return ABT_SUCCESS;
    case ABT_SCHED_CONFIG_DOUBLE: out->value.real = va_arg(values, double); return ABT_SUCCESS;
    case ABT_SCHED_CONFIG_PTR: out->value.pointer = va_arg(values, void*); return ABT_SUCCESS;
    default: return ABT_ERR_INV_ARG;
  }
}

int put_all(config_values* all, va_list& values) {
  for (;;) {
    const ABT_sched_config_var name = va_arg(values, ABT_sched_config_var);
    if (name.idx == key_of_end) return ABT_SUCCESS;
    config_value one;
    if (const int error = take_value(values, name, &one); error != ABT_SUCCESS) return error;
    if (const int error = code_of(all->put(one)); error != ABT_SUCCESS) return error;
  }
}

}  // namespace

extern "C" {

ABT_sched_config_var ABT_sched_config_var_end = {key_of_end, ABT_SCHED_CONFIG_INT};
ABT_sched_config_var ABT_sched_config_access = {-2, ABT_SCHED_CONFIG_INT};
ABT_sched_config_var ABT_sched_config_automatic = {-3, ABT_SCHED_CONFIG_INT};
ABT_sched_config_var ABT_sched_basic_freq = {-4, ABT_SCHED_CONFIG_INT};

int ABT_sched_config_create(ABT_sched_config* config, ...) {
  auto* const made = face::make_object<config_values>(0);
  if (made == nullptr) return ABT_ERR_MEM;
  va_list values;
  va_start(values, config);
  const int error = put_all(made, values);
  va_end(values);
  if (error != ABT_SUCCESS) {
    face::free_object(made);
    return error;
  }
  *config = face::handle_to<ABT_sched_config>(made);
  return ABT_SUCCESS;
}

int ABT_sched_config_read(ABT_sched_config config, int num_vars, ...) {
  const config_values* const all = values_of(config);
  if (all == nullptr) return ABT_ERR_INV_SCHED_CONFIG;
  va_list places;
  va_start(places, num_vars);
  for (int key = 0; key < num_vars; ++key) {
    if (void* const place = va_arg(places, void*); place != nullptr) {
      static_cast<void>(all->get(key, nullptr, place));  // those that are not set stay as they are
    }
  }
  va_end(places);
  return ABT_SUCCESS;
}

int ABT_sched_config_free(ABT_sched_config* config) {
  config_values* const all = values_of(*config);
  if (all == nullptr) return ABT_ERR_INV_SCHED_CONFIG;
  face::free_object(all);
  *config = ABT_SCHED_CONFIG_NULL;
  return ABT_SUCCESS;
}

int ABT_sched_config_set(ABT_sched_config config, int key, ABT_sched_config_type type, const void* value) {
  config_values* const all = values_of(config);
  return all != nullptr ? code_of(all->put_from(key, type, value)) : ABT_ERR_INV_SCHED_CONFIG;
}

int ABT_sched_config_get(ABT_sched_config config, int key, ABT_sched_config_type* type, void* value) {
  const config_values* const all = values_of(config);
  return all != nullptr ? get_value(all, key, type, value) : ABT_ERR_INV_SCHED_CONFIG;
}

}  // extern "C"
