// See picture.hpp.
#include "machine/picture.hpp"

#include <cstring>

#include "machine/raw.hpp"

namespace many {
namespace {

using row = picoseconds[picture_columns][cause_count];
row* rows;  // by CPU
picoseconds (*drawn)[cause_count];
picoseconds began = 0;
picoseconds width = 1'000'000;

void widen() {
  for (unsigned i = 0; i < set.cpu_count; ++i) {
    for (unsigned column = 0; column < picture_columns; ++column) {
      for (unsigned why = 0; why < cause_count; ++why) {
        const bool is_left = column < picture_columns / 2;
        rows[i][column][why] = is_left ? rows[i][2 * column][why] + rows[i][2 * column + 1][why] : 0;
      }
    }
  }
  width *= 2;
}

}  // namespace

void draw(cpu* one) {
  if (rows == nullptr || one->clock < began) return;
  while ((one->clock - began) / width >= picture_columns) widen();
  picoseconds(&column)[cause_count] = rows[one->index][(one->clock - began) / width];
  for (unsigned why = 0; why < cause_count; ++why) {
    column[why] += one->spent[why] - drawn[one->index][why];
    drawn[one->index][why] = one->spent[why];
  }
}

void begin_picture(picoseconds at) {
  if (!set.has_picture) return;
  if (rows == nullptr) {
    rows = static_cast<row*>(reserve(most_cpus * sizeof(row)));
    drawn = static_cast<picoseconds(*)[cause_count]>(reserve(most_cpus * sizeof *drawn));
    if (rows == nullptr || drawn == nullptr) refuse("no memory for the picture: %m");
  }
  std::memset(rows, 0, most_cpus * sizeof(row));
  for (unsigned i = 0; i < set.cpu_count; ++i) std::memcpy(drawn[i], cpus[i].spent, sizeof drawn[i]);
  began = at;
  width = 1'000'000;
}

picoseconds column_width() { return width; }

picoseconds spent_in_column(unsigned cpu, unsigned column, unsigned cause) {
  return rows != nullptr ? rows[cpu][column][cause] : 0;
}

}  // namespace many
