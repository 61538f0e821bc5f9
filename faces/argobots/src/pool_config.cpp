// ABT_pool_config_*

#include <abt.h>

#include "config_values.hpp"

using namespace weft::abt;

extern "C" {

const ABT_pool_config_var ABT_pool_config_automatic = {-2, ABT_POOL_CONFIG_INT};

int ABT_pool_config_create(ABT_pool_config* config) {
  config_values* made = nullptr;
  const int error = create_config(&made);
  if (error == ABT_SUCCESS) *config = reinterpret_cast<ABT_pool_config>(made);
  return error;
}

int ABT_pool_config_free(ABT_pool_config* config) {
  config_values* const all = values_of(*config);
  if (all == nullptr) return ABT_ERR_INV_POOL_CONFIG;
  free_config(all);
  *config = ABT_POOL_CONFIG_NULL;
  return ABT_SUCCESS;
}

int ABT_pool_config_set(ABT_pool_config config, int key, ABT_pool_config_type type, const void* value) {
  config_values* const all = values_of(config);
  return all != nullptr ? put_value_from(all, key, type, value) : ABT_ERR_INV_POOL_CONFIG;
}

int ABT_pool_config_get(ABT_pool_config config, int key, ABT_pool_config_type* type, void* value) {
  const config_values* const all = values_of(config);
  if (all == nullptr) return ABT_ERR_INV_POOL_CONFIG;
  int found = 0;
  const int error = get_value(all, key, &found, value);
  if (error == ABT_SUCCESS && type != nullptr) *type = static_cast<ABT_pool_config_type>(found);
  return error;
}

}  // extern "C"
