// Clocks of two nodes, from readings: for clocks of any offset and rate, and round trips whose two
// ways take any time, each moment of the one's time must come to the other's as near as is said. No
// time passes.
#include <cstdint>
#include <cstdio>

#include "base/rng.hpp"
#include "dist/far/clocks.hpp"

using namespace weft;

namespace {

// True time is rank 0's.
struct node_clock {
  std::uint64_t ahead;
  double rate;

  [[nodiscard]] std::uint64_t at(std::uint64_t truly) const {
    return ahead + static_cast<std::uint64_t>(static_cast<double>(truly) * rate);
  }
};

dist::clock_reading read_at(const node_clock& its, std::uint64_t truly, std::uint64_t way, std::uint64_t way_back) {
  return dist::clock_reading::of_round(its.at(truly), truly + way, its.at(truly + way + way_back));
}

std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

bool is_near(const node_clock& its, const dist::clock_readings& known, std::uint64_t truly, std::uint64_t last) {
  const dist::clock_line line(known);
  const std::uint64_t found = line.there(its.at(truly)), error = line.error(its.at(last));
  constexpr std::uint64_t roundings = 4;
  if (difference(found, truly) <= error + roundings) return true;
  std::printf("at %lu: found %lu, and the error is said to be %lu\n", truly, found, error);
  return false;
}

bool check_readings(base::rng& at) {
  constexpr std::uint64_t second = 1'000'000'000;
  const node_clock its{at.next() % (1000 * second), 0.5 + static_cast<double>(at.next() % 1000) / 1000};
  const std::uint64_t from = second + at.next() % second, until = from + 1 + at.next() % (100 * second);
  const std::uint64_t slowest = 1 + at.next() % 1'000'000;
  dist::clock_readings known = {};
  known.add(read_at(its, from, at.next() % slowest, at.next() % slowest));
  known.add(read_at(its, until, at.next() % slowest, at.next() % slowest));
  const std::uint64_t known_from = known.first.there, known_until = known.last.there;
  if (known_until <= known_from) return true;
  const std::uint64_t length = known_until - known_from, beyond = known_until + at.next() % (length / 8 + 1);
  for (int i = 0; i < 16; ++i) {
    if (!is_near(its, known, known_from + at.next() % length, known_until)) return false;
  }
  return is_near(its, known, known_from, known_until) && is_near(its, known, known_until, known_until) &&
         is_near(its, known, beyond, beyond);
}

bool check_one_reading() {
  dist::clock_readings known = {};
  if (dist::clock_line(known).is_needed() || !known.are_old(0)) return false;
  known.add({5000, 3000, 40});
  const dist::clock_line line(known);
  if (!line.is_needed() || line.there(5100) != 3100 || line.there(4900) != 2900) return false;
  if (line.ahead() != 2000 || line.rate() != 1 || line.error(0) != 41) return false;
  known.add({6000, 4000, 60});
  return known.count == 2 && known.first.here == 5000 && !known.are_old(6100) && known.are_old(6200) &&
         dist::clock_line(known).error(6000) == 61;
}

}  // namespace

int main() {
  base::rng at(27);
  if (!check_one_reading()) return std::puts("one reading is not taken as it is"), 1;
  for (int tries = 0; tries < 20'000; ++tries) {
    if (!check_readings(at)) return 1;
  }
  return 0;
}
