// What a thread, or a message between threads, knows: for every location the oldest store that may
// still be read (coherence), and for every thread how far its past is covered (happens-before). The
// two differ: a seq_cst fence moves the first and not the second.
#pragma once

#include <algorithm>
#include <cstdint>

namespace explorer {

inline constexpr int max_threads = 6;  // thread 0 is the model's body, before and after the others
inline constexpr int max_locations = 128;
inline int locations_in_use = 0;  // of this execution: views need not be joined beyond

// A place in a location's modification order. Stores are appended far apart, so that others can be
// inserted between.
using timestamp = std::uint32_t;
inline constexpr timestamp timestamp_step = 1u << 18;

struct view {
  timestamp at[max_locations] = {};

  void join(const view& other) {
    for (int i = 0; i < locations_in_use; ++i) at[i] = std::max(at[i], other.at[i]);
  }
  bool operator==(const view& other) const { return std::equal(at, at + locations_in_use, other.at); }
  void raise(int location, timestamp to) { at[location] = std::max(at[location], to); }
};

struct vector_clock {
  std::uint32_t at[max_threads] = {};

  bool operator==(const vector_clock&) const = default;
  void join(const vector_clock& other) {
    for (int i = 0; i < max_threads; ++i) at[i] = std::max(at[i], other.at[i]);
  }
};

struct frontier {
  view seen;
  vector_clock past;

  bool operator==(const frontier&) const = default;
  void join(const frontier& other) {
    seen.join(other.seen);
    past.join(other.past);
  }
};

}  // namespace explorer
