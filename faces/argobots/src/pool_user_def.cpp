// ABT_pool_user_def_*

#include "pool_user_def.hpp"

#include "faces/common/object.hpp"

using namespace weft::abt;

namespace {

template <class Function>
int set_callback(ABT_pool_user_def def, Function pool_callbacks::* which, Function callback) {
  pool_user_def* const one = user_def_of(def);
  if (one == nullptr) return ABT_ERR_INV_POOL_USER_DEF;
  one->callbacks.*which = callback;
  return ABT_SUCCESS;
}

}  // namespace

extern "C" {

int ABT_pool_user_def_create(ABT_pool_user_create_unit_fn p_create_unit, ABT_pool_user_free_unit_fn p_free_unit,
                             ABT_pool_user_is_empty_fn p_is_empty, ABT_pool_user_pop_fn p_pop, ABT_pool_user_push_fn p_push,
                             ABT_pool_user_def* newdef) {
  pool_user_def* const made = face::make_object<pool_user_def>(0);
  if (made == nullptr) return ABT_ERR_MEM;
  made->callbacks.create_unit = p_create_unit;
  made->callbacks.free_unit = p_free_unit;
  made->callbacks.is_empty = p_is_empty;
  made->callbacks.pop = p_pop;
  made->callbacks.push = p_push;
  *newdef = &made->shape;
  return ABT_SUCCESS;
}

int ABT_pool_user_def_free(ABT_pool_user_def* def) {
  pool_user_def* const one = user_def_of(*def);
  if (one == nullptr) return ABT_ERR_INV_POOL_USER_DEF;
  face::free_object(one);
  *def = ABT_POOL_USER_DEF_NULL;
  return ABT_SUCCESS;
}

int ABT_pool_user_def_set_init(ABT_pool_user_def def, ABT_pool_user_init_fn p_init) {
  return set_callback(def, &pool_callbacks::init, p_init);
}

int ABT_pool_user_def_set_free(ABT_pool_user_def def, ABT_pool_user_free_fn p_free) {
  return set_callback(def, &pool_callbacks::free, p_free);
}

int ABT_pool_user_def_set_get_size(ABT_pool_user_def def, ABT_pool_user_get_size_fn p_get_size) {
  return set_callback(def, &pool_callbacks::get_size, p_get_size);
}

int ABT_pool_user_def_set_pop_wait(ABT_pool_user_def def, ABT_pool_user_pop_wait_fn p_pop_wait) {
  return set_callback(def, &pool_callbacks::pop_wait, p_pop_wait);
}

int ABT_pool_user_def_set_pop_many(ABT_pool_user_def def, ABT_pool_user_pop_many_fn p_pop_many) {
  return set_callback(def, &pool_callbacks::pop_many, p_pop_many);
}

int ABT_pool_user_def_set_push_many(ABT_pool_user_def def, ABT_pool_user_push_many_fn p_push_many) {
  return set_callback(def, &pool_callbacks::push_many, p_push_many);
}

int ABT_pool_user_def_set_print_all(ABT_pool_user_def def, ABT_pool_user_print_all_fn p_print_all) {
  return set_callback(def, &pool_callbacks::print_all, p_print_all);
}

}  // extern "C"
