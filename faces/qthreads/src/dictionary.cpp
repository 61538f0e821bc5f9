// qt_dictionary_*: chained buckets, whose number grows, and a list of all entries in the order in
// which their keys came, which iterators walk.
#include <qthread/dictionary.h>

#include <sched.h>

#include <cstdio>

#include <weft/weft.h>

#include "dictionary.hpp"
#include "faces/common/object.hpp"

using namespace weft;
using weft::qthreads::entry;

namespace {

// Locks a dictionary for a block. A caller that may not block polls.
template <weft_status (*Lock)(weft_rwlock*)>
class held {
 public:
  explicit held(qt_dictionary* dict) : dict_(dict) {
    while (Lock(&dict_->lock) != WEFT_OK) sched_yield();
  }
  ~held() { weft_rwlock_unlock(&dict_->lock); }
  held(const held&) = delete;
  held& operator=(const held&) = delete;

 private:
  qt_dictionary* dict_;
};
using held_to_read = held<weft_rwlock_read_lock>;
using held_to_write = held<weft_rwlock_write_lock>;

// False: no memory.
bool put(qt_dictionary* dict, void* key, void* value, bool replaces, void** result) {
  const std::uint64_t hash = dict->hash_of(key);
  const held_to_write lock{dict};
  entry* there = dict->find(key, hash);
  if (there == nullptr) {
    there = face::make_object<entry>(0);
    if (there == nullptr) return false;
    *there = entry{};
    there->seen = {value, key, hash, nullptr};
    dict->add(there);
  } else if (replaces) {
    there->seen.key = key;
    there->seen.value = value;
  }
  *result = there->seen.value;
  return true;
}

// Null: there is none.
entry* remove(qt_dictionary* dict, void* key) {
  const std::uint64_t hash = dict->hash_of(key);
  const held_to_write lock{dict};
  entry* const found = dict->find(key, hash);
  if (found != nullptr) dict->remove(found);
  return found;
}

}  // namespace

qt_dictionary* qt_dictionary_create(qt_dict_key_equals_f eq, qt_dict_hash_f hash, qt_dict_cleanup_f cleanup) {
  if (eq == nullptr || hash == nullptr) return nullptr;
  qt_dictionary* const made = face::make_object<qt_dictionary>(0);
  if (made == nullptr) return nullptr;
  made->equals = eq;
  made->hash = hash;
  made->cleanup = cleanup;
  if (made->grow()) return made;
  face::free_object(made);
  return nullptr;
}

void qt_dictionary_destroy(qt_dictionary* d) {
  if (d == nullptr) return;
  entry* next = nullptr;
  for (entry* one = d->first; one != nullptr; one = next) {
    next = one->next();
    if (d->cleanup != nullptr) d->cleanup(one->seen.key, one->seen.value);
    face::free_object(one);
  }
  std::free(d->buckets);
  face::free_object(d);
}

void* qt_dictionary_put(qt_dictionary* dict, void* key, void* value) {
  void* result = nullptr;
  return put(dict, key, value, true, &result) ? result : nullptr;
}

void* qt_dictionary_put_if_absent(qt_dictionary* dict, void* key, void* value) {
  void* result = nullptr;
  return put(dict, key, value, false, &result) ? result : nullptr;
}

void* qt_dictionary_get(qt_dictionary* dict, void* key) {
  const std::uint64_t hash = dict->hash_of(key);
  const held_to_read lock{dict};
  const entry* const found = dict->find(key, hash);
  return found != nullptr ? found->seen.value : nullptr;
}

void* qt_dictionary_delete(qt_dictionary* dict, void* key) {
  entry* const removed = remove(dict, key);
  if (removed == nullptr) return nullptr;
  void* const value = removed->seen.value;
  if (dict->cleanup != nullptr) dict->cleanup(removed->seen.key, nullptr);
  face::free_object(removed);
  return value;
}

void qt_dictionary_printbuckets(qt_dictionary* dict) {
  const held_to_read lock{dict};
  std::printf("%zu buckets, %zu entries\n", dict->bucket_count, dict->count);
}

// ---- iterators ----

struct qt_dictionary_iterator {
  qt_dictionary* of;
  entry* at;       // null: before the first, or after the last
  bool has_begun;  // it is not before the first
};

namespace {

qt_dictionary_iterator* make_iterator(qt_dictionary* of, entry* at, bool has_begun) {
  return face::make_object<qt_dictionary_iterator>(0, of, at, has_begun);
}

list_entry* seen(entry* one) { return one != nullptr ? &one->seen : nullptr; }

}  // namespace

qt_dictionary_iterator* qt_dictionary_iterator_create(qt_dictionary* dict) {
  qt_dictionary_iterator* const made = dict != nullptr ? make_iterator(dict, nullptr, false) : nullptr;
  return made != nullptr ? made : static_cast<qt_dictionary_iterator*>(ERROR);
}

void qt_dictionary_iterator_destroy(qt_dictionary_iterator* it) {
  if (it != nullptr) face::free_object(it);
}

list_entry* qt_dictionary_iterator_next(qt_dictionary_iterator* it) {
  if (it == nullptr) return static_cast<list_entry*>(ERROR);
  const held_to_read lock{it->of};
  if (!it->has_begun) {
    it->at = it->of->first;
  } else if (it->at != nullptr) {
    it->at = it->at->next();
  }
  it->has_begun = true;
  return seen(it->at);
}

list_entry* qt_dictionary_iterator_get(const qt_dictionary_iterator* it) {
  return it != nullptr ? seen(it->at) : static_cast<list_entry*>(ERROR);
}

qt_dictionary_iterator* qt_dictionary_end(qt_dictionary* dict) {
  return dict != nullptr ? make_iterator(dict, nullptr, true) : nullptr;
}

int qt_dictionary_iterator_equals(qt_dictionary_iterator* a, qt_dictionary_iterator* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->of == b->of && a->at == b->at && a->has_begun == b->has_begun;
}

qt_dictionary_iterator* qt_dictionary_iterator_copy(qt_dictionary_iterator* b) {
  return b != nullptr ? make_iterator(b->of, b->at, b->has_begun) : nullptr;
}
