// WEFT_SCHEDULE in words: what seeded/schedule.hpp is asked to do.
//
//      seed:N                      choices at random, from this seed
//      seed:N,pct:DEPTH[,length:N] priorities instead: see schedule.hpp
//      seed:N,sample:pos           samples of partial orders instead: see schedule.hpp
//      replay:FILE                 the choices of a record; ends where the program asks for others
//      near:FILE                   the same as far as possible: what no longer fits is left out
//      ...,record:FILE             beside any of them, or alone: then each choice is the usual one
#pragma once

#include <cstdint>

namespace weft::sched {

inline constexpr unsigned longest_schedule_path = 511;

enum class choice_source : std::uint8_t { usual, seed, replay, near };

struct schedule_wish {
  choice_source from = choice_source::usual;
  std::uint64_t seed = 0;
  std::uint32_t depth = 0;      // of pct; 0: not asked for
  std::uint32_t length = 1000;  // of a run, in choices; for pct
  bool samples_orders = false;  // pos
  char replay[longest_schedule_path + 1] = {};
  char record[longest_schedule_path + 1] = {};  // empty: none
};

// False: it makes no sense; a line on stderr says why, and what there is. *out is then undefined.
bool read_schedule(const char* text, schedule_wish* out);

}  // namespace weft::sched
