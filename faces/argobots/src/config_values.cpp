#include "config_values.hpp"

#include <cstdlib>
#include <cstring>

#include "object.hpp"

namespace weft::abt {

namespace {

config_value* find(const config_values* all, int key) {
  for (std::size_t index = 0; index < all->count; ++index) {
    if (all->entries[index].key == key) return &all->entries[index];
  }
  return nullptr;
}

bool grow(config_values* all) {
  const std::size_t room = all->room == 0 ? 8 : 2 * all->room;
  auto* const entries = static_cast<config_value*>(std::realloc(all->entries, room * sizeof(config_value)));
  if (entries == nullptr) return false;
  all->entries = entries;
  all->room = room;
  return true;
}

std::size_t bytes_of(value_type type) {
  switch (type) {
    case value_type::integer: return sizeof(int);
    case value_type::real: return sizeof(double);
    case value_type::pointer: return sizeof(void*);
  }
  return 0;
}

}  // namespace

int create_config(config_values** out) {
  config_values* const made = make_object<config_values>(0);
  if (made == nullptr) return ABT_ERR_MEM;
  *out = made;
  return ABT_SUCCESS;
}

void free_config(config_values* all) {
  std::free(all->entries);
  free_object(all);
}

int put_value(config_values* all, const config_value& one) {
  config_value* place = find(all, one.key);
  if (place == nullptr) {
    if (all->count == all->room && !grow(all)) return ABT_ERR_MEM;
    place = &all->entries[all->count++];
  }
  *place = one;
  return ABT_SUCCESS;
}

int put_value_from(config_values* all, int key, int type, const void* value) {
  if (value == nullptr) {
    if (config_value* const place = find(all, key); place != nullptr) *place = all->entries[--all->count];
    return ABT_SUCCESS;
  }
  config_value one{key, static_cast<value_type>(type), {}};
  const std::size_t bytes = bytes_of(one.type);
  if (bytes == 0) return ABT_ERR_INV_ARG;
  std::memcpy(&one.value, value, bytes);
  return put_value(all, one);
}

int get_value(const config_values* all, int key, int* type, void* value) {
  const config_value* const found = find(all, key);
  if (found == nullptr) return ABT_ERR_INV_ARG;
  if (value != nullptr) std::memcpy(value, &found->value, bytes_of(found->type));
  if (type != nullptr) *type = static_cast<int>(found->type);
  return ABT_SUCCESS;
}

}  // namespace weft::abt
