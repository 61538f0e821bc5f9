// Which waiters are served when a full/empty word has changed: of words whose state lies in the
// table, and of those that hold it themselves (syncvar.hpp). Inside the stripe's lock.
//
// Word::load(entry) and Word::store(entry, value) are the value of the entry's word.
#pragma once

#include <cstdint>

#include "sync/feb.hpp"
#include "sync/feb_table.hpp"

namespace weft::sync::feb {

// The payload of a waiter's record.
struct request {
  std::uint64_t value;  // what a writer brings, or what a reader was given
};
static_assert(sizeof(request) == sizeof(std::uint64_t));  // of an awaiter's record it is the value

inline request* request_of(sched::waiter* one) { return static_cast<request*>(one->payload); }

template <class Word>
void serve_overwriters(feb_entry* one, wake_later* served) {
  while (sched::waiter* overwriter = one->to_overwrite.pop_front()) {
    const std::uint64_t value = request_of(overwriter)->value;  // the record may be gone once it is woken
    if (served->add(overwriter)) Word::store(one, value);
  }
}

template <class Word>
void serve_readers(feb_entry* one, wake_later* served) {
  while (sched::waiter* reader = one->to_read.pop_front()) {
    request_of(reader)->value = Word::load(one);
    served->add(reader);
  }
}

template <class Word>
void serve_taker(feb_entry* one, wake_later* served) {
  while (one->is_full && !one->to_take.is_empty()) {
    sched::waiter* taker = one->to_take.pop_front();
    request_of(taker)->value = Word::load(one);
    if (served->add(taker)) one->is_full = false;
  }
}

template <class Word>
void serve_writer(feb_entry* one, wake_later* served) {
  while (!one->is_full && !one->to_write.is_empty()) {
    sched::waiter* writer = one->to_write.pop_front();
    const std::uint64_t value = request_of(writer)->value;  // as above
    if (!served->add(writer)) continue;
    Word::store(one, value);
    one->is_full = true;
  }
}

// After a change: serves the waiters that can be, as long as one can.
template <class Word>
void settle(feb_entry* one, wake_later* served) {
  bool was_full;
  do {
    was_full = one->is_full;
    if (was_full) {
      serve_overwriters<Word>(one, served);
      serve_readers<Word>(one, served);
      serve_taker<Word>(one, served);
    } else {
      serve_writer<Word>(one, served);
    }
  } while (one->is_full != was_full);
}

inline wait_queue* queue_of(feb_entry* one, operation what) {
  switch (what) {
    case operation::read: return &one->to_read;
    case operation::overwrite: return &one->to_overwrite;
    case operation::take: return &one->to_take;
    case operation::write: break;
  }
  return &one->to_write;
}

}  // namespace weft::sync::feb
