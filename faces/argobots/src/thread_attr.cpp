// ABT_thread_attr_*.

#include "thread_attr.hpp"

#include <cstdint>

#include "environment.hpp"
#include "faces/common/object.hpp"
#include "runtime.hpp"

using namespace weft::abt;

namespace {

constexpr std::uintptr_t stack_alignment = 8;

}  // namespace

int ABT_thread_attr_create(ABT_thread_attr* newattr) {
  *newattr = ABT_THREAD_ATTR_NULL;
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  auto* const made = face::make_object<thread_attr>(0, nullptr, current_settings().thread_stack_bytes, true, nullptr, nullptr);
  if (made == nullptr) return ABT_ERR_MEM;
  *newattr = handle_of(made);
  return ABT_SUCCESS;
}

int ABT_thread_attr_free(ABT_thread_attr* attr) {
  if (*attr == ABT_THREAD_ATTR_NULL) return ABT_ERR_INV_THREAD_ATTR;
  face::free_object(attr_of(*attr));
  *attr = ABT_THREAD_ATTR_NULL;
  return ABT_SUCCESS;
}

int ABT_thread_attr_set_stack(ABT_thread_attr attr, void* stack, size_t bytes) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (attr == ABT_THREAD_ATTR_NULL) return ABT_ERR_INV_THREAD_ATTR;
  if (reinterpret_cast<std::uintptr_t>(stack) % stack_alignment != 0) return ABT_ERR_INV_ARG;
  attr_of(attr)->stack = stack;
  attr_of(attr)->stack_bytes = bytes;
  return ABT_SUCCESS;
}

int ABT_thread_attr_get_stack(ABT_thread_attr attr, void** stack, size_t* bytes) {
  if (attr == ABT_THREAD_ATTR_NULL) return ABT_ERR_INV_THREAD_ATTR;
  *stack = attr_of(attr)->stack;
  *bytes = attr_of(attr)->stack_bytes;
  return ABT_SUCCESS;
}

int ABT_thread_attr_set_stacksize(ABT_thread_attr attr, size_t bytes) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (attr == ABT_THREAD_ATTR_NULL) return ABT_ERR_INV_THREAD_ATTR;
  attr_of(attr)->stack_bytes = bytes;
  return ABT_SUCCESS;
}

int ABT_thread_attr_get_stacksize(ABT_thread_attr attr, size_t* bytes) {
  if (attr == ABT_THREAD_ATTR_NULL) return ABT_ERR_INV_THREAD_ATTR;
  *bytes = attr_of(attr)->stack_bytes;
  return ABT_SUCCESS;
}

int ABT_thread_attr_set_callback(ABT_thread_attr attr, void (*callback)(ABT_thread thread, void* arg), void* arg) {
  if (attr == ABT_THREAD_ATTR_NULL) return ABT_ERR_INV_THREAD_ATTR;
  attr_of(attr)->callback = callback;
  attr_of(attr)->callback_argument = arg;
  return ABT_SUCCESS;
}

int ABT_thread_attr_set_migratable(ABT_thread_attr attr, ABT_bool is_migratable) {
  if (attr == ABT_THREAD_ATTR_NULL) return ABT_ERR_INV_THREAD_ATTR;
  attr_of(attr)->is_migratable = is_migratable != ABT_FALSE;
  return ABT_SUCCESS;
}
