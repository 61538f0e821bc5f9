// What a model over a face does not include itself of libc and of Weft's mutexes, in the fewest
// words that keep the promise. Calls of libc come here by the linker's --wrap, from the files of the
// model alone. The linker leaves out functions that no model reaches.
#include <weft/weft.h>

#include <pthread.h>
#include <sched.h>

#include <cstdlib>
#include <cstring>

#include "arch/cpu.hpp"
#include "explorer/explorer.hpp"
#include "face_heap.hpp"

#define STAND_IN [[gnu::weak]]

namespace {

constexpr std::size_t least_alignment = alignof(std::max_align_t);

}  // namespace

extern "C" {

// ---- memory -------------------------------------------------------------------------------------

// Sizes lie in front. A thread that uses what is freed, or has used it and did not come before,
// fails the model.
[[gnu::no_sanitize_thread]] void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  using face_heap::the;
  const std::size_t step = alignment > least_alignment ? alignment : least_alignment;
  const std::size_t rounded = (bytes + least_alignment - 1) / least_alignment * least_alignment;
  const std::size_t begin = (the.used + least_alignment + step - 1) / step * step;
  if (begin + rounded > face_heap::bytes) explorer::fail("the model is too large", "raise bytes in face_heap.hpp");
  std::memcpy(the.memory + begin - least_alignment, &rounded, sizeof rounded);
  the.used = begin + rounded;
  face_heap::count(1);
  return the.memory + begin;
}

void* __wrap_malloc(std::size_t bytes) { return __wrap_aligned_alloc(least_alignment, bytes); }

void* __wrap_calloc(std::size_t count, std::size_t bytes) { return std::memset(__wrap_malloc(count * bytes), 0, count * bytes); }

void __wrap_free(void* memory) {
  if (memory == nullptr) return;
  face_heap::count(-1);
  auto* const bytes = static_cast<volatile unsigned char*>(memory);
  std::size_t count;
  std::memcpy(&count, static_cast<unsigned char*>(memory) - least_alignment, sizeof count);
  for (std::size_t index = 0; index < count; ++index) bytes[index] = 0xdd;
  for (std::size_t index = 0; index < count; index += sizeof(std::uint32_t))
    explorer::destroy_atomic(static_cast<char*>(memory) + index);
}

// ---- OS threads ---------------------------------------------------------------------------------

int __wrap_atexit(void (*)()) { return 0; }

int __wrap_sched_yield() {
  weft::arch::pause();
  return 0;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  while (word_in(mutex).exchange(1, std::memory_order_acquire) != 0) weft::arch::pause();
  return 0;
}
int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
  word_in(mutex).store(0, std::memory_order_release);
  return 0;
}
int __wrap_pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  const std::uint32_t seen = word_in(condition).load(std::memory_order_relaxed);
  __wrap_pthread_mutex_unlock(mutex);
  while (word_in(condition).load(std::memory_order_relaxed) == seen) weft::arch::pause();
  return __wrap_pthread_mutex_lock(mutex);
}
int __wrap_pthread_cond_broadcast(pthread_cond_t* condition) {
  word_in(condition).fetch_add(1, std::memory_order_relaxed);
  return 0;
}

// ---- mutexes of weft.h --------------------------------------------------------------------------

STAND_IN weft_status weft_mutex_lock(weft_mutex* mutex) {
  while (word_in(mutex).exchange(1, std::memory_order_acquire) != 0) weft::arch::pause();
  return WEFT_OK;
}
STAND_IN weft_status weft_mutex_try_lock(weft_mutex* mutex) {
  return word_in(mutex).exchange(1, std::memory_order_acquire) == 0 ? WEFT_OK : WEFT_BUSY;
}
STAND_IN weft_status weft_mutex_unlock(weft_mutex* mutex) {
  word_in(mutex).store(0, std::memory_order_release);
  return WEFT_OK;
}

}  // extern "C"
