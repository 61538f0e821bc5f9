// Cache lines: which cores hold each, which core owns it, and when it can next be had.
//
// A load that its core holds, and a store to a line that its core owns, are hits. All else is a
// transfer from a core, from a last-level cache or from memory; a line serves one transfer at a
// time. Stores drain behind their CPU, up to `store_buffer`; locked instructions and fences wait
// for them. Values never lag behind: orders weaker than sequential consistency are what the models
// explore, and here they only have their price.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/machine.hpp"

namespace many {

enum class access { load, store, read_modify_write };

struct line {
  std::uint64_t holders[most_cpus / 64];  // bits of cores
  picoseconds free_at;
  std::uint16_t owner;       // core + 1; 0: none
  std::uint8_t is_cached;    // in a last-level cache, if no core holds it
  std::uint8_t home;         // socket + 1 of that cache
  std::uint32_t statistics;  // place in line_statistics() + 1
};

extern line* lines;
inline constexpr std::uint64_t line_count = std::uint64_t{1} << 33;  // of 39 address bits

inline line& line_of(const void* address) { return lines[(reinterpret_cast<std::uintptr_t>(address) >> 6) & (line_count - 1)]; }

inline bool holds(const line& one, unsigned core) { return (one.holders[core / 64] >> (core % 64) & 1) != 0; }

// A transfer, or a locked instruction on an own line.
void miss(const void* address, access how, const void* from);

[[gnu::always_inline]] inline void touch(const void* address, access how, const void* from) {
  if (__builtin_expect(!is_on, 0)) return;
  cpu* const self = current;
  ++self->accesses;
  self->clock += self->access;
  self->spent[of_code] += self->access;
  const line& one = line_of(address);
  const bool is_hit = how == access::load ? holds(one, self->core) : how == access::store ? one.owner == self->core + 1 : false;
  if (__builtin_expect(is_hit, 1)) return settle_if_far();
  miss(address, how, from);
}

void touch_range(const void* memory, std::size_t bytes, access how, const void* from);

// The pages are gone: their next touch is a page fault.
void forget_pages(const void* memory, std::size_t bytes);

void start_memory();

// ---- for the report -----------------------------------------------------------------------------
struct place_statistics {  // of an instruction
  const void* place;
  std::uint64_t count;
  picoseconds time;
};
struct line_statistics {
  const void* address;
  std::uint64_t count;
  picoseconds time;
  place_statistics places[4];  // those that came first
};

// Of an open hash table; places of null are free.
inline constexpr unsigned place_slots = 1U << 16;
extern place_statistics transfers_by_place[place_slots];
extern place_statistics fences_by_place[place_slots];
extern std::vector<line_statistics>* transfers_by_line;
extern bool is_counting;  // false: what is counted is kept as it is
void count_at(place_statistics* table, const void* place, picoseconds time);
void forget_statistics();

}  // namespace many
