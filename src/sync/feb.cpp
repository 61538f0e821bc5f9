// See feb.hpp and docs/protocols/F.md.
#include "sync/feb.hpp"

#include "sync/feb_serve.hpp"
#include "sync/feb_table.hpp"
#include "worker/failure.hpp"

namespace weft::sync::feb {

namespace {

// Others may access the word without asking for its state.
std::uint64_t load(const std::uint64_t* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
void store(std::uint64_t* word, std::uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }

struct in_memory {
  static std::uint64_t load(const feb_entry* one) { return feb::load(one->word); }
  static void store(const feb_entry* one, std::uint64_t value) { feb::store(one->word, value); }
};

// ---- failures ----

constexpr sched::call_errors waiting[] = {
    {"weft_feb_read_ff", "word"}, {"weft_feb_write_ff", "word"}, {"weft_feb_read_fe", "word"}, {"weft_feb_write_ef", "word"}};
constexpr sched::call_errors waiting_until[] = {{"weft_feb_read_ff_until", "word"},
                                                {"weft_feb_write_ff_until", "word"},
                                                {"weft_feb_read_fe_until", "word"},
                                                {"weft_feb_write_ef_until", "word"}};
constexpr sched::call_errors trying[] = {{.call = "weft_feb_try_read_ff", .argument = "word", .busy = {"word", "it is empty"}},
                                         {.call = "weft_feb_try_write_ff", .argument = "word", .busy = {"word", "it is empty"}},
                                         {.call = "weft_feb_try_read_fe", .argument = "word", .busy = {"word", "it is empty"}},
                                         {.call = "weft_feb_try_write_ef", .argument = "word", .busy = {"word", "it is full"}}};
static_assert(static_cast<int>(operation::read) == 0 && static_cast<int>(operation::overwrite) == 1 &&
              static_cast<int>(operation::take) == 2 && static_cast<int>(operation::write) == 3);
constexpr sched::call_errors emptying{"weft_feb_empty", "word"};
constexpr sched::call_errors purging{"weft_feb_purge", "word"};
constexpr sched::call_errors purging_to{"weft_feb_purge_to", "word"};

[[gnu::cold, gnu::noinline]] status refuse(status problem, const std::uint64_t* word, operation what, std::uint64_t deadline_ns) {
  const auto which = static_cast<std::size_t>(what);
  if (deadline_ns == sched::forever) return sched::tell(problem, waiting[which], word);
  if (deadline_ns != immediately) return sched::tell(problem, waiting_until[which], word);
  return sched::tell(problem == status::timeout ? status::busy : problem, trying[which], word);
}

// ---- inside the stripe's lock ----

bool can_go_on(const feb_entry* one, operation what) {
  const bool full = one == nullptr || one->is_full;
  return full == (what != operation::write);
}

// Does what the caller came for.
void perform(feb_entry* one, std::uint64_t* word, operation what, request* mine, wake_later* served) {
  switch (what) {
    case operation::read: mine->value = load(word); return;
    case operation::overwrite: store(word, mine->value); return;
    case operation::take:
      mine->value = load(word);
      one->is_full = false;
      break;
    case operation::write:
      store(word, mine->value);
      one->is_full = true;
      break;
  }
  if (one->has_waiters()) settle<in_memory>(one, served);
}

// Takes the lock's release over.
status wait_for(feb_stripe* stripe, feb_entry* one, operation what, request* mine, std::uint64_t deadline_ns) {
  sched::waiter me{what == operation::write ? "full/empty bit, to be empty" : "full/empty bit, to be full", one->word};
  me.payload = mine;
  me.deadline_ns = deadline_ns;
  std::uint64_t* const word = one->word;
  wait_queue* const queue = queue_of(one, what);
  queue->push_back(&me);
  bool holds_lock;
  const status result = wait_in(&me, queue, &stripe->lock, &holds_lock);
  if (holds_lock) {
    if (result == status::timeout) stripe->tidy(stripe->link_of(word));
    stripe->lock.unlock();
  }
  return result == status::ok ? result : refuse(result, word, what, deadline_ns);
}

void leave(sched::await_record* one, operation what) {
  auto* const word = static_cast<std::uint64_t*>(const_cast<void*>(one->object));
  feb_stripe* const stripe = feb_stripe_of(word);
  const queue::guard inside(stripe->lock);
  if (!one->is_linked()) return;
  feb_entry** const link = stripe->link_of(word);
  queue_of(*link, what)->remove(one);
  stripe->tidy(link);
}

template <operation What>
void leave_as(sched::await_record* one) {
  leave(one, What);
}

void enter(feb_entry* entry, sched::await_record* one, operation what) {
  one->payload = &one->value;
  switch (what) {
    case operation::read: return enter_queue(one, &entry->to_read, leave_as<operation::read>);
    case operation::overwrite: return enter_queue(one, &entry->to_overwrite, leave_as<operation::overwrite>);
    case operation::take: return enter_queue(one, &entry->to_take, leave_as<operation::take>);
    case operation::write: return enter_queue(one, &entry->to_write, leave_as<operation::write>);
  }
}

// Whether it leaves a word that is full as it was.
bool leaves_full(operation what) { return what <= operation::overwrite; }

// Takes the lock's release over. link: as of link_of.
[[gnu::noinline]] status run_slow(feb_stripe* stripe, feb_entry** link, std::uint64_t* word, operation what, request* mine,
                                  std::uint64_t deadline_ns) {
  const bool goes_on = can_go_on(*link, what);
  status problem = goes_on ? status::ok : may_wait(deadline_ns);
  if (problem == status::ok && *link == nullptr && !leaves_full(what)) {
    link = stripe->add(link, word);
    if (link == nullptr) problem = status::nomem;
  }
  if (problem == status::ok && !goes_on) return wait_for(stripe, *link, what, mine, deadline_ns);
  wake_later served;
  if (problem == status::ok) {
    perform(*link, word, what, mine, &served);
    stripe->tidy(link);
  }
  stripe->lock.unlock();
  served.now();
  return problem == status::ok ? problem : refuse(problem, word, what, deadline_ns);
}

// ---- at once: a word that has the state that the operation waits for, and no waiters ----
//
// Everything else is a tail call, so that these need no frame.

[[gnu::noinline]] status read_locked(feb_stripe* stripe, feb_entry** link, std::uint64_t* word, operation what,
                                     std::uint64_t deadline_ns, std::uint64_t* out) {
  request mine{0};
  const status result = run_slow(stripe, link, word, what, &mine, deadline_ns);
  // Into the word itself there is nothing to copy, and it may be another's by now.
  if (result == status::ok && out != nullptr && out != word) *out = mine.value;
  return result;
}

[[gnu::noinline]] status read_when_free(std::uint64_t* word, operation what, std::uint64_t deadline_ns, std::uint64_t* out) {
  feb_stripe* const stripe = feb_stripe_of(word);
  stripe->lock.lock();
  return read_locked(stripe, stripe->link_of(word), word, what, deadline_ns, out);
}

template <operation What>
[[gnu::always_inline]] inline status read(std::uint64_t* word, std::uint64_t deadline_ns, std::uint64_t* out) {
  feb_stripe* const stripe = feb_stripe_of(word);
  if (!stripe->lock.try_lock()) [[unlikely]]
    return read_when_free(word, What, deadline_ns, out);
  feb_entry** const link = stripe->link_of(word);
  if (*link != nullptr) [[unlikely]]
    return read_locked(stripe, link, word, What, deadline_ns, out);
  if constexpr (What == operation::take) {
    feb_entry* const one = stripe->add_spare(link, word);
    if (one == nullptr) [[unlikely]]
      return read_locked(stripe, link, word, What, deadline_ns, out);
    one->is_full = false;
  }
  const std::uint64_t value = load(word);
  stripe->lock.unlock();
  if (out != nullptr && out != word) *out = value;
  return status::ok;
}

[[gnu::noinline]] status write_locked(feb_stripe* stripe, feb_entry** link, std::uint64_t* word, operation what,
                                      std::uint64_t value, std::uint64_t deadline_ns) {
  request mine{value};
  return run_slow(stripe, link, word, what, &mine, deadline_ns);
}

[[gnu::noinline]] status write_when_free(std::uint64_t* word, operation what, std::uint64_t value, std::uint64_t deadline_ns) {
  feb_stripe* const stripe = feb_stripe_of(word);
  stripe->lock.lock();
  return write_locked(stripe, stripe->link_of(word), word, what, value, deadline_ns);
}

bool is_empty_without_waiters(const feb_entry* one) { return one != nullptr && !one->is_full && !one->has_waiters_for_full(); }

// Takes the lock's release over.
[[gnu::cold, gnu::noinline]] status refuse_change(feb_stripe* stripe, const std::uint64_t* word, bool purges) {
  stripe->lock.unlock();
  return sched::tell(status::nomem, purges ? purging : emptying, word);
}

// Makes the word full, or empty, whatever it was. link: as of link_of. Takes the lock's release
// over.
[[gnu::noinline]] status change_locked(feb_stripe* stripe, feb_entry** link, std::uint64_t* word, const std::uint64_t* value,
                                       bool to_full) {
  wake_later served;
  if (*link == nullptr && !to_full) link = stripe->add(link, word);
  if (link == nullptr) [[unlikely]]
    return refuse_change(stripe, word, value != nullptr);
  feb_entry* const one = *link;
  if (value != nullptr) store(word, *value);
  if (one != nullptr) {
    if (one->is_full != to_full) {
      one->is_full = to_full;
      settle<in_memory>(one, &served);
    }
    stripe->tidy(link);
  }
  stripe->lock.unlock();
  served.now();
  return status::ok;
}

status change(std::uint64_t* word, const std::uint64_t* value, bool to_full) {
  feb_stripe* const stripe = feb_stripe_of(word);
  stripe->lock.lock();
  return change_locked(stripe, stripe->link_of(word), word, value, to_full);
}

}  // namespace

status await(sched::await_record* one, std::uint64_t* word, operation what, sched::armed_as* result) {
  feb_stripe* const stripe = feb_stripe_of(word);
  wake_later served;
  {
    const queue::guard inside(stripe->lock);
    feb_entry** link = stripe->link_of(word);
    const bool goes_on = can_go_on(*link, what);
    if (*link == nullptr && !leaves_full(what)) {
      link = stripe->add(link, word);
      if (link == nullptr) return status::nomem;
    }
    if (!goes_on) {
      enter(*link, one, what);
      *result = sched::armed_as::waits;
      return status::ok;
    }
    *result = over_or_lost(one);
    if (*result == sched::armed_as::over) {
      request mine{one->value};
      perform(*link, word, what, &mine, &served);
      one->value = mine.value;
    }
    stripe->tidy(link);
  }
  served.now();
  return status::ok;
}

status read_full(std::uint64_t* word, std::uint64_t deadline_ns, std::uint64_t* out) {
  return read<operation::read>(word, deadline_ns, out);
}

status take_full(std::uint64_t* word, std::uint64_t deadline_ns, std::uint64_t* out) {
  return read<operation::take>(word, deadline_ns, out);
}

status write_empty(std::uint64_t* word, std::uint64_t value, std::uint64_t deadline_ns) {
  feb_stripe* const stripe = feb_stripe_of(word);
  if (!stripe->lock.try_lock()) [[unlikely]]
    return write_when_free(word, operation::write, value, deadline_ns);
  feb_entry** const link = stripe->link_of(word);
  if (!is_empty_without_waiters(*link) || !stripe->remove_to_spare(link)) [[unlikely]]
    return write_locked(stripe, link, word, operation::write, value, deadline_ns);
  store(word, value);
  stripe->lock.unlock();
  return status::ok;
}

status overwrite_full(std::uint64_t* word, std::uint64_t value, std::uint64_t deadline_ns) {
  return write_when_free(word, operation::overwrite, value, deadline_ns);
}

status write_and_fill(std::uint64_t* word, std::uint64_t value) { return change(word, &value, true); }

status fill(std::uint64_t* word) { return change(word, nullptr, true); }

[[gnu::noinline]] static status empty_when_free(std::uint64_t* word) { return change(word, nullptr, false); }

status empty(std::uint64_t* word) {
  feb_stripe* const stripe = feb_stripe_of(word);
  if (!stripe->lock.try_lock()) [[unlikely]]
    return empty_when_free(word);
  feb_entry** const link = stripe->link_of(word);
  feb_entry* const one = *link == nullptr ? stripe->add_spare(link, word) : nullptr;
  if (one == nullptr) [[unlikely]]
    return change_locked(stripe, link, word, nullptr, false);
  one->is_full = false;
  stripe->lock.unlock();
  return status::ok;
}

status purge(std::uint64_t* word) {
  const std::uint64_t zero = 0;
  return change(word, &zero, false);
}

status purge_to(std::uint64_t* word, std::uint64_t value) {
  const status result = change(word, &value, false);
  return result == status::ok ? result : sched::rename(result, purging_to);
}

std::uint64_t read_whatever(const std::uint64_t* word) { return load(word); }

bool is_full(const std::uint64_t* word) {
  feb_stripe* stripe = feb_stripe_of(word);
  const queue::guard inside(stripe->lock);
  const feb_entry* one = stripe->find(word);
  return one == nullptr || one->is_full;
}

}  // namespace weft::sync::feb
