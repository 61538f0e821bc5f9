// Definitions of users' pools: those by ABT_pool_user_def_create, and the older ABT_pool_def, which
// share a C type.
#pragma once

#include <abt.h>

#include "handle.hpp"
#include "pool.hpp"

namespace weft::abt {

// The older kind has a function where this one has null.
struct pool_user_def {
  ABT_pool_def shape;
  pool_callbacks callbacks;
};

inline pool_user_def* user_def_of(ABT_pool_user_def handle) { return face::object_of<pool_user_def>(handle); }
inline bool is_old(ABT_pool_user_def handle) { return handle->u_create_from_thread != nullptr; }

// Those of the older kind: they look into pool::old.
pool_callbacks callbacks_of_old(const ABT_pool_def& old);

}  // namespace weft::abt
