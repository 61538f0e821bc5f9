// qthread_key_*: keys of weft.h, each packed into the pointer that is a qthread_key_t. Values of
// tasks lie in tables of their own (key.hpp); those of all other callers are Weft's.
#include "key.hpp"

#include <qthread/tls.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <weft/weft.h>

#include "faces/common/spinlock.hpp"
#include "task.hpp"

namespace weft::qthreads {

struct task_value {
  qthread_key_t key;  // null: none
  void* value;
};

struct task_values {
  std::uint32_t count;
  task_value at[];  // by the keys' indexes
};

namespace {

using destructor = void (*)(void*);

constexpr unsigned most_keys = 1024;  // Weft's own limit

struct known_key {
  atomic<qthread_key_t> live;  // null: there is none of this index
  destructor destroy;          // guarded by `changes_of_keys`
};

constinit known_key known_keys[most_keys] = {};
constinit face::spinlock changes_of_keys;

// The key of a pointer that is zero-filled is none.
qthread_key_t packed(weft_key key) {
  return reinterpret_cast<qthread_key_t>(std::uintptr_t{key.generation} << 32 | (std::uintptr_t{key.index} + 1));
}

weft_key unpacked(qthread_key_t key) {
  const auto word = reinterpret_cast<std::uintptr_t>(key);
  return {static_cast<std::uint32_t>(word) - 1, static_cast<std::uint32_t>(word >> 32)};
}

unsigned index_of(qthread_key_t key) { return unpacked(key).index; }

bool is_known(qthread_key_t key) {
  return index_of(key) < most_keys && known_keys[index_of(key)].live.load(base::relaxed) == key;
}

int code_of(weft_status status) {
  switch (status) {
    case WEFT_OK: return 0;
    case WEFT_AGAIN: return EAGAIN;
    case WEFT_NOMEM: return ENOMEM;
    default: return EINVAL;
  }
}

void note_key(qthread_key_t made, destructor destroy) {
  const face::guard alone(changes_of_keys);
  known_keys[index_of(made)].destroy = destroy;
  known_keys[index_of(made)].live.store(made, base::relaxed);
}

// False: there is no such key, or another caller deletes it.
bool forget_key(qthread_key_t key) {
  const face::guard alone(changes_of_keys);
  if (!is_known(key)) return false;
  known_keys[index_of(key)].live.store(nullptr, base::relaxed);
  return true;
}

// Null: it has none, or the key is no more.
destructor destructor_of(qthread_key_t key) {
  const face::guard alone(changes_of_keys);
  return is_known(key) ? known_keys[index_of(key)].destroy : nullptr;
}

task_value* find_value(const task* one, qthread_key_t key) {
  task_values* const all = one->local != nullptr ? one->local->values : nullptr;
  return all != nullptr && index_of(key) < all->count ? &all->at[index_of(key)] : nullptr;
}

// Room for a value under a key; null: no memory.
task_value* make_value(task* one, qthread_key_t key) {
  constexpr std::uint32_t step = 8;
  if (task_value* const there = find_value(one, key); there != nullptr) return there;
  if (one->local == nullptr) {
    one->local = static_cast<tasklocal*>(std::calloc(1, sizeof(tasklocal)));
    if (one->local == nullptr) return nullptr;
    one->flags |= uses_more;
  }
  task_values* const before = one->local->values;
  const std::uint32_t had = before != nullptr ? before->count : 0;
  const std::uint32_t count = (index_of(key) / step + 1) * step;
  auto* const larger = static_cast<task_values*>(std::realloc(before, sizeof(task_values) + count * sizeof(task_value)));
  if (larger == nullptr) return nullptr;
  for (std::uint32_t i = had; i < count; ++i) larger->at[i] = {nullptr, nullptr};
  larger->count = count;
  one->local->values = larger;
  return &larger->at[index_of(key)];
}

// A destructor may set values, under this key as well. False: there was none to destroy.
bool destroy_values(const task* one) {
  bool has_destroyed = false;
  for (std::uint32_t i = 0; i < one->local->values->count; ++i) {
    const task_value old = one->local->values->at[i];
    one->local->values->at[i] = {nullptr, nullptr};
    const destructor destroy = old.value != nullptr ? destructor_of(old.key) : nullptr;
    if (destroy == nullptr) continue;
    destroy(old.value);
    has_destroyed = true;
  }
  return has_destroyed;
}

}  // namespace

void end_values(task* one) {
  constexpr int rounds = 4;  // as for values of OS threads
  if (one->local == nullptr || one->local->values == nullptr) return;
  for (int round = 0; round < rounds && destroy_values(one); ++round) {
  }
  std::free(one->local->values);
  one->local->values = nullptr;
}

}  // namespace weft::qthreads

using namespace weft::qthreads;

extern "C" {

int qthread_key_create(qthread_key_t* key, void (*destructor)(void*)) {
  if (key == nullptr) return EINVAL;
  weft_key made;
  const weft_status status = weft_key_create(destructor, &made);
  if (status != WEFT_OK) return code_of(status);
  *key = packed(made);
  note_key(*key, destructor);
  return 0;
}

int qthread_key_delete(qthread_key_t key) { return forget_key(key) ? code_of(weft_key_delete(unpacked(key))) : EINVAL; }

void* qthread_getspecific(qthread_key_t key) {
  const task* const mine = self();
  if (mine == nullptr) return weft_key_get(unpacked(key));
  const task_value* const there = find_value(mine, key);
  return there != nullptr && there->key == key && is_known(key) ? there->value : nullptr;
}

int qthread_setspecific(qthread_key_t key, const void* value) {
  task* const mine = self();
  if (mine == nullptr) return code_of(weft_key_set(unpacked(key), const_cast<void*>(value)));
  if (!is_known(key)) return EINVAL;
  task_value* const there = make_value(mine, key);
  if (there == nullptr) return ENOMEM;
  *there = {key, const_cast<void*>(value)};
  return 0;
}
}
