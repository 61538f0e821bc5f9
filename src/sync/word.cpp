// See word.hpp and docs/protocols/W.md.
#include "sync/word.hpp"

#include "base/align.hpp"
#include "queue/spinlock.hpp"

namespace weft::sync {

namespace {

constexpr unsigned stripe_bits = 8;

struct alignas(base::cache_line) word_stripe {
  base::atomic<std::uint32_t> waiters{0};  // in the queue, or about to be: written inside the lock
  queue::spinlock lock;
  wait_queue queue;  // guarded by lock
};

constinit word_stripe stripes[std::size_t{1} << stripe_bits];

// Fibonacci hashing (Knuth, TAOCP 3, 6.4).
word_stripe* stripe_of(const void* word) {
  return &stripes[(reinterpret_cast<std::uintptr_t>(word) >> 2) * std::uint64_t{0x9e3779b97f4a7c15} >> (64 - stripe_bits)];
}

// The program's word is an atomic of its own language.
template <class Word>
Word value_of(const void* word) {
  static_assert(sizeof(base::atomic<Word>) == sizeof(Word));
  return static_cast<const base::atomic<Word>*>(word)->load(base::relaxed);
}

// Inside the lock. True: counted, and the word is as expected.
bool announce(word_stripe* stripe, const void* word, bool is_wide, std::uint64_t expected) {
  stripe->waiters.store(stripe->waiters.load(base::relaxed) + 1, base::relaxed);
  // [W1] fence: the count before the look at the word; pairs with [W2]
  base::fence_seq_cst();
  const bool stands =
      is_wide ? value_of<std::uint64_t>(word) == expected : value_of<std::uint32_t>(word) == static_cast<std::uint32_t>(expected);
  if (!stands) stripe->waiters.store(stripe->waiters.load(base::relaxed) - 1, base::relaxed);
  return stands;
}

void remove(word_stripe* stripe, sched::waiter* one) {
  stripe->queue.remove(one);
  stripe->waiters.store(stripe->waiters.load(base::relaxed) - 1, base::relaxed);
}

void leave(sched::await_record* one) {
  word_stripe* const stripe = stripe_of(one->object);
  const queue::guard inside(stripe->lock);
  if (one->is_linked()) remove(stripe, one);
}

// Inside the lock: the first waiter at `word` from `from` on; null: there is none.
sched::waiter* find(const wait_queue& queue, sched::waiter* from, const void* word) {
  for (sched::waiter* each = from; each != nullptr; each = queue.after(each)) {
    if (each->object == word) return each;
  }
  return nullptr;
}

}  // namespace

status wait_at_word(const void* word, bool is_wide, std::uint64_t expected, std::uint64_t deadline_ns) {
  word_stripe* const stripe = stripe_of(word);
  sched::waiter me{"word", word};
  me.deadline_ns = deadline_ns;
  stripe->lock.lock();
  status problem = announce(stripe, word, is_wide, expected) ? status::ok : status::again;
  if (problem == status::ok) {
    stripe->queue.push_back(&me);
    problem = may_wait(deadline_ns);
    if (problem != status::ok) remove(stripe, &me);
  }
  if (problem != status::ok) {
    stripe->lock.unlock();
    return problem;
  }
  const sched::wait_result result = sched::wait(&me, &stripe->lock);
  if (deadline_ns == sched::forever) return status::ok;
  const queue::guard inside(stripe->lock);  // its waker may be inside
  if (result == sched::wait_result::woken) return status::ok;
  if (me.is_linked()) remove(stripe, &me);
  return status::timeout;
}

sched::armed_as await_word(sched::await_record* one, const void* word, bool is_wide, std::uint64_t expected) {
  word_stripe* const stripe = stripe_of(word);
  const queue::guard inside(stripe->lock);
  if (!announce(stripe, word, is_wide, expected)) return over_or_lost(one);
  enter_queue(one, &stripe->queue, leave);
  return sched::armed_as::waits;
}

std::size_t wake_at_word(const void* word, std::size_t count) {
  word_stripe* const stripe = stripe_of(word);
  // [W2] fence: what the caller wrote to the word before the look at the count; pairs with [W1]
  base::fence_seq_cst();
  if (stripe->waiters.load(base::relaxed) == 0 || count == 0) return 0;
  wake_later chosen;
  std::size_t woken = 0;
  {
    const queue::guard inside(stripe->lock);
    sched::waiter* one = find(stripe->queue, stripe->queue.front(), word);
    while (one != nullptr && woken < count) {
      sched::waiter* const next = find(stripe->queue, stripe->queue.after(one), word);
      remove(stripe, one);
      if (chosen.add(one)) ++woken;
      one = next;
    }
  }
  chosen.now();
  return woken;
}

void forget_waits_at_words(const sched::dropped_waits& dropped) {
  for (word_stripe& each : stripes) {
    const queue::guard inside(each.lock);
    each.queue.walk([&](sched::waiter* one) {
      if (dropped.contain(one)) remove(&each, one);
    });
  }
}

}  // namespace weft::sync
