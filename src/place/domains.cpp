// See domains.hpp. Protocol A (docs/protocols/A.md) says why a unit that is pushed into the pool of
// a domain is found although the domain's last worker leaves meanwhile.
#include "place/domains.hpp"

#include "os/topology.hpp"
#include "place/pool.hpp"
#include "place/serving.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/wake.hpp"
#include "unit/pool_record.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

pool* own_pool(const worker* w) { return w->rt->domain_pools[w->domain.load(base::relaxed)]; }

// The number of the domain for a cache, made if need be. Inside workers_lock.
status find_domain(runtime* rt, std::uint16_t cache, unsigned* out) {
  const unsigned count = rt->domain_count.load(base::relaxed);
  unsigned domain = 0;
  while (domain < count && rt->domain_caches[domain] != cache) ++domain;
  if (domain == count) {
    const status made = create_pool(WEFT_POOL_LIFO, WEFT_POOL_SHARED, &rt->domain_pools[domain]);
    if (made != status::ok) return made;
    rt->domain_caches[domain] = cache;
    // [A65] release: publishes the pool; pairs with [A62] [A63]
    rt->domain_count.store(domain + 1, base::release);
  }
  *out = domain;
  return status::ok;
}

// One that a worker serves: the caller's own, or any. Worker 0 never leaves the first one.
pool* target_for(runtime* rt, const worker* w) {
  // [A62] acquire: sees the pools; pairs with [A65]
  const unsigned count = rt->domain_count.load(base::acquire);
  if (w != nullptr && own_pool(w)->server_count.load(base::relaxed) != 0) return own_pool(w);
  for (unsigned tried = 0; tried < count; ++tried) {
    pool* one = rt->domain_pools[rt->next_target.fetch_add(1, base::relaxed) % count];
    if (one->server_count.load(base::relaxed) != 0) return one;
  }
  return rt->domain_pools[0];
}

// After a push, and wake_one, whose fence [I6] stands between the push and this look; or after a
// heavy fence.
void forward_if_left(pool* one) {
  if (one->server_count.load(base::relaxed) != 0) [[likely]]
    return;
  while (unit* what = pop_from_pool(one)) make_ready(nullptr, what, push_reason::moved);
}

// Another domain's pool in which something lies, or null. The own one, which w serves, is looked at
// elsewhere.
pool* prey_for(const worker* w) {
  const runtime* rt = w->rt;
  // [A63] acquire: sees the pools; pairs with [A65]
  const unsigned count = rt->domain_count.load(base::acquire);
  for (unsigned step = 1; step < count; ++step) {
    pool* one = rt->domain_pools[(w->domain.load(base::relaxed) + step) % count];
    if (ready_units(one) != 0) return one;
  }
  return nullptr;
}

}  // namespace

status enter_domain(runtime* rt, worker* w) {
  if (!has_domains(rt)) return status::ok;
  unsigned domain = 0;
  const std::uint16_t cache = rt->machine->group(cpu_of(rt, w->index), os::level::cache);
  if (const status found = find_domain(rt, cache, &domain); found != status::ok) return found;
  w->domain.store(static_cast<std::uint16_t>(domain), base::relaxed);
  const queue::guard hold(rt->pools_lock);
  return begin_serving(rt->domain_pools[domain], w);
}

void leave_domain(runtime* rt, worker* w) {
  if (has_domains(rt)) static_cast<void>(stop_serving(own_pool(w), w));
}

bool serves_its_domain_only(const worker* w) { return w->pool_count.load(base::relaxed) == (has_domains(w->rt) ? 1 : 0); }

void push_to_domain(runtime* rt, const worker* w, unit* one, push_reason reason) {
  pool* const target = target_for(rt, w);
  push_to_pool(target, one, reason);
  wake_one(rt);  // if no worker that serves it sleeps, one of another domain may come
  forward_if_left(target);
}

void forward_domain(const worker* left) {
  if (has_domains(left->rt)) forward_if_left(own_pool(left));
}

unit* steal_from_domains(const worker* w) {
  pool* one = prey_for(w);
  return one != nullptr ? pop_from_pool(one) : nullptr;
}

bool sees_prey_in_domains(const worker* w) { return prey_for(w) != nullptr; }

}  // namespace weft::sched
