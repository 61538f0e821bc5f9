// Pools by ABT_pool_def, in terms of today's callbacks.

#include "pool_user_def.hpp"

namespace weft::abt {

namespace {

const ABT_pool_def& old_of(ABT_pool handle) { return pool_of(handle)->old; }

ABT_thread thread_in(ABT_unit unit) { return unit == ABT_UNIT_NULL ? ABT_THREAD_NULL : handle_of(thread_of_unit(unit)); }

ABT_unit create_unit(ABT_pool one, ABT_thread thread) { return old_of(one).u_create_from_thread(thread); }
void free_unit(ABT_pool one, ABT_unit unit) { old_of(one).u_free(&unit); }
ABT_bool is_empty(ABT_pool one) { return old_of(one).p_get_size(one) == 0 ? ABT_TRUE : ABT_FALSE; }
ABT_thread pop(ABT_pool one, ABT_pool_context) { return thread_in(old_of(one).p_pop(one)); }
void push(ABT_pool one, ABT_unit unit, ABT_pool_context) { old_of(one).p_push(one, unit); }
int init(ABT_pool one, ABT_pool_config config) { return old_of(one).p_init(one, config); }
void free(ABT_pool one) { static_cast<void>(old_of(one).p_free(one)); }
size_t get_size(ABT_pool one) { return old_of(one).p_get_size(one); }

struct printing {
  void* argument;
  void (*print)(void* argument, ABT_thread thread);
};

void print_unit(void* state, ABT_unit unit) {
  const auto* const mine = static_cast<printing*>(state);
  mine->print(mine->argument, thread_in(unit));
}

void print_all(ABT_pool one, void* argument, void (*print)(void*, ABT_thread)) {
  printing mine{argument, print};
  static_cast<void>(old_of(one).p_print_all(one, &mine, print_unit));
}

}  // namespace

pool_callbacks callbacks_of_old(const ABT_pool_def& old) {
  pool_callbacks made{create_unit, free_unit, is_empty, pop,     push,    nullptr,
                      nullptr,     get_size,  nullptr,  nullptr, nullptr, nullptr};
  if (old.p_init != nullptr) made.init = init;
  if (old.p_free != nullptr) made.free = free;
  if (old.p_print_all != nullptr) made.print_all = print_all;
  return made;
}

}  // namespace weft::abt
