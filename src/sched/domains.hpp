// WEFT_LOCALITY_DOMAIN: the workers under one last-level cache share a pool, which they all serve; work goes from one such domain to
// another when a worker has nothing left to do in its own.
#pragma once

#include "base/status.hpp"
#include "sched/runtime.hpp"

namespace weft::sched {

struct worker;
struct unit;
enum class push_reason : int;

inline bool has_domains(const runtime* rt) { return rt->settings.locality == WEFT_LOCALITY_DOMAIN; }

// For a worker that comes to its slot: its domain is found, or made. Inside workers_lock. Errors: nomem.
status enter_domain(runtime* rt, worker* w);
// Inside pools_lock.
void leave_domain(runtime* rt, worker* w);
// Serves nothing but its domain's pool, if that.
bool serves_its_domain_only(const worker* w);

// w: the calling worker, or null.
void push_to_domain(runtime* rt, const worker* w, unit* one, push_reason reason);
// What lies in the pool of a domain that its last worker has left goes to others.
void forward_domain(const worker* left);

// From the pool of another domain, or null.
unit* steal_from_domains(const worker* w);
bool sees_prey_in_domains(const worker* w);

}  // namespace weft::sched
