// qthread_key_*: keys of weft.h, each packed into the pointer that is a qthread_key_t.
#include "key.hpp"

#include <qthread/tls.h>

#include <cerrno>
#include <cstdint>

#include <weft/weft.h>

#include "base/atomic.hpp"

using namespace weft;

namespace {

constinit base::atomic<bool> was_key_made{false};

// The key of a pointer that is zero-filled is none.
qthread_key_t packed(weft_key key) {
  return reinterpret_cast<qthread_key_t>(std::uintptr_t{key.generation} << 32 | (std::uintptr_t{key.index} + 1));
}

weft_key unpacked(qthread_key_t key) {
  const auto word = reinterpret_cast<std::uintptr_t>(key);
  return {static_cast<std::uint32_t>(word) - 1, static_cast<std::uint32_t>(word >> 32)};
}

int code_of(weft_status status) {
  switch (status) {
    case WEFT_OK: return 0;
    case WEFT_AGAIN: return EAGAIN;
    case WEFT_NOMEM: return ENOMEM;
    default: return EINVAL;
  }
}

}  // namespace

bool weft::qthreads::has_keys() { return was_key_made.load(base::relaxed); }

int qthread_key_create(qthread_key_t* key, void (*destructor)(void*)) {
  if (key == nullptr) return EINVAL;
  was_key_made.store(true, base::relaxed);
  weft_key made;
  const weft_status status = weft_key_create(destructor, &made);
  if (status == WEFT_OK) *key = packed(made);
  return code_of(status);
}

int qthread_key_delete(qthread_key_t key) { return code_of(weft_key_delete(unpacked(key))); }

void* qthread_getspecific(qthread_key_t key) { return weft_key_get(unpacked(key)); }

int qthread_setspecific(qthread_key_t key, const void* value) {
  return code_of(weft_key_set(unpacked(key), const_cast<void*>(value)));
}
