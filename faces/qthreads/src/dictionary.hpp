// The table of a dictionary. Its caller holds the lock.
#pragma once

#include <qthread/dictionary.h>
#include <qthread/hash.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <weft/weft.h>

namespace weft::qthreads {

struct entry {
  list_entry seen;     // by the program; its `next` is the next one of all, an entry, too
  entry* before;       // of all
  entry* next_in_row;  // of its bucket

  entry* next() const { return reinterpret_cast<entry*>(seen.next); }
};

}  // namespace weft::qthreads

struct qt_dictionary {
  using entry = weft::qthreads::entry;

  weft_rwlock lock = WEFT_RWLOCK_INIT;
  qt_dict_key_equals_f equals = nullptr;
  qt_dict_hash_f hash = nullptr;
  qt_dict_cleanup_f cleanup = nullptr;
  entry** buckets = nullptr;
  std::size_t bucket_count = 0;  // a power of two
  std::size_t count = 0;
  entry* first = nullptr;
  entry* last = nullptr;

  std::uint64_t hash_of(void* key) const { return static_cast<std::uint64_t>(hash(key)); }

  entry* find(void* key, std::uint64_t hashed) const {
    for (entry* one = *bucket_of(hashed); one != nullptr; one = one->next_in_row) {
      if (one->seen.hashed_key == hashed && equals(one->seen.key, key) != 0) return one;
    }
    return nullptr;
  }

  void add(entry* one) {
    if (count == bucket_count) static_cast<void>(grow());  // without memory, rows become longer
    link(one);
    one->before = last;
    if (last != nullptr) {
      last->seen.next = &one->seen;
    } else {
      first = one;
    }
    last = one;
    ++count;
  }

  void remove(entry* one) {
    entry** in_row = bucket_of(one->seen.hashed_key);
    while (*in_row != one) in_row = &(*in_row)->next_in_row;
    *in_row = one->next_in_row;
    entry* const after = one->next();
    (after != nullptr ? after->before : last) = one->before;
    if (one->before != nullptr) {
      one->before->seen.next = one->seen.next;
    } else {
      first = after;
    }
    --count;
  }

  // False: no memory; all is as it was.
  bool grow() {
    constexpr std::size_t least = 16;
    const std::size_t wanted = bucket_count == 0 ? least : 2 * bucket_count;
    entry** const made = static_cast<entry**>(std::calloc(wanted, sizeof(entry*)));
    if (made == nullptr) return false;
    std::free(buckets);
    buckets = made;
    bucket_count = wanted;
    for (entry* one = first; one != nullptr; one = one->next()) link(one);
    return true;
  }

 private:
  entry** bucket_of(std::uint64_t hashed) const { return &buckets[qt_hash64(hashed) & (bucket_count - 1)]; }

  void link(entry* one) {
    entry** const bucket = bucket_of(one->seen.hashed_key);
    one->next_in_row = *bucket;
    *bucket = one;
  }
};
