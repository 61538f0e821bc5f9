// What a compiler calls that instruments for ThreadSanitizer: each access of the program, each entry
// into a function, each atomic operation and fence. Values are those of memory at once; memory
// orders only decide about costs.
#include <cstddef>
#include <cstdint>

#include "machine/memory.hpp"

using many::access;
using many::touch;
using u128 = unsigned __int128;

#define MANY_CALLER __builtin_return_address(0)
#define MANY_PLAIN(bytes)                                                                          \
  void __tsan_read##bytes(void* at) { touch(at, access::load, MANY_CALLER); }                      \
  void __tsan_write##bytes(void* at) { touch(at, access::store, MANY_CALLER); }                    \
  void __tsan_unaligned_read##bytes(void* at) { touch(at, access::load, MANY_CALLER); }            \
  void __tsan_unaligned_write##bytes(void* at) { touch(at, access::store, MANY_CALLER); }          \
  void __tsan_volatile_read##bytes(void* at) { touch(at, access::load, MANY_CALLER); }             \
  void __tsan_volatile_write##bytes(void* at) { touch(at, access::store, MANY_CALLER); }           \
  void __tsan_unaligned_volatile_read##bytes(void* at) { touch(at, access::load, MANY_CALLER); }   \
  void __tsan_unaligned_volatile_write##bytes(void* at) { touch(at, access::store, MANY_CALLER); } \
  void __tsan_read_write##bytes(void* at) { touch(at, access::store, MANY_CALLER); }

#define MANY_CHANGE(bits, word, name, operation)                          \
  word __tsan_atomic##bits##_##name(volatile word* at, word value, int) { \
    touch(const_cast<word*>(at), access::read_modify_write, MANY_CALLER); \
    const word before = *at;                                              \
    *at = static_cast<word>(operation);                                   \
    return before;                                                        \
  }
#define MANY_EXCHANGE_IF(bits, word, strength)                                                                     \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile word* at, word* expected, word value, int, int) { \
    touch(const_cast<word*>(at), access::read_modify_write, MANY_CALLER);                                          \
    if (*at == *expected) {                                                                                        \
      *at = value;                                                                                                 \
      return 1;                                                                                                    \
    }                                                                                                              \
    *expected = *at;                                                                                               \
    return 0;                                                                                                      \
  }
#define MANY_ATOMIC(bits, word)                                                                             \
  word __tsan_atomic##bits##_load(const volatile word* at, int) {                                           \
    touch(const_cast<word*>(at), access::load, MANY_CALLER);                                                \
    return *at;                                                                                             \
  }                                                                                                         \
  void __tsan_atomic##bits##_store(volatile word* at, word value, int order) {                              \
    const bool is_locked = order == __ATOMIC_SEQ_CST;                                                       \
    touch(const_cast<word*>(at), is_locked ? access::read_modify_write : access::store, MANY_CALLER);       \
    *at = value;                                                                                            \
  }                                                                                                         \
  MANY_CHANGE(bits, word, exchange, value)                                                                  \
  MANY_CHANGE(bits, word, fetch_add, before + value)                                                        \
  MANY_CHANGE(bits, word, fetch_sub, before - value)                                                        \
  MANY_CHANGE(bits, word, fetch_and, before& value)                                                         \
  MANY_CHANGE(bits, word, fetch_or, before | value)                                                         \
  MANY_CHANGE(bits, word, fetch_xor, before ^ value)                                                        \
  MANY_CHANGE(bits, word, fetch_nand, ~(before & value))                                                    \
  MANY_EXCHANGE_IF(bits, word, strong)                                                                      \
  MANY_EXCHANGE_IF(bits, word, weak)                                                                        \
  word __tsan_atomic##bits##_compare_exchange_val(volatile word* at, word expected, word value, int, int) { \
    touch(const_cast<word*>(at), access::read_modify_write, MANY_CALLER);                                   \
    const word before = *at;                                                                                \
    if (before == expected) *at = value;                                                                    \
    return before;                                                                                          \
  }

extern "C" {

// clang-format off: macros that make functions end in no semicolon
MANY_PLAIN(1) MANY_PLAIN(2) MANY_PLAIN(4) MANY_PLAIN(8) MANY_PLAIN(16)
MANY_ATOMIC(8, std::uint8_t) MANY_ATOMIC(16, std::uint16_t) MANY_ATOMIC(32, std::uint32_t)
MANY_ATOMIC(64, std::uint64_t) MANY_ATOMIC(128, u128)
    // clang-format on

    void __tsan_init() {}
void __tsan_read_range(void* at, std::size_t bytes) { many::touch_range(at, bytes, access::load, MANY_CALLER); }
void __tsan_write_range(void* at, std::size_t bytes) { many::touch_range(at, bytes, access::store, MANY_CALLER); }
void __tsan_vptr_update(void** at, void*) { touch(at, access::store, MANY_CALLER); }
void __tsan_vptr_read(void** at) { touch(at, access::load, MANY_CALLER); }
void __tsan_func_entry(void*) {
  many::current->clock += many::current->call;
  many::current->spent[many::of_code] += many::current->call;
}
void __tsan_func_exit() {}
void __tsan_atomic_thread_fence(int order) {
  if (order == __ATOMIC_SEQ_CST && many::is_on) many::full_fence();
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
