// See syncvar.hpp and docs/protocols/F.md.
#include "sync/syncvar.hpp"

#include "sync/feb_serve.hpp"
#include "sync/feb_table.hpp"

namespace weft::sync {

using feb::operation;
using feb::request;

// The value of a marked word, inside the lock. Its state is the entry's until it is published.
struct syncvar::marked_word {
  static std::uint64_t load(const feb_entry* one) { return value_in(word_of(one)->load(base::relaxed)); }
  static void store(const feb_entry* one, std::uint64_t value) {
    base::atomic<std::uint64_t>* const word = word_of(one);
    word->store(full_of(value) | marks_in(word->load(base::relaxed)), base::relaxed);
  }

 private:
  static base::atomic<std::uint64_t>* word_of(const feb_entry* one) { return &reinterpret_cast<syncvar*>(one->word)->word_; }
};

std::uint64_t syncvar::after(std::uint64_t seen, operation what, std::uint64_t value) {
  switch (what) {
    case operation::read: break;
    case operation::take: return seen | empty_mark;
    case operation::overwrite:
    case operation::write: return full_of(value);
  }
  return seen;
}

// ---- inside the stripe's lock, the word being marked ----

void syncvar::perform(feb_entry* one, operation what, std::uint64_t* value, wake_later* served) {
  switch (what) {
    case operation::read: *value = marked_word::load(one); return;
    case operation::overwrite: marked_word::store(one, *value); return;
    case operation::take:
      *value = marked_word::load(one);
      one->is_full = false;
      break;
    case operation::write:
      marked_word::store(one, *value);
      one->is_full = true;
      break;
  }
  feb::settle<marked_word>(one, served);
}

// Writes the state to the word, and takes the mark off with the entry if no caller waits any more.
void syncvar::publish(feb_stripe* stripe) {
  feb_entry** const link = stripe->link_of(key());
  const feb_entry* const one = *link;
  if (one == nullptr) return;  // another caller has done so
  const bool waits = one->has_waiters();
  const std::uint64_t state = one->is_full ? 0 : empty_mark;
  const std::uint64_t value = word_.load(base::relaxed) & ~all_marks;
  if (!waits) stripe->remove_syncvars(link);
  // [F4] release: publishes what was done before the change, and before it was marked; pairs with
  // [F1] [F2] [F5]
  word_.store(value | state | (waits ? waiters_mark : 0), base::release);
}

// The entry of a marked word. Null: it is not marked any more. All that waited may have been
// dropped with their runtime, which leaves the word as it is (feb::forget_waits): then the mark is
// taken off.
feb_entry* syncvar::find_marked(feb_stripe* stripe) {
  feb_entry* const one = stripe->find(key());
  if (one != nullptr) return one;
  const std::uint64_t seen = word_.load(base::relaxed);
  if ((seen & waiters_mark) != 0) static_cast<void>(replace(seen, seen & ~waiters_mark));
  return nullptr;
}

// Makes an entry, and marks the word. Errors: nomem, again (the word has changed).
status syncvar::mark(feb_stripe* stripe, std::uint64_t seen, feb_entry** made) {
  feb_entry** const link = stripe->add(stripe->link_of(key()), key());
  if (link == nullptr) return status::nomem;
  // [F3] acquire: what was done before the last change is published by those that are served; pairs
  // with [F2]
  if (!word_.compare_exchange_strong(seen, seen | waiters_mark, base::acquire, base::relaxed)) {
    stripe->remove(link);
    return status::again;
  }
  (*link)->is_full = (seen & empty_mark) == 0;
  (*link)->is_of_syncvar = true;
  *made = *link;
  return status::ok;
}

// Takes the lock's release over.
status syncvar::wait_for(feb_stripe* stripe, feb_entry* one, operation what, std::uint64_t deadline_ns, std::uint64_t* value) {
  sched::waiter me{what == operation::write ? "syncvar, to be empty" : "syncvar, to be full", this};
  request mine{*value};
  me.payload = &mine;
  me.deadline_ns = deadline_ns;
  wait_queue* const queue = feb::queue_of(one, what);
  queue->push_back(&me);
  bool holds_lock;
  const status result = wait_in(&me, queue, &stripe->lock, &holds_lock);
  if (holds_lock) {
    if (result == status::timeout) publish(stripe);
    stripe->lock.unlock();
  }
  *value = mine.value;
  return result;
}

// ---- awaiters ----

template <operation What>
void syncvar::leave(sched::await_record* one) {
  auto* const mine = static_cast<syncvar*>(const_cast<void*>(one->object));
  feb_stripe* const stripe = feb_stripe_of(mine->key());
  const queue::guard inside(stripe->lock);
  if (!one->is_linked()) return;
  feb::queue_of(stripe->find(mine->key()), What)->remove(one);
  mine->publish(stripe);
}

void syncvar::enter(feb_entry* entry, sched::await_record* one, operation what) {
  one->payload = &one->value;
  switch (what) {
    case operation::read: return enter_queue(one, &entry->to_read, leave<operation::read>);
    case operation::overwrite: return enter_queue(one, &entry->to_overwrite, leave<operation::overwrite>);
    case operation::take: return enter_queue(one, &entry->to_take, leave<operation::take>);
    case operation::write: return enter_queue(one, &entry->to_write, leave<operation::write>);
  }
}

// The word is marked in any case: once the awaiter is taken, nothing may come in between.
status syncvar::await(sched::await_record* one, operation what, sched::armed_as* result) {
  feb_stripe* const stripe = feb_stripe_of(key());
  wake_later served;
  {
    const queue::guard inside(stripe->lock);
    feb_entry* entry = nullptr;
    while (entry == nullptr) {
      const std::uint64_t seen = word_.load(base::relaxed);
      if ((seen & waiters_mark) != 0) {
        entry = find_marked(stripe);
      } else if (mark(stripe, seen, &entry) == status::nomem) {
        return status::nomem;
      }
    }
    if (entry->is_full != (what != operation::write)) {
      enter(entry, one, what);
      *result = sched::armed_as::waits;
      return status::ok;
    }
    *result = over_or_lost(one);
    if (*result == sched::armed_as::over) perform(entry, what, &one->value, &served);
    publish(stripe);
  }
  served.now();
  return status::ok;
}

// ---- the slow ways ----

// Takes the lock's release over; the word is marked, and has the state that the operation waits
// for.
void syncvar::run_marked(feb_stripe* stripe, feb_entry* one, operation what, std::uint64_t* value) {
  wake_later served;
  perform(one, what, value, &served);
  publish(stripe);
  stripe->lock.unlock();
  served.now();
}

// Of a word in any state.
status syncvar::run(operation what, std::uint64_t deadline_ns, std::uint64_t* value) {
  feb_stripe* const stripe = feb_stripe_of(key());
  stripe->lock.lock();
  for (;;) {
    const std::uint64_t seen = word_.load(base::relaxed);
    const bool is_marked = (seen & waiters_mark) != 0;
    feb_entry* one = is_marked ? find_marked(stripe) : nullptr;
    if (is_marked && one == nullptr) continue;
    if (is_ready(seen, what)) {
      if (is_marked) {
        run_marked(stripe, one, what, value);
        return status::ok;
      }
      if (!replace(seen, after(seen, what, *value))) continue;
      *value = value_in(seen);
      stripe->lock.unlock();
      return status::ok;
    }
    status problem = may_wait(deadline_ns);
    if (problem == status::ok && !is_marked) problem = mark(stripe, seen, &one);
    if (problem == status::ok) return wait_for(stripe, one, what, deadline_ns, value);
    if (problem == status::again) continue;
    stripe->lock.unlock();
    return problem;
  }
}

status syncvar::read(operation what, std::uint64_t deadline_ns, std::uint64_t* out) {
  std::uint64_t value = 0;
  const status result = run(what, deadline_ns, &value);
  if (result == status::ok && out != nullptr) *out = value;
  return result;
}

// Calls change(entry) inside the lock. False: no caller waits any more, and nothing was done.
template <class Change>
bool syncvar::change_inside(Change change) {
  feb_stripe* const stripe = feb_stripe_of(key());
  wake_later served;
  stripe->lock.lock();
  feb_entry* const one = find_marked(stripe);
  if (one != nullptr) {
    change(one);
    feb::settle<marked_word>(one, &served);
    publish(stripe);
  }
  stripe->lock.unlock();
  served.now();
  return one != nullptr;
}

bool syncvar::change_marked(const std::uint64_t* value, bool to_full) {
  return change_inside([=](feb_entry* one) {
    if (value != nullptr) marked_word::store(one, *value);
    one->is_full = to_full;
  });
}

bool syncvar::add_marked(std::uint64_t increment, std::uint64_t* sum) {
  return change_inside([=](feb_entry* one) {
    *sum = sum_of(marked_word::load(one), increment);
    marked_word::store(one, *sum);
    one->is_full = true;
  });
}

}  // namespace weft::sync
