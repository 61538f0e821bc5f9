// ABT_mutex_attr_*.
#include "faces/common/object.hpp"
#include "handle.hpp"
#include "mutex.hpp"

using namespace weft::abt;

int ABT_mutex_attr_create(ABT_mutex_attr* newattr) {
  if (newattr == nullptr) return ABT_ERR_INV_ARG;
  mutex_attr* const made = face::make_object<mutex_attr>(0);
  if (made == nullptr) return ABT_ERR_MEM;
  *newattr = handle_of(made);
  return ABT_SUCCESS;
}

int ABT_mutex_attr_free(ABT_mutex_attr* attr) {
  if (attr == nullptr || *attr == ABT_MUTEX_ATTR_NULL) return ABT_ERR_INV_MUTEX_ATTR;
  face::free_object(mutex_attr_of(*attr));
  *attr = ABT_MUTEX_ATTR_NULL;
  return ABT_SUCCESS;
}

int ABT_mutex_attr_set_recursive(ABT_mutex_attr attr, ABT_bool recursive) {
  if (attr == ABT_MUTEX_ATTR_NULL) return ABT_ERR_INV_MUTEX_ATTR;
  mutex_attr_of(attr)->is_recursive = recursive == ABT_TRUE;
  return ABT_SUCCESS;
}

int ABT_mutex_attr_get_recursive(ABT_mutex_attr attr, ABT_bool* recursive) {
  if (attr == ABT_MUTEX_ATTR_NULL) return ABT_ERR_INV_MUTEX_ATTR;
  if (recursive == nullptr) return ABT_ERR_INV_ARG;
  *recursive = mutex_attr_of(attr)->is_recursive ? ABT_TRUE : ABT_FALSE;
  return ABT_SUCCESS;
}
