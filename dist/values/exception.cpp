// See exception.hpp.
#include "dist/values/exception.hpp"

#include <string.h>

#include <weft/weft.h>

#include "base/assert.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/rank.hpp"

// What the C++ run time keeps for each OS thread (Itanium C++ ABI: Exception Handling, 2.2.2).
struct open_exceptions {
  void* caught;
  unsigned uncaught;
};
// Weak: a C program has no C++ run time, and no exceptions.
extern "C" __attribute__((weak)) open_exceptions* __cxa_get_globals() noexcept;

namespace weft::dist {
namespace {

open_exceptions before_root;

template <std::size_t Capacity>
void copy_text(char (&into)[Capacity], const char* text) {
  const std::size_t length = strnlen(text, Capacity - 1);
  memcpy(into, text, length);
  into[length] = 0;
}

int owner_of(const void* entry) {
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(entry) - all.job.shared);
  return static_cast<int>(offset / all.job.shared_bytes);
}

// The lowest, so that few are ever used.
kept_exception* find_free() {
  kept_exception* const entries = all.part->exceptions;
  for (unsigned i = 0; i < all.exceptions; ++i) {
    if (entries[i].state.load(base::relaxed) == kept_exception::free) return &entries[i];
  }
  return all.exceptions < most_exceptions ? &entries[all.exceptions++] : nullptr;
}

[[noreturn]] void end_full(const char* type, const char* what) {
  net::fail(all.job,
            "%u exceptions wait for their joins on rank %d, and there is no place for another, %s: %s; join forks that "
            "throw sooner, or catch what they throw in the fork",
            most_exceptions, all.job.rank, type, what);
}

}  // namespace

void note_open_exceptions() {
  if (__cxa_get_globals != nullptr) before_root = *__cxa_get_globals();
}

bool has_open_exception() {
  if (__cxa_get_globals == nullptr) return false;
  const open_exceptions& now = *__cxa_get_globals();
  return now.caught != before_root.caught || now.uncaught != before_root.uncaught;
}

}  // namespace weft::dist

using namespace weft::dist;
namespace base = weft::base;
namespace net = weft::net;

extern "C" {

WEFT_API void* weft_dist_keep_exception(void* exception, const char* type, const char* what) {
  kept_exception* const entry = find_free();
  if (entry == nullptr) end_full(type, what);
  entry->exception = exception;
  copy_text(entry->type, type);
  copy_text(entry->what, what);
  entry->state.store(kept_exception::held, base::relaxed);  // the fork's end publishes it
  return entry;
}

WEFT_API void* weft_dist_find_exception(void* handle, const char** type, const char** what) {
  auto* entry = static_cast<kept_exception*>(handle);
  const int owner = owner_of(entry);
  if (!net::is_near(all.job, owner)) {
    static kept_exception copies[8];  // texts stay valid until the exception is dropped
    static unsigned next = 0;
    kept_exception& copy = copies[next++ % 8];
    get_far_part(owner, entry, &copy, sizeof copy);
    entry = &copy;
  }
  *type = entry->type;
  *what = entry->what;
  return owner == all.job.rank ? entry->exception : nullptr;
}

// Where the owner itself drops it, it has taken the exception, and the entry is free.
WEFT_API void weft_dist_drop_exception(void* handle) {
  auto* const entry = static_cast<kept_exception*>(handle);
  const int owner = owner_of(entry);
  if (net::is_near(all.job, owner)) return entry->drop(owner == all.job.rank);
  put_far_word(owner, &entry->dropped_far);
}

WEFT_API void* weft_dist_dropped_exception(void) {
  for (unsigned i = 0; i < all.exceptions; ++i) {
    kept_exception& each = all.part->exceptions[i];
    if (each.collect()) return each.exception;
  }
  return nullptr;
}

}  // extern "C"
