// See memory.hpp.
#include "machine/memory.hpp"

#include <sys/mman.h>
#include <cstring>

#include "machine/raw.hpp"

namespace many {

line* lines;
place_statistics transfers_by_place[place_slots];
place_statistics fences_by_place[place_slots];
std::vector<line_statistics>* transfers_by_line;
bool is_counting = true;

namespace {

constexpr std::uint64_t page_count = std::uint64_t{1} << 28;
constexpr std::uint64_t page_bytes = 4096;
unsigned char* pages;               // socket + 1 of the first touch; 0: not there
const void** own_lines[most_cpus];  // by core: which line takes each place of its cache
constexpr std::uint64_t line_bytes = 64;

unsigned char& page_of(const void* address) {
  return pages[(reinterpret_cast<std::uintptr_t>(address) / page_bytes) & (page_count - 1)];
}

std::uint8_t socket_of_core[most_cpus];

struct holders {
  unsigned others = 0;    // cores apart from the asking one
  bool has_near = false;  // one of them is of its socket
};

holders other_holders(const line& one, const cpu* self) {
  holders found;
  for (unsigned word = 0; word < most_cpus / 64; ++word) {
    for (std::uint64_t bits = one.holders[word]; bits != 0; bits &= bits - 1) {
      const unsigned core = word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
      if (core == self->core) continue;
      ++found.others;
      found.has_near |= socket_of_core[core] == self->socket;
    }
  }
  return found;
}

// A core's cache has one place for each line, so a new line may push an older one out, into the
// last-level cache of the socket.
void take_place(const void* address, const cpu* self) {
  const std::uint64_t number = reinterpret_cast<std::uintptr_t>(address) / line_bytes;
  const void*& place = own_lines[self->core][(number * 0x9e3779b97f4a7c15U >> 40) & (cost.own_lines - 1)];
  const void* const mine = reinterpret_cast<const void*>(number * line_bytes);
  if (place == mine) return;
  if (place != nullptr) {
    line& old = line_of(place);
    old.holders[self->core / 64] &= ~(std::uint64_t{1} << (self->core % 64));
    if (old.owner == self->core + 1) old.owner = 0;
    old.is_cached = 1;
    old.home = static_cast<std::uint8_t>(self->socket + 1);
  }
  place = mine;
}

struct fetch {
  picoseconds takes;
  bool is_transfer;  // from another core or a cache, not from memory
};

fetch price_of(const void* address, const line& one, access how, const cpu* self) {
  if (one.owner != 0) {
    if (one.owner == self->core + 1) return {0, false};
    return {socket_of_core[one.owner - 1] == self->socket ? cost.transfer : cost.transfer_far, true};
  }
  const bool is_mine = holds(one, self->core);
  if (how == access::load && is_mine) return {0, false};  // the sibling fetched it meanwhile
  const holders found = other_holders(one, self);
  if (found.others > 0 || is_mine) {
    const bool is_near = found.has_near || is_mine;
    if (how == access::load) return {is_near ? cost.shared : cost.shared_far, true};
    return {(found.has_near || found.others == 0 ? cost.transfer : cost.transfer_far) + cost.invalidate * found.others, true};
  }
  if (one.is_cached != 0) return {one.home == self->socket + 1 ? cost.shared : cost.shared_far, true};
  return {page_of(address) == self->socket + 1 ? cost.memory : cost.memory_far, false};
}

void count_transfer(const void* address, line& one, const void* from, picoseconds time) {
  ++total.transfers;
  if (!is_counting) return;
  count_at(transfers_by_place, from, time);
  if (one.statistics == 0) {
    const void* const start = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(address) & ~(line_bytes - 1));
    transfers_by_line->push_back({start, 0, 0, {}});
    one.statistics = static_cast<std::uint32_t>(transfers_by_line->size());
  }
  line_statistics& counted = (*transfers_by_line)[one.statistics - 1];
  ++counted.count;
  counted.time += time;
  for (place_statistics& each : counted.places) {
    if (each.place != nullptr && each.place != from) continue;
    each.place = from;
    ++each.count;
    each.time += time;
    break;
  }
}

void fault_page_in(const void* address) {
  unsigned char& page = page_of(address);
  if (page != 0) return;
  page = static_cast<unsigned char>(current->socket + 1);
  ++total.page_faults;
  spend(of_page_fault, cost.page_fault);
}

void hold_alone(line& one, const cpu* self) {
  for (std::uint64_t& word : one.holders) word = 0;
  one.holders[self->core / 64] = std::uint64_t{1} << (self->core % 64);
  one.owner = static_cast<std::uint16_t>(self->core + 1);
}

void finish_load(line& one, picoseconds start, picoseconds end) {
  cpu* const self = current;
  one.free_at = one.owner != 0 ? end : start + cost.hold;
  one.owner = 0;
  one.holders[self->core / 64] |= std::uint64_t{1} << (self->core % 64);
  spend(of_load, end - self->clock);
  settle();
}

void finish_store(line& one, picoseconds end) {
  cpu* const self = current;
  one.free_at = end;
  hold_alone(one, self);
  if (self->drain < end) self->drain = end;
  if (self->drain > self->clock + cost.store_buffer) spend(of_store_buffer, self->drain - self->clock - cost.store_buffer);
}

void finish_read_modify_write(line& one, picoseconds end) {
  cpu* const self = current;
  one.free_at = end + cost.read_modify_write;
  hold_alone(one, self);
  self->drain = 0;
  spend(of_read_modify_write, one.free_at - self->clock);
  settle();
}

}  // namespace

void miss(const void* address, access how, const void* from) {
  if (how == access::read_modify_write && current->drain > current->clock) spend(of_drain, current->drain - current->clock);
  settle();
  fault_page_in(address);
  cpu* const self = current;
  line& one = line_of(address);
  const fetch price = price_of(address, one, how, self);
  if (price.takes == 0 && how == access::read_modify_write) {
    spend(of_read_modify_write, cost.read_modify_write);
    return settle();
  }
  const picoseconds start = self->clock > one.free_at ? self->clock : one.free_at;
  const picoseconds end = start + price.takes;
  ++self->misses;
  take_place(address, self);
  if (price.is_transfer) count_transfer(address, one, from, end - self->clock);
  if (how == access::load) return finish_load(one, start, end);
  if (how == access::store) return finish_store(one, end);
  finish_read_modify_write(one, end);
}

void touch_range(const void* memory, std::size_t bytes, access how, const void* from) {
  const auto end = reinterpret_cast<std::uintptr_t>(memory) + bytes;
  for (std::uintptr_t at = reinterpret_cast<std::uintptr_t>(memory) & ~(line_bytes - 1); at < end; at += line_bytes) {
    touch(reinterpret_cast<const void*>(at), how, from);
  }
}

void forget_pages(const void* memory, std::size_t bytes) {
  const auto end = reinterpret_cast<std::uintptr_t>(memory) + bytes;
  for (std::uintptr_t at = reinterpret_cast<std::uintptr_t>(memory); at < end; at += page_bytes) {
    unsigned char& page = page_of(reinterpret_cast<const void*>(at));
    if (page == 0) continue;
    page = 0;
    line* const first = &line_of(reinterpret_cast<const void*>(at));
    for (unsigned i = 0; i < page_bytes / line_bytes; ++i) {
      const std::uint32_t statistics = first[i].statistics;
      first[i] = {};
      first[i].statistics = statistics;
    }
  }
}

void start_memory() {
  pages = static_cast<unsigned char*>(reserve(page_count));
  lines = static_cast<line*>(reserve(line_count * sizeof(line)));
  if (pages == nullptr || lines == nullptr)
    refuse("no address space for the states of all lines: %m; does a limit (ulimit -v) hold?");
  for (unsigned i = 0; i < set.cpu_count; ++i) {
    socket_of_core[cpus[i].core] = static_cast<std::uint8_t>(cpus[i].socket);
    if (own_lines[cpus[i].core] != nullptr) continue;
    own_lines[cpus[i].core] = static_cast<const void**>(reserve(cost.own_lines * sizeof(void*)));
    if (own_lines[cpus[i].core] == nullptr) refuse("no memory for the cache of a core: %m");
  }
  transfers_by_line = new std::vector<line_statistics>;
}

void count_at(place_statistics* table, const void* place, picoseconds time) {
  if (!is_counting) return;
  std::uint64_t slot = reinterpret_cast<std::uintptr_t>(place) * 0x9e3779b97f4a7c15U >> 48;
  while (table[slot].place != nullptr && table[slot].place != place) slot = (slot + 1) % place_slots;
  table[slot].place = place;
  ++table[slot].count;
  table[slot].time += time;
}

void forget_statistics() {
  std::memset(transfers_by_place, 0, sizeof transfers_by_place);
  std::memset(fences_by_place, 0, sizeof fences_by_place);
  for (const line_statistics& each : *transfers_by_line) line_of(each.address).statistics = 0;
  transfers_by_line->clear();
}

}  // namespace many
