// ABT_pool_config_*

#include <abt.h>

#include "config_values.hpp"

using namespace weft::abt;

extern "C" {

const ABT_pool_config_var ABT_pool_config_automatic = {-2, ABT_POOL_CONFIG_INT};

int ABT_pool_config_create(ABT_pool_config* config) {
  auto* const made = face::make_object<config_values>(0);
  if (made == nullptr) return ABT_ERR_MEM;
  *config = face::handle_to<ABT_pool_config>(made);
  return ABT_SUCCESS;
}

int ABT_pool_config_free(ABT_pool_config* config) {
  config_values* const all = values_of(*config);
  if (all == nullptr) return ABT_ERR_INV_POOL_CONFIG;
  face::free_object(all);
  *config = ABT_POOL_CONFIG_NULL;
  return ABT_SUCCESS;
}

int ABT_pool_config_set(ABT_pool_config config, int key, ABT_pool_config_type type, const void* value) {
  config_values* const all = values_of(config);
  return all != nullptr ? code_of(all->put_from(key, type, value)) : ABT_ERR_INV_POOL_CONFIG;
}

int ABT_pool_config_get(ABT_pool_config config, int key, ABT_pool_config_type* type, void* value) {
  const config_values* const all = values_of(config);
  return all != nullptr ? get_value(all, key, type, value) : ABT_ERR_INV_POOL_CONFIG;
}

}  // extern "C"
