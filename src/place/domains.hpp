// WEFT_LOCALITY_DOMAIN: the workers under one last-level cache share a pool, which they all serve;
// work goes from one such domain to another when a worker has nothing left to do in its own.
#pragma once

#include "base/status.hpp"
#include "run/next.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

struct worker;

// For a worker that comes to its slot: its domain is found, or made. Inside workers_lock. Errors:
// nomem.
status enter_domain(runtime* rt, worker* w);
// Inside pools_lock.
void leave_domain(runtime* rt, worker* w);
// Serves nothing but its domain's pool, if that.
bool serves_its_domain_only(const worker* w);

// What lies in the pool of a domain that its last worker has left goes to others.
void forward_domain(const worker* left);

}  // namespace weft::sched
