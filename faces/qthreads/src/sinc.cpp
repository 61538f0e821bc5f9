// Sincs: a word that counts, at which waiters wait, and the values of each worker.
//
// The step to 0 is the last access of the last submit to the sinc's memory: what follows wakes by
// the address alone. So a sinc needs no end, and may go while that submit still returns.
#include <qthread/sinc.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <weft/weft.h>

#include "base/atomic.hpp"

namespace {

namespace base = weft::base;

constexpr std::size_t line_bytes = 64;
constexpr std::size_t rounded(std::size_t bytes) { return (bytes + line_bytes - 1) / line_bytes * line_bytes; }

// The part of the value that one worker makes up, or OS threads outside do; the bytes follow.
struct alignas(std::max_align_t) part {
  weft_mutex lock;
  bool is_used;

  void* value() { return this + 1; }
};

struct reduction {
  qt_sinc_op_f combine;
  std::size_t value_bytes;
  std::size_t part_bytes;
  std::size_t part_count;
  unsigned char* initial;
  unsigned char* result;
  unsigned char* parts;

  part* part_at(std::size_t number) { return reinterpret_cast<part*>(parts + number * part_bytes); }
};

struct sinc {
  base::atomic<std::uint64_t> expected;
  base::atomic<std::uint64_t> parked;  // callers that had to wait and have not left
  reduction* value;
};
static_assert(sizeof(sinc) == sizeof(qt_sinc_t) && alignof(sinc) <= alignof(qt_sinc_t));

constexpr std::uint64_t is_ending = std::uint64_t{1} << 63;  // in `parked`

sinc* sinc_of(qt_sinc_t* handle) { return std::launder(reinterpret_cast<sinc*>(handle->opaque_data)); }

[[noreturn]] void stop(const char* line) {
  std::fprintf(stderr, "weft-qthread: %s\n", line);
  std::abort();
}

void set_initial(reduction* value) {
  std::memcpy(value->result, value->initial, value->value_bytes);
  for (std::size_t i = 0; i < value->part_count; ++i) {
    value->part_at(i)->is_used = false;
    std::memcpy(value->part_at(i)->value(), value->initial, value->value_bytes);
  }
}

// Null: no memory.
reduction* make_reduction(std::size_t value_bytes, const void* initial, qt_sinc_op_f combine) {
  const std::size_t count = qthread_readstate(TOTAL_WORKERS) + 1;
  if (value_bytes > (PTRDIFF_MAX >> 1) / (count + 4)) return nullptr;  // the sum below would overflow
  const std::size_t part_bytes = rounded(sizeof(part) + value_bytes), head_bytes = rounded(sizeof(reduction));
  void* const memory = std::aligned_alloc(line_bytes, head_bytes + 2 * rounded(value_bytes) + count * part_bytes);
  if (memory == nullptr) return nullptr;
  auto* const initial_copy = static_cast<unsigned char*>(memory) + head_bytes;
  unsigned char* const result = initial_copy + rounded(value_bytes);
  auto* const made =
      new (memory) reduction{combine, value_bytes, part_bytes, count, initial_copy, result, result + rounded(value_bytes)};
  std::memcpy(initial_copy, initial, value_bytes);
  for (std::size_t i = 0; i < count; ++i) made->part_at(i)->lock = weft_mutex WEFT_MUTEX_INIT;
  set_initial(made);
  return made;
}

bool make(qt_sinc_t* place, std::size_t value_bytes, const void* initial, qt_sinc_op_f combine, std::size_t expect) {
  reduction* const value = value_bytes != 0 ? make_reduction(value_bytes, initial, combine) : nullptr;
  if (value_bytes != 0 && value == nullptr) return false;
  new (place->opaque_data) sinc{{expect}, {0}, value};
  return true;
}

void combine_into_part(reduction* value, const void* submitted) {
  part* const mine = value->part_at(static_cast<std::size_t>(weft_worker_self() + 1) % value->part_count);
  while (weft_mutex_lock(&mine->lock) != WEFT_OK) continue;
  mine->is_used = true;
  value->combine(mine->value(), submitted);
  weft_mutex_unlock(&mine->lock);
}

void combine_parts(reduction* value) {
  std::memcpy(value->result, value->initial, value->value_bytes);
  for (std::size_t i = 0; i < value->part_count; ++i)
    if (value->part_at(i)->is_used) value->combine(value->result, value->part_at(i)->value());
}

void count_down(sinc* one) {
  base::atomic<std::uint64_t>* const word = &one->expected;
  std::uint64_t seen = word->load(base::relaxed);
  do {
    if (seen == 0) stop("qt_sinc_submit: the sinc expects no submit; qt_sinc_expect counts those that are to come");
    if (seen == 1 && one->value != nullptr) {
      // [Q61] acquire: sees the parts of all other submits; pairs with [Q60]
      static_cast<void>(word->load(base::acquire));
      combine_parts(one->value);
    }
    // [Q60] release: what was done before the submit, and the value; pairs with [Q61] [Q62]
  } while (!word->compare_exchange_weak(seen, seen - 1, base::release, base::relaxed));
  if (seen == 1) weft_word_wake(word, SIZE_MAX);
}

bool is_done(sinc* one, std::uint64_t* seen) {
  // [Q62] acquire: sees what the submits published; pairs with [Q60]
  *seen = one->expected.load(base::acquire);
  return *seen == 0;
}

void copy_value(sinc* one, void* target) {
  if (target != nullptr && one->value != nullptr) std::memcpy(target, one->value->result, one->value->value_bytes);
}

void leave(sinc* one) {
  base::atomic<std::uint64_t>* const word = &one->parked;
  // [Q63] release: done with the sinc; pairs with [Q64] [Q65]
  if (word->fetch_sub(1, base::release) == (is_ending | 1)) weft_word_wake(word, SIZE_MAX);
}

void wait_for_leavers(sinc* one) {
  // [Q64] acquire: waiters are done with the sinc; pairs with [Q63]
  std::uint64_t seen = one->parked.fetch_or(is_ending, base::acquire) | is_ending;
  while (seen != is_ending) {
    static_cast<void>(weft_word_wait(&one->parked, sizeof seen, seen, WEFT_FOREVER));
    // [Q65] acquire: as above; pairs with [Q63]
    seen = one->parked.load(base::acquire);
  }
}

}  // namespace

extern "C" {

void qt_sinc_init(qt_sinc_t* sinc, size_t sizeof_value, const void* initial_value, qt_sinc_op_f op, size_t expect) {
  if (!make(sinc, sizeof_value, initial_value, op, expect)) stop("qt_sinc_init: no memory for the sinc's values");
}

qt_sinc_t* qt_sinc_create(size_t sizeof_value, const void* initial_value, qt_sinc_op_f op, size_t expect) {
  auto* const made = static_cast<qt_sinc_t*>(std::malloc(sizeof(qt_sinc_t)));
  if (made == nullptr || make(made, sizeof_value, initial_value, op, expect)) return made;
  std::free(made);
  return nullptr;
}

void qt_sinc_reset(qt_sinc_t* sinc, size_t expect) {
  if (sinc_of(sinc)->value != nullptr) set_initial(sinc_of(sinc)->value);
  sinc_of(sinc)->expected.store(expect, base::relaxed);
}

void qt_sinc_fini(qt_sinc_t* handle) {
  sinc* const one = sinc_of(handle);
  if (one->expected.exchange(0, base::relaxed) != 0) weft_word_wake(&one->expected, SIZE_MAX);
  wait_for_leavers(one);
  std::free(one->value);
  one->value = nullptr;
}

void qt_sinc_destroy(qt_sinc_t* sinc) {
  qt_sinc_fini(sinc);
  std::free(sinc);
}

void qt_sinc_expect(qt_sinc_t* sinc, size_t count) { sinc_of(sinc)->expected.fetch_add(count, base::relaxed); }

void qt_sinc_submit(qt_sinc_t* handle, const void* value) {
  sinc* const one = sinc_of(handle);
  if (value != nullptr && one->value != nullptr) combine_into_part(one->value, value);
  count_down(one);
}

void qt_sinc_wait(qt_sinc_t* handle, void* target) {
  sinc* const one = sinc_of(handle);
  std::uint64_t seen;
  if (is_done(one, &seen)) return copy_value(one, target);
  one->parked.fetch_add(1, base::relaxed);
  while (!is_done(one, &seen)) static_cast<void>(weft_word_wait(&one->expected, sizeof seen, seen, WEFT_FOREVER));
  copy_value(one, target);
  leave(one);
}
}
