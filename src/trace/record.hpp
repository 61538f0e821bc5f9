// What is recorded while a program runs: one record for each turn of a thread on a worker (not one
// at its begin and one at its end, which could be torn apart when old ones are dropped), each fork
// that its forker ran in its join, each join, each steal of a rank, each thread's name, and each
// note of a builder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.hpp"

namespace weft::trace {

inline constexpr std::uint16_t outside = UINT16_MAX;  // instead of a worker's number: an OS thread outside
inline constexpr std::size_t name_bytes = 32;

enum class record_kind : std::uint8_t { turn, fork, join, name, note, steal };

// Why a thread became ready.
enum class reason : std::uint8_t { none, created, forked, woken, yielded, migrated };

// How a thread left its worker.
enum class leave : std::uint8_t {
  none,
  parked,
  yielded,
  ended,
  aside
};  // aside: for a thread that it dispatched, or to its scheduler

struct alignas(base::cache_line) record {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t thread;
  union {
    struct {
      // turn: the thread that made it ready (0: none did); join: the thread that joined it; note:
      // its value; steal: bytes
      std::uint64_t other;
      // turn: when it became ready, or was forked; fork: when it was forked; steal: when it was
      // claimed. 0: unknown
      std::uint64_t since;
      // turn: when its last turn ended, 0: this is the first one; steal: when it was copied
      std::uint64_t left;
      const void* about;  // turn: what it had waited for, a text (null: nothing); fork: the function; note: its name
    };
    char name[name_bytes];
    struct {
      char no_name;         // '\0': name is ""
      const void* made_at;  // of such a thread; see os/place.hpp
    };
  };
  // turn: the worker on which `other` was then, or `outside`; steal: the victim; join, fork, name,
  // note: where it happened
  std::uint16_t on;
  record_kind kind;
  reason why;
  leave how;
  bool is_stolen;
  std::uint16_t worker;  // of a record that is in no ring
};
// A name's function is its `end`: it has but one time.
static_assert(sizeof(record) == 64);
inline constexpr std::size_t record_words = sizeof(record) / sizeof(std::uint64_t);

}  // namespace weft::trace
