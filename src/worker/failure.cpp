// See failure.hpp.
#include "worker/failure.hpp"

#include <cstring>
#include <new>

#include "os/heap.hpp"
#include "os/thread.hpp"
#include "queue/spinlock.hpp"
#include "unit/details.hpp"
#include "worker/extras.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// ---- spare records ------------------------------------------------------------------------------

// Of callers that have none of their own. Two callers that meet in one of them share it: the later
// failure stays.
struct spare {
  queue::spinlock lock;
  std::uint64_t owner = 0;  // guarded by lock, as what follows; 0: none so far
  failure what;
};

constexpr unsigned most_spares = 16;
constinit spare spares[most_spares];

enum kind_of_owner : std::uint64_t { os_threads = 1, units = 2, callbacks = 3 };

std::uint64_t owner_number() {
  const worker* const w = local::current_worker();
  if (w == nullptr) return static_cast<std::uint64_t>(os::thread_id()) << 2 | os_threads;
  return w->current != nullptr ? id_of(w->current) << 2 | units : std::uint64_t{w->index} << 2 | callbacks;
}

// A lock that is held is passed over: its holder may be what a signal handler interrupted.
template <class Use>
bool use_spare_of(std::uint64_t owner, std::uint64_t found_owner, Use use) {
  for (unsigned tried = 0; tried < most_spares; ++tried) {
    spare& one = spares[(owner + tried) % most_spares];
    if (!one.lock.try_lock()) continue;
    const bool is_it = one.owner == found_owner;
    if (is_it) {
      one.owner = owner;
      use(&one.what);
    }
    one.lock.unlock();
    if (is_it) return true;
  }
  return false;
}

template <class Use>
void use_spare(Use use) {
  const std::uint64_t owner = owner_number();
  if (use_spare_of(owner, owner, use) || use_spare_of(owner, 0, use)) return;
  spare& shared = spares[owner % most_spares];
  if (!shared.lock.try_lock()) return;
  shared.owner = owner;
  use(&shared.what);
  shared.lock.unlock();
}

// ---- records ------------------------------------------------------------------------------------

failure* make_failure() {
  void* const memory = os::allocate(sizeof(failure));
  return memory != nullptr ? new (memory) failure : nullptr;
}

failure* own_record_of(unit* self, bool may_allocate) {
  details* const extra = may_allocate ? details_of(self) : details_if_any(self);
  if (extra == nullptr) return nullptr;
  if (extra->failed == nullptr && may_allocate) extra->failed = make_failure();
  return extra->failed;
}

// Null: the caller has none.
failure* own_record(bool may_allocate) {
  const worker* const w = local::current_worker();
  if (w != nullptr) return w->current != nullptr ? own_record_of(w->current, may_allocate) : nullptr;
  outside* const me = may_allocate ? local::this_outside() : local::outside_if_any();
  if (me == nullptr) return nullptr;
  if (me->failed == nullptr && may_allocate) me->failed = make_failure();
  return me->failed;
}

template <class Use>
void use_record(bool may_allocate, Use use) {
  failure* const own = own_record(may_allocate);
  own != nullptr ? use(own) : use_spare(use);
}

bool is_same(const char* one, const char* other) {
  return one == other || (one != nullptr && other != nullptr && std::strcmp(one, other) == 0);
}

void write(failure* into, const char* call, const reason& why, const void* object, std::uint64_t value) {
  into->call = call;
  into->argument = why.argument;
  into->cause = why.cause;
  into->object = why.argument != nullptr ? object : nullptr;
  into->value = value;
  into->beneath.result = WEFT_OK;
}

// ---- causes -------------------------------------------------------------------------------------

const char* why_it_may_not_wait() {
  const worker* const w = local::current_worker();
  if (w == nullptr) return "the caller is on an OS thread outside, where this is not possible";
  if (w->current == nullptr) return "the caller is a callback, which may neither wait nor switch";
  if (w->current->has(is_tasklet)) return "the caller is a tasklet, which may neither wait nor yield";
  return "the caller may not wait here";
}

// What a status means in all calls.
const char* usual_cause(status result) {
  switch (result) {
    case status::nomem: return "memory is exhausted";
    case status::timeout: return "the deadline passed";
    case status::unsupported: return "this process is a child of fork(2), made while the runtime ran";
    case status::not_initialized: return "the runtime is not running: call weft_init first";
    case status::cannot_block: return why_it_may_not_wait();
    case status::ok:
    case status::invalid:
    case status::busy:
    case status::again:
    case status::not_owner:
    case status::deadlock:
    case status::ended: break;
  }
  return weft_status_text(static_cast<weft_status>(result));
}

const reason& reason_in(const call_errors& of, status result) {
  static constexpr reason none{};
  switch (result) {
    case status::invalid: return of.invalid;
    case status::busy: return of.busy;
    case status::again: return of.again;
    case status::not_owner: return of.not_owner;
    case status::deadlock: return of.deadlock;
    case status::ended: return of.ended;
    case status::ok:
    case status::nomem:
    case status::timeout:
    case status::unsupported:
    case status::not_initialized:
    case status::cannot_block: break;
  }
  return none;
}

void write_failure(failure* into, status result, const call_errors& of, const void* object, std::uint64_t value) {
  const reason& known = reason_in(of, result);
  const auto object_for = [&](const char* argument) { return is_same(argument, of.argument) ? object : nullptr; };
  if (known.cause != nullptr) return write(into, of.call, known, object_for(known.argument), value);
  if (into->beneath.result == static_cast<weft_status>(result)) {
    const reason found{into->beneath.argument, into->beneath.cause};
    return write(into, of.call, found, object_for(found.argument), into->beneath.value);
  }
  write(into, of.call, {nullptr, usual_cause(result)}, nullptr, value);
}

}  // namespace

status tell(status result, const call_errors& of, const void* object, std::uint64_t value) {
  if (result == status::ok) return result;
  use_record(true, [&](failure* into) { write_failure(into, result, of, object, value); });
  return result;
}

status rename(status result, const call_errors& of) {
  rename_failure(of.call);
  return result;
}

void tell_in_handler(status result, const call_errors& of, const void* object, std::uint64_t value) {
  if (result == status::ok) return;
  use_record(false, [&](failure* into) { write_failure(into, result, of, object, value); });
}

status because(status result, const char* argument, const char* cause, std::uint64_t value) {
  use_record(true, [&](failure* into) { into->beneath = {static_cast<weft_status>(result), argument, cause, value}; });
  return result;
}

void forget_failures_of_units() {
  for (spare& each : spares) {
    const queue::guard hold(each.lock);
    if ((each.owner & 3) != os_threads) each.owner = 0;
  }
}

const char* last_error() {
  if (failure* const own = own_record(false); own != nullptr) return own->write_text();
  const char* text = "";
  const std::uint64_t owner = owner_number();
  static_cast<void>(use_spare_of(owner, owner, [&](failure* found) { text = found->write_text(); }));
  return text;
}

}  // namespace weft::sched

namespace weft {

weft_status fail(weft_status result, const char* call, const char* argument, const char* cause, const void* object,
                 std::uint64_t value) {
  sched::use_record(true, [&](failure* into) { sched::write(into, call, {argument, cause}, object, value); });
  return result;
}

void rename_failure(const char* call) {
  sched::use_record(true, [&](failure* into) {
    if (into->call != nullptr) into->call = call;
  });
}

}  // namespace weft
