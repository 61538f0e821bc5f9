// Callers of sync/ for models: each logical thread is a caller of its own, outside of any worker.
// For one file of a program.
#pragma once

#include <cstdint>

#include "explorer/explorer.hpp"
#include "sync/caller.hpp"

namespace weft::sync {

bool caller_may_be_several() { return false; }
std::uintptr_t caller_id() { return static_cast<std::uintptr_t>(explorer::current_thread()) + 2; }
caller who_calls() { return {caller_id(), false}; }
bool others_may_run() { return false; }  // to the queue at once

}  // namespace weft::sync
